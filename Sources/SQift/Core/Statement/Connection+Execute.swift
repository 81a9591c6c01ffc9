extension Connection {
    /// Runs every statement of a script, in order.
    ///
    /// ```swift
    /// try connection.execute(
    ///     """
    ///     CREATE TABLE cars(name TEXT NOT NULL, price INTEGER);
    ///     CREATE INDEX cars_by_price ON cars(price)
    ///     """
    /// )
    /// ```
    ///
    /// It stops at the first statement that fails. The effects of the earlier ones stay, unless a
    /// transaction around them is rolled back. Rows are skipped.
    ///
    /// - Throws: ``SQLiteError`` with the script, and in it the offset of the bad token, or else of
    ///   the statement that failed.
    ///
    /// SQLite: [sqlite3_exec](https://sqlite.org/c3ref/exec.html)
    public func execute(_ sql: SQL) throws {
        try execute(sql, parameters: [:])
    }

    /// Runs every statement of a script with values that they share; see `execute(_:)`.
    ///
    /// ```swift
    /// let script = """
    ///     INSERT INTO archive SELECT * FROM orders WHERE day < :day;
    ///     DELETE FROM orders WHERE day < :day
    ///     """
    /// try connection.execute(script, parameters: ["day": "2024-01-01"])
    /// ```
    ///
    /// - Parameters:
    ///   - sql: The statements, separated by semicolons.
    ///   - parameters: Values by name, with or without the prefix. Each statement takes those that
    ///     it names, so some may be left over.
    public func execute(_ sql: SQL, parameters: BindableDictionary) throws {
        try SQLText.with(sql) { script in
            var start = 0
            while let token = script.firstToken(from: start) {
                do {
                    let (handle, end) = try script.compile(at: token, on: self, flags: 0)
                    guard let handle else { return }
                    start = end
                    let text = sql.utf8.dropFirst(token).prefix(end - token)
                    let ownSQL = String(decoding: text, as: UTF8.self)
                    try Statement(handle, sql: ownSQL, connection: self, owner: self)
                        .bind(parameters, ignoringUnknown: true)
                        .run()
                } catch let error as SQLiteError {
                    // An error while it runs is about the whole statement.
                    let offset = start > token ? token : error.offset ?? token
                    let code = error.extendedResultCode
                    throw SQLiteError(code: code, message: error.message, sql: sql, offset: offset)
                }
            }
            if handle == nil {
                throw unusableError
            }
        }
    }
}

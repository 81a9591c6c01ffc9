extension Connection {
    /// Runs every statement of a script, in order.
    ///
    /// It stops at the first one that fails; what ran before stays, unless a transaction around it
    /// is rolled back. Rows are passed over. Parameters can't be bound: use `run`.
    ///
    /// - Throws: `SQLiteError` with the script and the offset in it of the bad token, or else of
    ///   the statement that failed.
    ///
    /// https://sqlite.org/c3ref/exec.html
    public func execute(_ sql: SQL) throws {
        try SQLText.with(sql) { script in
            var start = 0
            while let token = script.firstToken(from: start) {
                var hasCompiled = false
                do {
                    let (handle, end) = try script.compile(at: token, on: self, flags: 0)
                    guard let handle else { return }
                    hasCompiled = true
                    start = end
                    try Statement(handle, sql: script[token..<end], connection: self, owner: self)
                        .run()
                } catch let error as SQLiteError {
                    let offset = hasCompiled ? token : error.offset ?? token
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

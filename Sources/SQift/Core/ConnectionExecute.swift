extension Connection {
    /// Runs every statement of a script, in order.
    ///
    /// It stops at the first one that fails; what ran before stays, unless a transaction around it is rolled back. Rows
    /// are passed over. Parameters can't be bound: use `run`.
    ///
    /// - Throws: `SQLiteError` with the script and the offset in it of the bad token, or of the statement that failed.
    ///
    /// https://sqlite.org/c3ref/exec.html
    public func execute(_ sql: SQL) throws {
        try SQLText.with(sql) { script in
            var start = 0
            while let token = script.firstToken(from: start) {
                let (handle, end) = try script.compile(at: token, on: self, flags: 0)
                guard let handle else { return }
                let statement = Statement(handle, sql: script[token..<end], connection: self, owner: self)
                do { try statement.run() } catch let error as SQLiteError {
                    let code = error.extendedResultCode
                    throw SQLiteError(code: code, message: error.message, sql: sql, offset: token)
                }
                start = end
            }
            if handle == nil { throw unusableError }
        }
    }
}

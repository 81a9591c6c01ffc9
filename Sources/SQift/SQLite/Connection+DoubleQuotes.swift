internal import CSQift

extension Connection {
    /// Runs `body`, in which double quotes enclose names only. Otherwise SQLite takes a name that
    /// it doesn't know for a string.
    ///
    /// SQLite: [Double-quoted String Literals Are
    /// Accepted](https://sqlite.org/quirks.html#dblquote)
    func withoutTextInDoubleQuotes(_ body: () throws -> Void) throws {
        let operations = [SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL]
        let values = operations.map { dbConfig($0) }
        defer {
            for (operation, value) in zip(operations, values) {
                dbConfig(operation, to: value)
            }
        }
        for operation in operations {
            dbConfig(operation, to: 0)
        }
        try body()
    }
}

internal import CSQift

extension Connection {
    /// Runs `body`, in which double quotes enclose names only. Otherwise SQLite takes a name that
    /// it doesn't know for a text.
    ///
    /// https://sqlite.org/quirks.html#dblquote
    func withoutTextInDoubleQuotes(_ body: () throws -> Void) throws {
        guard let handle else { throw unusableError }
        let switches = [SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL].map { operation in
            var isOn: Int32 = 0
            _ = sqift_db_switch(handle, operation, -1, &isOn)
            return (operation, isOn)
        }
        defer {
            for (operation, isOn) in switches where self.handle != nil {
                _ = sqift_db_switch(handle, operation, isOn, nil)
            }
        }
        for (operation, _) in switches {
            _ = sqift_db_switch(handle, operation, 0, nil)
        }
        try body()
    }
}

internal import CSQift

extension Statement {
    /// Runs the statement to its end.
    ///
    /// - Returns: How many rows it changed. SQLite keeps that number from earlier statements if
    ///   this one isn't an INSERT, UPDATE or DELETE; the total number shows that.
    @usableFromInline func runCountingChanges() throws -> Int {
        if isReadOnly {
            try run()
            return 0
        }
        let database = sqlite3_db_handle(handle)
        let total = sqift_total_changes(database)
        return try reading {
            while try step() {}
            // At the end of the statement, listeners are told, which may write.
            return sqift_total_changes(database) == total
                ? 0 : Int(clamping: sqift_changes(database))
        }
    }
}

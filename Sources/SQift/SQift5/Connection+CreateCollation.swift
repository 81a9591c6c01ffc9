extension Connection {
    /// Adds a collation, as in SQift 5.1. Unlike `addCollation(named:_:)` it doesn't throw.
    ///
    /// - Returns: The error if SQLite refuses the collation.
    @available(*, deprecated, renamed: "addCollation(named:_:)")
    @discardableResult public func createCollation(
        named name: String,
        collate: @escaping Collation
    ) -> SQLiteError? {
        do {
            try addCollation(named: name, collate)
            return nil
        } catch {
            return error as? SQLiteError
        }
    }
}

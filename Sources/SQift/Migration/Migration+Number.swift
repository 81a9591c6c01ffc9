extension Migration {
    /// A migration in SQift 5.1's form. The caller runs its body.
    init(number: UInt64) {
        self.init("\(number)") { _ in }
        self.number = number
    }

    /// Returns the highest recorded number; 0 if there is none.
    static func highestNumber(in connection: Connection) throws -> UInt64 {
        guard try connection.tableExists("schema_migrations", database: "main") else { return 0 }
        let columns = try connection.columns(in: "schema_migrations", database: "main").map(\.name)
        guard columns == ["version", "migration_timestamp"] else {
            let names = columns.joined(separator: ", ")
            throw MigratorError(
                .inconsistent,
                "the table schema_migrations isn't SQift's: it has \(names)"
            )
        }
        return try connection.query("SELECT ifnull(max(version), 0) FROM main.schema_migrations")
    }
}

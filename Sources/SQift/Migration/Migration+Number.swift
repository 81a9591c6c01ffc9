/// A migration in SQift 5.1's form: its record is its number.
struct NumberedMigration: RecordedMigration {
    let version: UInt64

    var name: String { "\(version)" }

    var options: Migration.Options { [] }

    func isRecorded(in connection: Connection) throws -> Bool {
        try NumberedMigration.version(of: connection) >= version
    }

    func record(in connection: Connection) throws {
        let columns = "version INTEGER UNIQUE NOT NULL, migration_timestamp TEXT NOT NULL"
        try connection.run("CREATE TABLE IF NOT EXISTS main.schema_migrations(\(columns))")
        let now = "strftime('%Y-%m-%dT%H:%M:%f', 'now')"
        try connection.run("INSERT INTO main.schema_migrations VALUES(?, \(now))", version)
    }

    /// Returns the highest recorded number; 0 if there is none.
    static func version(of connection: Connection) throws -> UInt64 {
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

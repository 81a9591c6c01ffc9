/// What a database says of the migrations that it has.
struct Bookkeeping {
    private let connection: Connection
    private let migrations: [Migration]
    /// The name and the checksum of each, in the order in which they ran.
    private let records: [(name: String, checksum: String?)]
    private let names: Set<String>
    /// The version of the numbered form, where a migration replaces one.
    private let version: UInt64

    init(_ connection: Connection, _ migrations: [Migration]) throws {
        (self.connection, self.migrations) = (connection, migrations)
        var known: Set<String> = []
        for migration in migrations where !known.insert(migration.name).inserted {
            throw MigratorError(
                .inconsistent,
                migration.name,
                "two migrations have the name \(migration.name)"
            )
        }
        let isRecording = try connection.tableExists("sqift_migrations", database: "main")
        let sql = "SELECT name, checksum FROM main.sqift_migrations ORDER BY rowid"
        records = try isRecording ? connection.query(sql) { (try $0.get(0), try $0.get(1)) } : []
        names = Set(records.map(\.name))
        version =
            try migrations.contains { $0.replacesVersion != nil }
            ? Bookkeeping.version(in: connection) : 0
    }

    private func isKnownToBeApplied(_ migration: Migration) -> Bool {
        names.contains(migration.name) || migration.replacesVersion.map { $0 <= version } ?? false
    }

    var applied: [String] {
        migrations.filter { isKnownToBeApplied($0) && !names.contains($0.name) }.map(\.name)
            + records.map(\.name)
    }

    var pending: [Migration] { migrations.filter { !isKnownToBeApplied($0) } }

    var unknown: [String] {
        records.map(\.name).filter { name in !migrations.contains { $0.name == name } }
    }

    /// The migrations to run. Throws where the database isn't an older state of what the code
    /// describes.
    func plan(upTo name: String?, _ edited: Migrator.EditPolicy) throws -> [Migration] {
        let newest = migrations.compactMap(\.replacesVersion).max() ?? version
        let newer = unknown + (newest < version ? ["version \(version)"] : [])
        guard newer.isEmpty else { throw MigratorError.newer(newer.joined(separator: ", ")) }
        let checksums = Dictionary(uniqueKeysWithValues: migrations.map { ($0.name, $0.checksum) })
        let changed = records.filter { $0.checksum != nil && checksums[$0.name] != $0.checksum }
            .map(\.name)
        guard edited == .ignore || changed.isEmpty else {
            let names = changed.joined(separator: ", ")
            throw MigratorError(
                .edited,
                nil,
                "edited after they ran here, write another migration instead: \(names)"
            )
        }
        guard let name else { return pending }
        guard let last = migrations.firstIndex(where: { $0.name == name }) else {
            throw MigratorError(.inconsistent, name, "there is no migration \(name) to run up to")
        }
        if let later = migrations[(last + 1)...].first(where: isKnownToBeApplied) {
            throw MigratorError(
                .inconsistent,
                name,
                "the database is beyond \(name) already, it has \(later.name)"
            )
        }
        return migrations[...last].filter { !isKnownToBeApplied($0) }
    }

    /// Asks the database anew, for one migration.
    func isApplied(_ migration: Migration) throws -> Bool {
        if let replaced = migration.replacesVersion,
            try Bookkeeping.version(in: connection) >= replaced
        {
            return true
        }
        guard try connection.tableExists("sqift_migrations", database: "main") else { return false }
        return try connection.query(
            "SELECT EXISTS(SELECT 1 FROM main.sqift_migrations WHERE name = ?)",
            migration.name
        )
    }

    func record(_ migration: Migration) throws {
        let columns = "name TEXT NOT NULL PRIMARY KEY, checksum TEXT, timestamp TEXT NOT NULL"
        try connection.run("CREATE TABLE IF NOT EXISTS main.sqift_migrations(\(columns))")
        let sql =
            "INSERT OR IGNORE INTO main.sqift_migrations VALUES(?, ?, strftime('%Y-%m-%dT%H:%M:%f', 'now'))"
        try connection.run(sql, migration.name, migration.checksum)
    }

    // MARK: SQift 5.1's table

    /// The highest number that is recorded; 0 if none is.
    static func version(in connection: Connection) throws -> UInt64 {
        guard try connection.tableExists("schema_migrations", database: "main") else { return 0 }
        let columns = try connection.columns(in: "schema_migrations", database: "main").map(\.name)
        guard columns == ["version", "migration_timestamp"] else {
            let names = columns.joined(separator: ", ")
            throw MigratorError(
                .inconsistent,
                nil,
                "the table schema_migrations isn't SQift's: it has \(names)"
            )
        }
        return try connection.query("SELECT ifnull(max(version), 0) FROM main.schema_migrations")
    }

    static func record(version: UInt64, in connection: Connection) throws {
        let columns = "version INTEGER UNIQUE NOT NULL, migration_timestamp TEXT NOT NULL"
        try connection.run("CREATE TABLE IF NOT EXISTS main.schema_migrations(\(columns))")
        let sql =
            "INSERT INTO main.schema_migrations VALUES(?, strftime('%Y-%m-%dT%H:%M:%f', 'now'))"
        try connection.run(sql, version)
    }
}

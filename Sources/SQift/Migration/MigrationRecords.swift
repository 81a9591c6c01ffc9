/// The migrations that a database has, compared with those that the code knows.
struct MigrationRecords {
    private struct Record: Decodable, ExpressibleByRow {
        let name: String
        let checksum: String?
    }

    private let migrations: [Migration]
    /// In the order in which the migrations ran.
    private let records: [Record]
    private let names: Set<String>
    /// The version of SQift 5.1's form; 0 if no migration replaces one.
    private let version: UInt64

    init(in connection: Connection, for migrations: [Migration]) throws {
        var known: Set<String> = []
        for migration in migrations where !known.insert(migration.name).inserted {
            throw migration.error(.inconsistent, "two migrations have the name \(migration.name)")
        }
        for migration in migrations {
            // A squashed migration's record is deleted, so it would run again.
            if let other = migration.replaces.joined().first(where: known.contains) {
                throw migration.error(
                    .inconsistent,
                    "\(migration.name) replaces \(other), which must go from the list of migrations"
                )
            }
            if !migration.replaces.isEmpty, migration.replacesVersion != nil {
                throw migration.error(
                    .inconsistent,
                    "\(migration.name) replaces either a version or migrations, not both"
                )
            }
        }
        self.migrations = migrations

        records =
            try connection.tableExists("sqift_migrations", database: "main")
            ? connection.query("SELECT name, checksum FROM main.sqift_migrations ORDER BY rowid")
            : []
        names = Set(records.map(\.name))

        version =
            try migrations.contains { $0.replacesVersion != nil }
            ? Self.highestNumber(in: connection) : 0
    }

    /// Returns the highest number that SQift 5.1's form has recorded; 0 if there is none.
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

    private func isApplied(_ migration: Migration) -> Bool {
        isReplaced(migration) || (!migration.isNumbered && names.contains(migration.name))
    }

    /// Whether the migration counts as applied because of what it replaces: a version of the
    /// numbered form, or other migrations.
    private func isReplaced(_ migration: Migration) -> Bool {
        if let number = migration.replacesVersion {
            return number <= version
        }
        return migration.replaces.contains { !$0.isEmpty && names.isSuperset(of: $0) }
    }

    /// The migrations that count as applied and have no record.
    private var replaced: [Migration] {
        migrations.filter { isReplaced($0) && !names.contains($0.name) }
    }

    var applied: [String] { replaced.map(\.name) + records.map(\.name) }

    /// The migrations that count as applied, because the database has those that they squash, and
    /// have no record yet.
    var squashed: [Migration] { replaced.filter { !$0.replaces.isEmpty } }

    var pending: [Migration] { migrations.filter { !isApplied($0) } }

    var unknown: [String] {
        records.map(\.name).filter { name in
            !migrations.contains { $0.name == name || $0.replaces.joined().contains(name) }
        }
    }

    /// Returns the migrations to run.
    ///
    /// - Throws: `MigratorError` if the database isn't an older state of what the code describes.
    func pending(upTo name: String?, edited: Migrator.EditPolicy) throws -> [Migration] {
        try refuseParts()
        try refuseNewerDatabase()
        if edited == .fail {
            try refuseEdits()
        }
        guard let name else { return pending }

        guard let last = migrations.firstIndex(where: { $0.name == name }) else {
            throw MigratorError(
                .inconsistent,
                "there is no migration \(name) to run up to",
                migration: name
            )
        }
        if let later = migrations[(last + 1)...].first(where: isApplied) {
            throw MigratorError(
                .inconsistent,
                "the database is beyond \(name) already, it has \(later.name)",
                migration: name
            )
        }
        return migrations[...last].filter { !isApplied($0) }
    }

    /// Throws if only some of the migrations that a pending one squashes are applied.
    private func refuseParts() throws {
        for migration in pending {
            let missing = migration.replaces.filter { !names.isDisjoint(with: $0) }
                .map { list in list.filter { !names.contains($0) } }
            guard let fewest = missing.min(by: { $0.count < $1.count }) else { continue }
            throw migration.error(
                .inconsistent,
                """
                the database is older than the program, and \(migration.name) replaces \
                migrations of which it has only some, not \(fewest.joined(separator: ", ")): run \
                these with an earlier version of the program first
                """
            )
        }
    }

    private func refuseNewerDatabase() throws {
        var newer = unknown.map { "migration \($0)" }
        if let newest = migrations.compactMap(\.replacesVersion).max(), newest < version {
            newer.append("version \(version)")
        }
        guard !newer.isEmpty else { return }
        let squash = pending.first { !$0.replaces.isEmpty }
        throw MigratorError.newer(newer.joined(separator: ", "), unlessReplacedBy: squash)
    }

    /// The applied migrations whose SQL was edited after they had run.
    var edited: [String] {
        let edited = records.filter { record in
            record.checksum != nil
                && migrations.contains { $0.name == record.name && $0.checksum != record.checksum }
        }
        return edited.map(\.name)
    }

    private func refuseEdits() throws {
        guard !edited.isEmpty else { return }
        let names = edited.joined(separator: ", ")
        throw MigratorError(
            .edited,
            "these migrations were edited after they had run, write a new one instead: \(names)"
        )
    }
}

extension Migration {
    /// Records the migration, in place of those that it squashes.
    func record(in connection: Connection) throws {
        let now = "strftime('%Y-%m-%dT%H:%M:%f', 'now')"
        if isNumbered {
            let columns = "version INTEGER UNIQUE NOT NULL, migration_timestamp TEXT NOT NULL"
            try connection.run("CREATE TABLE IF NOT EXISTS main.schema_migrations(\(columns))")
            try connection.run(
                "INSERT INTO main.schema_migrations VALUES(?, \(now))",
                replacesVersion
            )
            return
        }

        let columns = "name TEXT NOT NULL PRIMARY KEY, checksum TEXT, timestamp TEXT NOT NULL"
        try connection.run("CREATE TABLE IF NOT EXISTS main.sqift_migrations(\(columns))")
        // OR IGNORE: another process may have recorded a squashed migration meanwhile.
        try connection.run(
            "INSERT OR IGNORE INTO main.sqift_migrations VALUES(?, ?, \(now))",
            name,
            checksum
        )
        for name in replaces.joined() {
            try connection.run("DELETE FROM main.sqift_migrations WHERE name = ?", name)
        }
    }
}

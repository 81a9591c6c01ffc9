import Foundation

/// Brings a database's schema up to date: runs the migrations that it doesn't have, each in a
/// transaction of its own, and records them.
///
/// ```swift
/// try database.writeWithoutTransaction { connection in
///     let migrator = Migrator(connection: connection, migrations: migrations)
///     try migrator.run { step in print(step) }  // 3 of 7, add-tags
/// }
/// ```
///
/// A migration that fails leaves the database as it was before it; those before it stay, those
/// after it don't run. While a migration runs, foreign keys are not enforced, so that tables can be
/// rebuilt; at its end they are checked, and rows without parents that weren't there before make it
/// fail. Two processes that start at once run each migration once.
///
/// Names and checksums are in the table `sqift_migrations`; the numbers of SQift 5.1's form are in
/// `schema_migrations`.
open class Migrator {
    /// A migration among those that run.
    public struct Step: Sendable, Hashable, CustomStringConvertible {
        /// Its name.
        public let name: String
        /// Which one it is, from 1.
        public let number: Int
        /// How many there are.
        public let count: Int
        /// Such as `3 of 7, add-tags`.
        public var description: String { "\(number) of \(count), \(name)" }
    }

    /// What to do about migrations whose SQL has changed since they ran.
    public enum EditPolicy: Sendable {
        /// Throw before anything is changed.
        case fail
        /// Take them as applied.
        case ignore
    }

    /// What a run has done.
    public struct Report: Sendable {
        /// The names of the migrations that ran, in order.
        public internal(set) var migrations: [String] = []
        /// How many rows they inserted, updated and deleted.
        public internal(set) var changedRowCount = 0
        /// The tables, indexes, views and triggers that are new, gone or different, by type and
        /// name.
        public internal(set) var schemaChanges: [SchemaChange] = []
        /// The rows whose foreign keys have no parent, and had none before.
        public internal(set) var foreignKeyViolations: [Connection.ForeignKeyViolation] = []
    }

    /// A difference between two schemas.
    public struct SchemaChange: Sendable, Hashable, CustomStringConvertible {
        /// `table`, `index`, `view` or `trigger`.
        public let type: String
        /// Its name.
        public let name: String
        /// The SQL it had; nil if it is new.
        public let before: SQL?
        /// The SQL it has; nil if it is gone.
        public let after: SQL?
        /// Such as `new table tags`.
        public var description: String {
            "\(before == nil ? "new" : after == nil ? "dropped" : "changed") \(type) \(name)"
        }
    }

    /// The version that the numbered form migrates to.
    public let desiredSchemaVersion: UInt64
    /// The named migrations, in the order in which they run.
    public let migrations: [Migration]
    /// What to do about migrations whose SQL has changed since they ran.
    public var editedMigrations = EditPolicy.fail
    /// For how many seconds another process that migrates is waited for, on a connection without a
    /// busy handler of its own.
    public var busyTimeout: TimeInterval = 5

    let connection: Connection
    /// What was violated when the last migration had ended, counted; nil where SQLite can't tell.
    private var violations: [Connection.ForeignKeyViolation: Int]? = [:]

    /// A migrator of numbered migrations, as in SQift 5.1.
    public init(connection: Connection, desiredSchemaVersion: UInt64) {
        (self.connection, self.desiredSchemaVersion, migrations) = (
            connection, desiredSchemaVersion, []
        )
    }

    /// A migrator of named migrations, which run in this order.
    ///
    /// One that a merge has put between others that ran already is run all the same.
    public init(connection: Connection, migrations: [Migration]) {
        (self.connection, self.migrations, desiredSchemaVersion) = (connection, migrations, 0)
    }

    // MARK: Named migrations

    /// The names of the migrations that the database has: first those that a number of SQift 5.1's
    /// form stands for, then as they ran.
    public func applied() throws -> [String] {
        try Bookkeeping(connection, migrations).applied
    }

    /// The names of the migrations that would run.
    public func pending() throws -> [String] {
        try Bookkeeping(connection, migrations).pending.map(\.name)
    }

    /// The names of the migrations that the database has, and the code doesn't know.
    public func unknown() throws -> [String] {
        try Bookkeeping(connection, migrations).unknown
    }

    /// Runs the pending migrations.
    ///
    /// - Parameters:
    ///   - name: The last one to run; nil runs all.
    ///   - backup: A file for a backup of the database before the first migration, if any is
    ///     pending; as `Database.backup`.
    ///   - willRun: Called before each migration; what it throws ends the run.
    ///   - didRun: Called after each migration is committed.
    /// - Throws: `MigratorError`; what the callbacks throw; `BackupError`, in which case nothing
    ///   was changed.
    @discardableResult public func run(
        upTo name: String? = nil,
        backupTo backup: StorageLocation? = nil,
        willRun: ((Step) throws -> Void)? = nil,
        didRun: ((Step) throws -> Void)? = nil
    ) throws -> Report {
        try prepared {
            let bookkeeping = try Bookkeeping(connection, migrations)
            let pending = try bookkeeping.plan(upTo: name, editedMigrations)
            guard !pending.isEmpty else { return Report() }
            guard !connection.readOnly else {
                let names = pending.map(\.name).joined(separator: ", ")
                throw MigratorError(
                    .readOnly,
                    nil,
                    "migrations are pending, and the connection can't write: \(names)"
                )
            }
            try noteViolations()
            if let backup {
                let destination = try BackupDestination(backup)
                let unsynced = try connection.writeBackup(to: destination, 1000, nil)
                if let unsynced {
                    throw unsynced
                }
            }
            var report = Report()
            let (schema, changes) = (try self.schema(), connection.totalChanges)
            for (index, migration) in pending.enumerated() {
                let step = Step(name: migration.name, number: index + 1, count: pending.count)
                try willRun?(step)
                try refuseTransaction()
                let hasRun = try naming(migration) {
                    try apply(
                        migration.name,
                        migration.options,
                        isApplied: { try bookkeeping.isApplied(migration) },
                        body: { try migration.body(connection) },
                        record: { try bookkeeping.record(migration) }
                    )
                }
                guard hasRun else { continue }
                report.migrations.append(step.name)
                try didRun?(step)
            }
            // Without the rows that record them.
            report.changedRowCount = connection.totalChanges - changes - report.migrations.count
            report.schemaChanges = try schemaChanges(from: schema)
            report.foreignKeyViolations = (violations ?? [:]).flatMap {
                Array(repeating: $0.key, count: $0.value)
            }
            .sorted { $0.description < $1.description }
            return report
        }
    }

    /// Runs the pending migrations on a copy of the database, which isn't touched, and answers what
    /// they would change.
    ///
    /// - Parameters:
    ///   - name: The last one to run; nil runs all.
    ///   - preparing: Registers on the copy's connection what the migrations need: functions,
    ///     collations, attached databases.
    /// - Throws: As `run`.
    public func rehearse(
        upTo name: String? = nil,
        preparing: ((Connection) throws -> Void)? = nil
    ) throws -> Report {
        try refuseTransaction()
        let copy = try Connection(storageLocation: .temporary)
        try connection.backup(to: copy, pagesPerStep: -1)
        try preparing?(copy)
        let migrator = Migrator(connection: copy, migrations: migrations)
        migrator.editedMigrations = editedMigrations
        return try migrator.run(upTo: name)
    }

    // MARK: Numbered migrations

    /// The version of the database in SQift 5.1's numbered form; 0 if it has none, or can't be
    /// read.
    open var currentSchemaVersion: UInt64 { (try? Bookkeeping.version(in: connection)) ?? 0 }

    /// Whether the database's version is older than the desired one.
    open var migrationRequired: Bool { currentSchemaVersion < desiredSchemaVersion }

    /// Runs numbered migrations up to the desired version, as SQL.
    ///
    /// - Parameters:
    ///   - migrationSQLForSchemaVersion: Answers the SQL of a version.
    ///   - willMigrateToSchemaVersion: Called before each version, in its transaction.
    ///   - didMigrateToSchemaVersion: Called after each version is committed.
    /// - Returns: How many ran.
    /// - Throws: `SQLiteError` of the SQL, and `MigratorError`.
    @discardableResult open func runMigrationsIfNecessary(
        migrationSQLForSchemaVersion: (UInt64) -> String,
        willMigrateToSchemaVersion: ((UInt64) -> Void)? = nil,
        didMigrateToSchemaVersion: ((UInt64) -> Void)? = nil
    ) throws -> UInt64 {
        try runMigrationsIfNecessary(
            migrateDatabaseToSchemaVersion: { try $1.execute(migrationSQLForSchemaVersion($0)) },
            willMigrateToSchemaVersion: willMigrateToSchemaVersion,
            didMigrateToSchemaVersion: didMigrateToSchemaVersion
        )
    }

    /// Runs numbered migrations up to the desired version, each by a closure, in a transaction:
    /// `connection.transaction` inside it is a savepoint.
    ///
    /// - Parameters:
    ///   - migrateDatabaseToSchemaVersion: Migrates from the version before to this one.
    ///   - willMigrateToSchemaVersion: Called before each version, in its transaction.
    ///   - didMigrateToSchemaVersion: Called after each version is committed.
    /// - Returns: How many ran.
    /// - Throws: What the closure throws, and `MigratorError`.
    @discardableResult open func runMigrationsIfNecessary(
        migrateDatabaseToSchemaVersion: (UInt64, Connection) throws -> Void,
        willMigrateToSchemaVersion: ((UInt64) -> Void)? = nil,
        didMigrateToSchemaVersion: ((UInt64) -> Void)? = nil
    ) throws -> UInt64 {
        try prepared {
            let current = try Bookkeeping.version(in: connection)
            guard current <= desiredSchemaVersion else {
                throw MigratorError.newer("version \(current), not \(desiredSchemaVersion)")
            }
            if current < desiredSchemaVersion {
                try noteViolations()
            }
            var count: UInt64 = 0
            for version in current..<desiredSchemaVersion {
                let hasRun = try apply(
                    "\(version + 1)",
                    [],
                    isApplied: { try Bookkeeping.version(in: connection) > version },
                    body: {
                        willMigrateToSchemaVersion?(version + 1)
                        try migrateDatabaseToSchemaVersion(version + 1, connection)
                    },
                    record: { try Bookkeeping.record(version: version + 1, in: connection) }
                )
                guard hasRun else { continue }
                count += 1
                didMigrateToSchemaVersion?(version + 1)
            }
            return count
        }
    }

    // MARK: Running

    private func refuseTransaction() throws {
        guard connection.isInsideTransaction else { return }
        throw MigratorError(
            .insideTransaction,
            nil,
            "migrations have their own transactions: end this one before"
        )
    }

    /// Calls `body` with what all migrations of a run need: foreign keys switched off, and time to
    /// wait.
    private func prepared<T>(_ body: () throws -> T) throws -> T {
        try refuseTransaction()
        let needsTimeout =
            try connection.query("PRAGMA busy_timeout") == 0 && !connection.hasBusyHandler
        if needsTimeout {
            try connection.busyHandler(.timeout(busyTimeout))
        }
        defer { if needsTimeout { try? connection.busyHandler(.defaultBehavior) } }
        return try connection.setting(.foreignKeys, to: false, during: body)
    }

    /// Looks what is violated before. A key that isn't one of its parent (`SQLITE_ERROR`) leaves
    /// all checks out.
    private func noteViolations() throws {
        do {
            violations = try currentViolations()
        } catch let error as SQLiteError
            where error.resultCode == .error
        {
            violations = nil
        }
    }

    /// Runs a migration and records it, in one transaction unless it can't be. Answers false if
    /// another process has done so.
    private func apply(
        _ name: String,
        _ options: Migration.Options,
        isApplied: () throws -> Bool,
        body: () throws -> Void,
        record: () throws -> Void
    ) throws -> Bool {
        let isAlone = options.contains(.withoutTransaction)
        func run() throws -> Bool {
            if try isApplied() {
                return false
            }
            let (changes, schema) = try (connection.totalChanges, connection.schemaVersion())
            // VACUUM has a transaction of its own.
            if isAlone { try body() } else { try connection.denyingTransactions(body) }
            guard isAlone != connection.isInsideTransaction else {
                throw MigratorError(
                    .failed,
                    name,
                    "migration \(name) ended, or left open, a transaction"
                )
            }
            let hasNewSchema = try schema != connection.schemaVersion()
            if hasNewSchema || changes != connection.totalChanges {
                try checkForeignKeys(name, hasNewSchema)
            }
            try record()
            return true
        }
        guard isAlone || options.contains(.enforcingForeignKeys) else {
            return try connection.transaction(transactionType: .immediate, closure: run)
        }
        return try connection.setting(.foreignKeys, to: options.contains(.enforcingForeignKeys)) {
            defer { if connection.isInsideTransaction { connection.rollBackLeftovers() } }
            return try isAlone
                ? run() : connection.transaction(transactionType: .immediate, closure: run)
        }
    }

    /// Throws if there are violations that weren't there after the last migration. With a new
    /// schema, as many as before may be the old ones: tables and columns can be renamed, and rows
    /// numbered anew.
    private func checkForeignKeys(_ name: String, _ hasNewSchema: Bool) throws {
        guard let before = violations else { return }
        let now = try currentViolations()
        let new = now.filter { $0.value > before[$0.key] ?? 0 }.keys.map(\.description).sorted()
        let areOld = hasNewSchema && now.values.reduce(0, +) <= before.values.reduce(0, +)
        guard new.isEmpty || areOld else {
            let list =
                new.prefix(10).joined(separator: "; ")
                + (new.count > 10 ? "; and \(new.count - 10) more" : "")
            throw MigratorError(
                .foreignKeyViolations,
                name,
                "migration \(name) leaves rows without parents: \(list)"
            )
        }
        violations = now
    }

    private func currentViolations() throws -> [Connection.ForeignKeyViolation: Int] {
        let hasForeignKeys =
            "SELECT EXISTS(SELECT 1 FROM main.sqlite_schema WHERE instr(lower(sql), 'references'))"
        guard try connection.query(hasForeignKeys) else { return [:] }
        return try connection.foreignKeyViolations(database: "main").reduce(into: [:]) {
            $0[$1, default: 0] += 1
        }
    }

    /// Says in which migration, and where in it, something went wrong.
    private func naming(_ migration: Migration, _ body: () throws -> Bool) throws -> Bool {
        do {
            return try body()
        } catch let error as MigratorError
            where error.migration == migration.name
        {
            throw error
        } catch {
            var place = "migration \(migration.name)"
            if let error = error as? SQLiteError, let sql = migration.sql, error.sql == sql {
                let offset =
                    error.offset ?? (try? SQLText.with(sql) { $0.firstToken(from: 0) }) ?? 0
                let line = sql.utf8.prefix(offset).reduce(1) {
                    $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0)
                }
                place += " (\(migration.file.map { "\($0), " } ?? "")line \(line))"
            }
            throw MigratorError(.failed, migration.name, "\(place): \(error)", underlying: error)
        }
    }

    /// The SQL of the schema's objects by type and name, without SQLite's and this one's own.
    private func schema() throws -> [[String]: SQL] {
        var objects: [[String]: SQL] = [:]
        let sql = """
            SELECT type, name, sql FROM main.sqlite_schema
            WHERE sql NOTNULL AND name <> 'sqift_migrations' AND name NOT GLOB 'sqlite_*'
            """
        try connection.forEachRow(sql) {
            objects[[try $0.get(0), try $0.get(1)]] = try $0.get(2) as SQL
        }
        return objects
    }

    private func schemaChanges(from old: [[String]: SQL]) throws -> [SchemaChange] {
        let new = try schema()
        let changed = Set(new.keys).union(old.keys).filter { old[$0] != new[$0] }
        return changed.sorted { $0.lexicographicallyPrecedes($1) }.map {
            SchemaChange(type: $0[0], name: $0[1], before: old[$0], after: new[$0])
        }
    }
}

import Foundation

/// Brings a database's schema up to date: it runs the migrations that the database doesn't have
/// yet, and records them.
///
/// ```swift
/// try database.writeWithoutTransaction { connection in
///     let migrator = Migrator(connection: connection, migrations: migrations)
///     try migrator.run { step in print(step) }  // 3 of 7, add-tags
/// }
/// ```
///
/// Each migration runs in a transaction of its own. If one fails, the database is as it was before
/// that migration: earlier migrations stay, later ones don't run. If two processes start at the
/// same time, each migration still runs once.
///
/// Foreign keys aren't enforced while a migration runs, so that it can rebuild tables. They are
/// checked at its end: the migration fails if it leaves rows without parents that weren't there
/// before.
///
/// The names and checksums are in the table `sqift_migrations`. The numbers of SQift 5.1's form are
/// in `schema_migrations`.
open class Migrator {
    /// What to do about migrations whose SQL was edited after they had run.
    public enum EditPolicy: Sendable {
        /// Throws before anything is changed.
        case fail
        /// Takes the migrations as applied.
        case ignore
    }

    /// The version that the numbered form migrates to.
    public let desiredSchemaVersion: UInt64

    /// The named migrations, in the order in which they run.
    public let migrations: [Migration]

    /// What to do about migrations whose SQL was edited after they had run.
    public var editedMigrations = EditPolicy.fail

    /// How many seconds to wait for another process that migrates. It applies to a connection that
    /// has neither a busy timeout nor a busy handler.
    public var busyTimeout: TimeInterval = 5

    let connection: Connection
    /// The data version before the records were read. While it is the same, no other connection has
    /// recorded a migration.
    var recordsVersion: Int64?
    /// The names of migrations that have run in a database, so that they run again even if a new
    /// one would be refused.
    var accepted: Set<String> = []

    /// Creates a migrator of named migrations. They run in this order.
    ///
    /// A migration also runs if later ones have already run, for example because a merge put it
    /// between them.
    public init(connection: Connection, migrations: [Migration]) {
        self.connection = connection
        self.migrations = migrations
        desiredSchemaVersion = 0
    }

    /// The names of the migrations that the database has: first those that are included in a
    /// version of SQift 5.1's form, then the others in the order in which they ran.
    ///
    /// - Throws: ``MigratorError`` (`inconsistent`), and `SQLiteError` if the records can't be
    ///   read.
    public func applied() throws -> [String] {
        try records.applied
    }

    /// The names of the migrations that would run.
    ///
    /// ```swift
    /// print(try migrator.pending())  // ["2024-05-add-tags"]
    /// ```
    ///
    /// - Throws: ``MigratorError`` (`inconsistent`), and `SQLiteError` if the records can't be
    ///   read.
    public func pending() throws -> [String] {
        try records.pending.map(\.name)
    }

    /// The names of the migrations that the database has and the code doesn't know.
    ///
    /// - Throws: ``MigratorError`` (`inconsistent`), and `SQLiteError` if the records can't be
    ///   read.
    public func unknown() throws -> [String] {
        try records.unknown
    }

    /// The names of the migrations whose SQL was edited after they had run in the database.
    ///
    /// - Throws: ``MigratorError`` (`inconsistent`), and `SQLiteError` if the records can't be
    ///   read.
    public func edited() throws -> [String] {
        try records.edited
    }

    private var records: MigrationRecords {
        get throws { try MigrationRecords(in: connection, for: migrations) }
    }

    /// Runs the pending migrations.
    ///
    /// ```swift
    /// let report = try migrator.run(backupTo: .onDisk(backupPath)) { step in
    ///     print(step)  // 1 of 2, 2024-05-add-tags
    /// }
    /// print(report.migrations, report.schemaChanges)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The last migration to run; nil runs all.
    ///   - backup: A file for a backup of the database, made like that of `Database.backup` before
    ///     the first migration. Without pending migrations there is no backup, nor of a new
    ///     database, which has no tables yet.
    ///   - willRun: Called before each migration. If it throws, the run ends.
    ///   - didRun: Called after each migration is committed.
    /// - Throws: `MigratorError`; what the callbacks throw; `SQLiteError` outside a migration, for
    ///   a database that stays locked for example; `BackupError`, in which case nothing was
    ///   changed.
    @discardableResult public func run(
        upTo name: String? = nil,
        backupTo backup: StorageLocation? = nil,
        willRun: ((Step) throws -> Void)? = nil,
        didRun: ((Step) throws -> Void)? = nil
    ) throws -> Report {
        try withBusyTimeout {
            recordsVersion = try connection.dataVersion
            let records = try self.records
            let pending = try records.pending(upTo: name, edited: editedMigrations)
            for migration in pending where !accepted.contains(migration.name) {
                try migration.refuseHalfUnderstood()
            }
            if !pending.isEmpty {
                guard !connection.readOnly else {
                    let pendingNames = pending.map(\.name).joined(separator: ", ")
                    throw MigratorError(
                        .readOnly,
                        "migrations are pending, and the connection can't write: \(pendingNames)"
                    )
                }
                // A new database has nothing that a backup could keep.
                if let backup, try connection.hasSchema(),
                    let unsynced = try connection.writeBackup(
                        to: BackupDestination(backup),
                        pagesPerStep: 1000
                    )
                {
                    throw unsynced
                }
            }
            // After the backup, which is of the unchanged database.
            let squashed = records.squashed
            if !squashed.isEmpty, !connection.readOnly {
                try connection.transaction(transactionType: .immediate) {
                    for migration in squashed {
                        try migration.record(in: connection)
                    }
                }
            }

            let audit = ForeignKeyAudit(connection)
            let schema = try schema()
            let changes = connection.totalChanges
            var names: [String] = []
            for (index, migration) in pending.enumerated() {
                let step = Step(name: migration.name, number: index + 1, count: pending.count)
                try willRun?(step)
                let hasRun = try apply(migration, audit: audit) { try migration.body(connection) }
                guard hasRun else { continue }
                names.append(step.name)
                try didRun?(step)
            }

            return Report(
                migrations: names,
                // The migrations' own records aren't counted.
                changedRowCount: max(0, connection.totalChanges - changes - names.count),
                // What others have changed meanwhile isn't this run's.
                schemaChanges: try names.isEmpty ? [] : schemaChanges(comparedWith: schema),
                foreignKeyViolations: audit.violations,
                foreignKeyViolationCount: audit.violationCount
            )
        }
    }

    /// Runs the pending migrations on a copy of the database, and returns what they would change.
    /// The database itself stays as it is. If it is encrypted, the copy isn't, so it is in memory.
    ///
    /// ```swift
    /// let report = try migrator.rehearse()
    /// print(report.migrations)  // ["2024-05-add-tags"]
    /// print(report.schemaChanges)  // [new table tags]
    /// ```
    ///
    /// - Parameters:
    ///   - name: The last migration to run; nil runs all.
    ///   - preparing: Registers what the migrations need with the copy's connection: functions,
    ///     collations, attached databases.
    /// - Throws: As `run`.
    public func rehearse(
        upTo name: String? = nil,
        preparing: ((Connection) throws -> Void)? = nil
    ) throws -> Report {
        try checkConnection()
        let copy: Connection
        if connection.sharedConfiguration.key == nil {
            copy = try connection.openSibling(at: .temporary)
            try connection.backup(to: copy, pagesPerStep: -1)
        } else {
            var configuration = Connection.Configuration()
            configuration.hardened = connection.isHardened
            copy = try Connection(image: connection.serialize(), configuration: configuration)
        }
        try preparing?(copy)
        let migrator = Migrator(connection: copy, migrations: migrations)
        migrator.editedMigrations = editedMigrations
        return try migrator.run(upTo: name)
    }

    /// Returns how the database's schema differs from the one that all migrations make in an empty
    /// database: what was changed by hand, and what pending migrations would change.
    ///
    /// ```swift
    /// for change in try migrator.schemaDrift() {
    ///     print(change, change.before ?? "", change.after ?? "")  // changed table cars …
    /// }
    /// ```
    ///
    /// The SQL of each table, index, view and trigger is compared as text. `before` is that of the
    /// migrations, `after` that of the database, which stays as it is.
    ///
    /// - Parameter preparing: Registers what the migrations need with the connection to the empty
    ///   database.
    /// - Throws: As `run`.
    public func schemaDrift(
        preparing: ((Connection) throws -> Void)? = nil
    ) throws -> [SchemaChange] {
        let model = try Connection()
        try preparing?(model)
        let migrator = Migrator(connection: model, migrations: migrations)
        migrator.accepted = Set(try applied())
        try migrator.run()
        return try schemaChanges(comparedWith: migrator.schema())
    }

    // MARK: SQift 5.1

    // Members of an extension can't be overridden, so these `open` ones are here.

    /// Is told of a version of the numbered form.
    public typealias VersionHandler = (UInt64) -> Void

    /// Creates a migrator of numbered migrations, as in SQift 5.1.
    public init(connection: Connection, desiredSchemaVersion: UInt64) {
        self.connection = connection
        self.desiredSchemaVersion = desiredSchemaVersion
        migrations = []
    }

    /// The version of the database in SQift 5.1's numbered form. It is 0 if the database has none
    /// or the version can't be read.
    open var currentSchemaVersion: UInt64 {
        (try? MigrationRecords.highestNumber(in: connection)) ?? 0
    }

    /// Whether the database's version is older than the desired one.
    open var migrationRequired: Bool { currentSchemaVersion < desiredSchemaVersion }

    /// Runs numbered migrations up to the desired version, as SQL.
    ///
    /// - Parameters:
    ///   - migrationSQLForSchemaVersion: Returns the SQL of a version.
    ///   - willMigrateToSchemaVersion: Called before each version, in its transaction.
    ///   - didMigrateToSchemaVersion: Called after each version is committed.
    /// - Returns: How many migrations ran.
    /// - Throws: `SQLiteError` of the SQL, and `MigratorError`.
    @discardableResult open func runMigrationsIfNecessary(
        migrationSQLForSchemaVersion: (UInt64) -> String,
        willMigrateToSchemaVersion: VersionHandler? = nil,
        didMigrateToSchemaVersion: VersionHandler? = nil
    ) throws -> UInt64 {
        try runMigrationsIfNecessary(
            migrateDatabaseToSchemaVersion: { try $1.execute(migrationSQLForSchemaVersion($0)) },
            willMigrateToSchemaVersion: willMigrateToSchemaVersion,
            didMigrateToSchemaVersion: didMigrateToSchemaVersion
        )
    }

    /// Runs numbered migrations up to the desired version, each as a closure in a transaction.
    /// In the closure, `connection.transaction` is a savepoint.
    ///
    /// - Parameters:
    ///   - migrateDatabaseToSchemaVersion: Migrates from the previous version to this one.
    ///   - willMigrateToSchemaVersion: Called before each version, in its transaction.
    ///   - didMigrateToSchemaVersion: Called after each version is committed.
    /// - Returns: How many migrations ran.
    /// - Throws: The closure's error, and `MigratorError`.
    @discardableResult open func runMigrationsIfNecessary(
        migrateDatabaseToSchemaVersion: (UInt64, Connection) throws -> Void,
        willMigrateToSchemaVersion: VersionHandler? = nil,
        didMigrateToSchemaVersion: VersionHandler? = nil
    ) throws -> UInt64 {
        try withBusyTimeout {
            let current = try MigrationRecords.highestNumber(in: connection)
            guard current <= desiredSchemaVersion else {
                throw MigratorError.newer("version \(current)")
            }

            let audit = ForeignKeyAudit(connection)
            var count: UInt64 = 0
            for previous in current..<desiredSchemaVersion {
                let version = previous + 1
                let hasRun = try apply(Migration(number: version), audit: audit) {
                    willMigrateToSchemaVersion?(version)
                    try migrateDatabaseToSchemaVersion(version, connection)
                }
                guard hasRun else { continue }
                count += 1
                didMigrateToSchemaVersion?(version)
            }
            return count
        }
    }
}

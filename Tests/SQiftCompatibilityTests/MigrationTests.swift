import Foundation
import SQift
import Testing

// The migrator and backups, used as with SQift 5.1.
struct MigrationTests {
    private let connection: Connection

    init() throws {
        connection = try Connection(storageLocation: .inMemory)
    }

    private func sql(for version: UInt64) -> String {
        switch version {
        case 1:
            return "CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT, type TEXT, price INTEGER)"
        case 2:
            return """
                CREATE TABLE persons(id INTEGER PRIMARY KEY, name TEXT NOT NULL, address TEXT);
                INSERT INTO persons(name) VALUES('Christian');
                """
        default:
            return "ALTER TABLE cars ADD COLUMN color TEXT"
        }
    }

    @Test func migrationsOfSQL() throws {
        var will: [UInt64] = []
        var did: [UInt64] = []
        let migrator = Migrator(connection: connection, desiredSchemaVersion: 2)
        #expect(migrator.migrationRequired)

        let count: UInt64 = try migrator.runMigrationsIfNecessary(
            migrationSQLForSchemaVersion: { version in
                var SQL = ""
                switch version {
                case 1, 2: SQL = sql(for: version)
                default: break
                }
                return SQL
            },
            willMigrateToSchemaVersion: { version in will.append(version) },
            didMigrateToSchemaVersion: { version in did.append(version) }
        )
        #expect(count == 2)
        #expect(will == [1, 2])
        #expect(did == [1, 2])
        #expect(migrator.desiredSchemaVersion == 2)
        #expect(migrator.currentSchemaVersion == 2)
        #expect(!migrator.migrationRequired)

        let next = Migrator(connection: connection, desiredSchemaVersion: 3)
        if next.migrationRequired {
            try next.runMigrationsIfNecessary(migrationSQLForSchemaVersion: sql(for:))
        }
        let versions: [Int64] = try connection.query("SELECT version FROM schema_migrations")
        #expect(versions == [1, 2, 3])
    }

    @Test func migrationsByClosures() throws {
        let migrator = Migrator(connection: connection, desiredSchemaVersion: 3)
        var totalMigrationsCompleted: UInt64 = 0
        var will: [UInt64] = []
        var did: [UInt64] = []
        do {
            totalMigrationsCompleted = try migrator.runMigrationsIfNecessary(
                migrateDatabaseToSchemaVersion: { version, connection in
                    try connection.transaction {
                        try connection.execute(sql(for: version))
                    }
                    if version == 2 {
                        try connection.savepoint(named: "more") {
                            try connection.run("INSERT INTO persons(name) VALUES(?)", "Eric")
                        }
                    }
                },
                willMigrateToSchemaVersion: { will.append($0) },
                didMigrateToSchemaVersion: { did.append($0) }
            )
        } catch let error as SQLiteError {
            Issue.record("\(error.code) \(error.message)")
        }
        #expect(totalMigrationsCompleted == 3)
        #expect(will == [1, 2, 3])
        #expect(did == [1, 2, 3])
        let persons: [String] = try connection.query("SELECT name FROM persons")
        #expect(persons == ["Christian", "Eric"])
    }

    @Test func trailingClosuresAndDefaults() throws {
        let migrator = Migrator(connection: connection, desiredSchemaVersion: 1)
        #expect(
            try migrator.runMigrationsIfNecessary(migrationSQLForSchemaVersion: {
                self.sql(for: $0)
            }) == 1
        )
        let again = try migrator.runMigrationsIfNecessary(
            migrateDatabaseToSchemaVersion: { _, _ in },
            didMigrateToSchemaVersion: { _ in }
        )
        #expect(again == 0)
    }

    @Test func aFailureThrowsSQLitesError() throws {
        let migrator = Migrator(connection: connection, desiredSchemaVersion: 2)
        do {
            try migrator.runMigrationsIfNecessary(migrationSQLForSchemaVersion: { version in
                version == 1 ? self.sql(for: 1) : "CREATE NONSENSE"
            })
            Issue.record("nothing was thrown")
        } catch let error as SQLiteError {
            #expect(error.code == 1)
        }
        #expect(migrator.currentSchemaVersion == 1)
    }

    class LoggingMigrator: Migrator {
        var log: [String] = []

        override var migrationRequired: Bool {
            log.append("asked")
            return super.migrationRequired
        }

        @discardableResult
        override func runMigrationsIfNecessary(
            migrateDatabaseToSchemaVersion: (UInt64, Connection) throws -> Void,
            willMigrateToSchemaVersion: ((UInt64) -> Void)? = nil,
            didMigrateToSchemaVersion: ((UInt64) -> Void)? = nil
        ) throws -> UInt64 {
            log.append("run")
            return try super.runMigrationsIfNecessary(
                migrateDatabaseToSchemaVersion: migrateDatabaseToSchemaVersion,
                willMigrateToSchemaVersion: willMigrateToSchemaVersion,
                didMigrateToSchemaVersion: didMigrateToSchemaVersion
            )
        }
    }

    @Test func aSubclass() throws {
        let migrator = LoggingMigrator(connection: connection, desiredSchemaVersion: 1)
        #expect(migrator.migrationRequired)
        try migrator.runMigrationsIfNecessary(migrateDatabaseToSchemaVersion: {
            try $1.execute(self.sql(for: $0))
        })
        #expect(migrator.log == ["asked", "run"])
    }

    @available(*, deprecated)
    @Test func aMigratedDatabaseOnItsQueue() throws {
        let path = temporaryPath()
        defer { removeDatabase(path) }
        let database = try Database(storageLocation: .onDisk(path))
        try database.executeWrite { connection in
            let migrator = Migrator(connection: connection, desiredSchemaVersion: 2)
            try migrator.runMigrationsIfNecessary(migrationSQLForSchemaVersion: {
                self.sql(for: $0)
            })
        }
        try database.executeRead { connection in
            let count: Int = try connection.query("SELECT count(*) FROM persons")
            #expect(count == 1)
        }
    }

    // MARK: Backups

    private func fill() throws {
        try connection.execute("CREATE TABLE t(x)")
        for number in 0..<100 {
            try connection.run(
                "INSERT INTO t VALUES(?)",
                "\(number)" + String(repeating: "x", count: 500)
            )
        }
    }

    @Test func aBackupCompletes() throws {
        try fill()
        let destination = try Connection(storageLocation: .inMemory)
        let done = DispatchSemaphore(value: 0)
        var result: Connection.BackupResult?
        let progress = try connection.backup(
            to: destination,
            pageSize: 5,
            completionQueue: .global()
        ) { backupResult in
            result = backupResult
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(progress.isFinished)
        #expect(progress.completedUnitCount == progress.totalUnitCount)
        switch result {
        case .success?: break
        case .cancelled?: Issue.record("cancelled")
        case let .failure(error)?: Issue.record("\(error)")
        case nil: Issue.record("no result")
        }
        #expect(result?.isSuccess == true)
        #expect(result?.isFailure == false)
        #expect(result?.isCancelled == false)
        let count: Int = try destination.query("SELECT count(*) FROM t")
        #expect(count == 100)
    }

    @Test func aBackupIsPausedAndCancelled() throws {
        try fill()
        let destination = try Connection(storageLocation: .inMemory)
        let done = DispatchSemaphore(value: 0)
        var result: Connection.BackupResult?
        let backupQueue = DispatchQueue(label: "backup")
        backupQueue.suspend()
        let progress = try connection.backup(
            databaseNamed: "main",
            to: destination,
            as: "main",
            pageSize: 1,
            backupQueue: backupQueue,
            completionQueue: DispatchQueue(label: "completion"),
            completion: {
                result = $0
                done.signal()
            }
        )
        progress.pause()
        #expect(progress.isPaused)
        progress.resume()
        progress.cancel()
        backupQueue.resume()
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(result?.isCancelled == true)
        #expect(progress.isCancelled)
    }
}

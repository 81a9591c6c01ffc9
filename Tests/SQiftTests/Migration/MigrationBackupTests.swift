import Foundation
import SQift
import SQiftTestSupport
import Testing

// A backup of the database before the first migration.
struct MigrationBackupTests {
    private let folder = TemporaryFolder.fresh
    private let connection: Connection
    private var backup: String { folder.path("backup.sqlite") }

    init() throws {
        connection = try folder.connection()
        try connection.execute(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON"
        )
        try migrate(connection, Array(Garage.migrations.prefix(2)))
    }

    private var migrator: Migrator {
        connection.migrator(Garage.migrations)
    }

    @Test func theFileIsTheStateBeforeTheRun() throws {
        let before = try Contents(connection)
        let report = try migrator.run(backupTo: .onDisk(backup))
        #expect(report.migrations == Array(Garage.names.dropFirst(2)))
        #expect(try enforcesForeignKeys(connection))

        let copy = try Connection(path: backup)
        #expect(try Contents(copy) == before)
        try expectSound(copy)
        // It is a database to go on with.
        try migrate(copy, Garage.migrations)
        #expect(try Contents(copy) == Contents(connection))
    }

    @Test func nothingPendingNeedsNoBackup() throws {
        try migrator.run()
        #expect(try migrator.run(backupTo: .onDisk(backup)).migrations == [])
        #expect(!FileManager.default.fileExists(atPath: backup))
    }

    @Test func aRunThatIsRefusedMakesNoBackup() throws {
        migratorError(.databaseIsNewer) {
            try connection.migrator([creating("a")]).run(
                backupTo: .onDisk(backup)
            )
        }
        migratorError(.inconsistent) {
            try migrator.run(upTo: "nowhere", backupTo: .onDisk(backup))
        }
        #expect(!FileManager.default.fileExists(atPath: backup))
    }

    @Test func theBackupStaysWhenAMigrationFails() throws {
        let before = try Contents(connection)
        let migrations = Garage.migrations + [Migration("fails", sql: "nonsense")]
        migratorError(.failed) {
            try connection.migrator(migrations).run(
                backupTo: .onDisk(backup)
            )
        }
        #expect(try Contents(connection).names == Garage.names)
        #expect(try Contents(Connection(path: backup)) == before)
    }

    @Test func anOlderBackupIsReplaced() throws {
        try migrator.run(upTo: Garage.names[2], backupTo: .onDisk(backup))
        let before = try Contents(connection)
        try migrator.run(backupTo: .onDisk(backup))
        #expect(try Contents(Connection(path: backup)) == before)
    }

    /// Expects that nothing is migrated because the backup can't be made.
    private func expectRefused(
        _ reason: BackupError.Reason?,
        _ location: StorageLocation,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try Contents(connection)
        do {
            try migrator.run(backupTo: location, willRun: { _ in recordCall() })
            Issue.record("the backup was made", sourceLocation: sourceLocation)
        } catch let error as BackupError {
            #expect(error.reason == reason, sourceLocation: sourceLocation)
        } catch let error as SQLiteError where reason == nil {
            #expect(!error.message.isEmpty)
        }
        let after = try Contents(connection)
        #expect(after == before, sourceLocation: sourceLocation)
        let isEnforced = try enforcesForeignKeys(connection)
        #expect(isEnforced, sourceLocation: sourceLocation)
        #expect(!connection.isInsideTransaction, sourceLocation: sourceLocation)
    }

    @Test func aDestinationInUseKeepsTheDatabaseAsItIs() throws {
        let user = try Connection(path: backup)
        try user.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(x); BEGIN; SELECT * FROM t")
        try expectRefused(.destinationInUse, .onDisk(backup))
        try expectRows(0, on: user)
        try user.execute("COMMIT")
        try user.close()
        #expect(
            try migrator.run(backupTo: .onDisk(backup)).migrations.count == Garage.stages.count - 2
        )
    }

    @Test func anUnsuitableDestinationKeepsTheDatabaseAsItIs() throws {
        try expectRefused(.unsuitableDestination, .inMemory)
        try expectRefused(.unsuitableDestination, .temporary)
        try expectRefused(.unsuitableDestination, .onDisk(folder.url.path))
        try write("This is a letter, and no database at all.", toFile: backup)
        try expectRefused(.unsuitableDestination, .onDisk(backup))
        try expectRefused(.sameDatabase, .onDisk(folder.path()))
        try expectRefused(nil, .onDisk(folder.path("there/is/no/such/folder")))
    }

    @Test func aDatabaseInMemoryCanBeBackedUp() throws {
        let connection = try Garage.database(after: 3)
        let before = try Contents(connection)
        try connection.migrator(Garage.migrations).run(
            backupTo: .onDisk(backup)
        )
        #expect(try Contents(Connection(path: backup)) == before)
    }

    @Test func anEmptyDatabaseCanBeBackedUp() throws {
        let empty = try Connection(path: folder.path("empty.sqlite"))
        let report = try empty.migrator(Garage.migrations).run(
            backupTo: .onDisk(backup)
        )
        #expect(report.migrations == Garage.names)
        #expect(try Contents(Connection(path: backup)) == Garage().states[0])
    }
}

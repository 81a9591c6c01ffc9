import Foundation
import SQift
import SQiftTestSupport
import Testing

/// A database that has lost its tables doesn't replace a backup that has them.
struct BackupEmptySourceTests {
    private let folder: TemporaryFolder
    private let copy: StorageLocation

    init() throws {
        folder = try TemporaryFolder()
        copy = .onDisk(folder.path("copy.sqlite"))
    }

    /// Makes the good backup.
    private func makeCopy() throws {
        let connection = try Connection(storageLocation: copy, configuration: .init())
        try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES(7)")
        try connection.close()
    }

    private func expectCopy() throws {
        let connection = try Connection(storageLocation: copy, configuration: .init())
        #expect(try connection.query("SELECT x FROM t") == 7)
        try connection.close()
    }

    private func expectRefused(_ error: BackupError?) {
        #expect(error?.reason == .emptySource)
        #expect(error?.message.contains("delete the old backup first") == true)
    }

    @Test(arguments: [Database.Configuration.JournalMode.wal, .delete, .unchanged])
    func aDatabaseWithoutASchemaDoesNotReplaceABackupWithOne(
        mode: Database.Configuration.JournalMode
    ) async throws {
        try makeCopy()
        var configuration = Database.Configuration()
        configuration.journalMode = mode
        let database = try Database(path: folder.path(), configuration: configuration)
        try await database.write { try $0.run("PRAGMA user_version = 3") }

        expectRefused(backupError { try database.backup(to: copy) })
        let error = await expectTaskThrows(BackupError.self) { try await database.backup(to: copy) }
        expectRefused(error)
        try expectCopy()
    }

    @Test func norDoesOneInMemoryOrOneThatIsOnlyRead() throws {
        try makeCopy()
        let memory = try Database.inMemory()
        expectRefused(backupError { try memory.backup(to: copy) })

        try Data().write(to: URL(fileURLWithPath: folder.path()))
        var configuration = Database.Configuration()
        configuration.accessMode = .readOnly()
        let readOnly = try Database(path: folder.path(), configuration: configuration)
        expectRefused(backupError { try readOnly.backup(to: copy) })
        try expectCopy()
    }

    @Test func whereThereIsNothingToLoseItIsBackedUp() throws {
        let empty = try Database(path: folder.path())
        for _ in 0..<2 {
            try empty.backup(to: copy)
        }
        try makeCopy()
        try empty.execute("CREATE VIEW v AS SELECT 1")
        try empty.backup(to: copy)
        let connection = try Connection(storageLocation: copy, configuration: .init())
        #expect(try connection.query("SELECT name FROM sqlite_schema") == "v")
    }

    @Test func aMigratorMakesNoBackupOfANewDatabase() throws {
        try makeCopy()
        let connection = try Connection(path: folder.path())
        let migrations = [Migration("one", sql: "CREATE TABLE u(x)")]
        try Migrator(connection: connection, migrations: migrations).run(backupTo: copy)
        try expectCopy()
        let other = StorageLocation.onDisk(folder.path("other.sqlite"))
        let more = migrations + [Migration("two", sql: "CREATE TABLE v(x)")]
        try Migrator(connection: connection, migrations: more).run(backupTo: other)
        #expect(try Connection(path: other.path).query("SELECT count(*) FROM u") == 0)
    }

    @Test func aBackupWithoutASchemaIsNotRestored() throws {
        let empty = try Connection(storageLocation: copy, configuration: .init())
        try empty.run("PRAGMA user_version = 3")
        try empty.close()
        let database = try Database(path: folder.path())
        try database.execute("CREATE TABLE t(x)")
        let error = backupError { try database.restore(from: copy) }
        #expect(error?.reason == .damaged)
        #expect(error?.message.contains("is empty, and no backup of a database") == true)
        #expect(try rows(database) == 0)
    }
}

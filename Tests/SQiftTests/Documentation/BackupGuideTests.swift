import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Whether a backup is one of this app's, and not of a newer version.
func isRestorable(_ path: String, with migrations: [Migration]) throws -> Bool {
    var configuration = Connection.Configuration()
    configuration.readOnly = true
    let backup = try Connection(path: path, configuration: configuration)
    let applicationID: Int = try backup.query("PRAGMA application_id")
    let unknown = try Migrator(connection: backup, migrations: migrations).unknown()
    return applicationID == 1_130_459_763 && unknown.isEmpty
}

/// The blocks of Docs/Backup.md.
struct BackupGuideTests {
    private let folder: TemporaryFolder
    private let database: Database
    private let backupPath: String

    init() throws {
        folder = try TemporaryFolder()
        backupPath = folder.path("backup.sqlite")
        database = try Database(path: folder.path())
        try database.write {
            try $0.execute("CREATE TABLE cars(name TEXT); INSERT INTO cars VALUES('Audi')")
        }
    }

    @Test func aBackupAndItsRestoring() async throws {
        try await database.backup(to: .onDisk(backupPath)) { progress in
            print("\(Int(progress.fractionCompleted * 100)) %")
        }

        try await database.write { try $0.run("DELETE FROM cars") }
        try await database.restore(from: .onDisk(backupPath))

        let count: Int = try await database.read { try $0.query("SELECT count(*) FROM cars") }
        #expect(count == 1)
    }

    @Test func aBackupOfOneself() throws {
        let first = Migration("1", sql: "PRAGMA application_id = 1130459763; CREATE TABLE a(x)")
        let second = Migration("2", sql: "CREATE TABLE b(x)")
        let path = folder.path("own.sqlite")
        try Migrator(connection: Connection(path: path), migrations: [first, second]).run()
        try database.executeWrite { try $0.backup(to: Connection(path: backupPath)) }

        #expect(try isRestorable(path, with: [first, second]))
        #expect(try !isRestorable(path, with: [first]))
        #expect(try !isRestorable(backupPath, with: [first, second]))
    }

    @Test func aSchedule() async throws {
        func backUpDaily(_ database: Database, in folder: URL, keeping count: Int) async throws {
            let day = Date.now.formatted(.iso8601.year().month().day())
            try await database.backup(
                to: .onDisk(folder.appendingPathComponent("cars-\(day).sqlite").path)
            )
            let backups = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { $0.hasPrefix("cars-") }.sorted()
            for name in backups.dropLast(count) {
                try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
            }
        }

        let backups = folder.url.appendingPathComponent("backups")
        try FileManager.default.createDirectory(at: backups, withIntermediateDirectories: true)
        for day in 1...3 {
            try Data().write(to: backups.appendingPathComponent("cars-2001-01-0\(day).sqlite"))
        }
        try await backUpDaily(database, in: backups, keeping: 2)
        let names = try FileManager.default.contentsOfDirectory(atPath: backups.path).sorted()
        #expect(names.count == 2)
        #expect(names.first == "cars-2001-01-03.sqlite")
    }

    @Test func betweenConnections() throws {
        let copyPath = folder.path("copy.sqlite")
        let connection = try Connection(path: folder.path())
        try connection.attachDatabase(from: .inMemory, withName: "archive")
        try connection.execute("CREATE TABLE archive.old(x)")

        let memory = try Connection()
        try connection.backup(to: memory)  // from the file into memory
        try memory.backup(to: Connection(path: copyPath))  // and back to a file
        try connection.backup(databaseNamed: "archive", to: memory)  // an attached database

        #expect(try Connection(path: copyPath).query("SELECT name FROM cars") == "Audi")
        #expect(try memory.tableExists("old"))
    }

    @Test func stepByStep() throws {
        let connection = try Connection(path: folder.path())
        let copy = try Connection()
        let backup = try Backup(from: connection, to: copy)
        while try backup.step(pages: 100) {
            print(backup.remainingPageCount, "pages left")
        }
        try backup.finish()

        #expect(try copy.query("SELECT name FROM cars") == "Audi")
    }

    @Test func inTheBackground() throws {
        let connection = try Connection(path: folder.path())
        let copy = try Connection()
        let progress = try connection.backup(to: copy, completionQueue: .global()) { result in
            print(result.isSuccess)
        }
        progress.pause()  // resume(), cancel()
        progress.resume()

        // The completion is the moment from which the copy may be used: another one tells when it
        // was.
        progress.cancel()
        let other = try Connection()
        let isDone = DispatchSemaphore(value: 0)
        try connection.backup(to: other, completionQueue: .global()) { _ in isDone.signal() }
        isDone.wait()
        #expect(try other.query("SELECT name FROM cars") == "Audi")
    }
}

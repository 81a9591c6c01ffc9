import Foundation
import SQift
import SQiftTestSupport
import Testing

struct PersistentWALTests {
    private let folder = TemporaryFolder.fresh

    /// Opens a database with a WAL that has content.
    private func open(_ name: String = "test.sqlite") throws -> Connection {
        let connection = try Connection(path: folder.path(name))
        try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t(x)")
        return connection
    }

    @Test func theWALStaysOrGoesWithTheLastConnection() throws {
        for isPersistent in [false, true, false] {
            let connection = try open()
            try connection.setPersistentWAL(isPersistent)
            try connection.run("INSERT INTO t VALUES(1)")
            try connection.close()
            let others = try folder.files().filter { $0 != "test.sqlite" }
            #expect(others == (isPersistent ? ["test.sqlite-shm", "test.sqlite-wal"] : []))
        }
        #expect(try open().query("SELECT count(*) FROM t") == 3)
    }

    @Test func theLastConnectionDecides() throws {
        let (first, last) = (try open(), try open())
        try first.setPersistentWAL(true)
        try last.setPersistentWAL(false)
        try first.close()
        #expect(try folder.files().count == 3)
        try last.close()
        try folder.expectFiles("test.sqlite")
    }

    @Test func anAttachedDatabaseHasItsOwn() throws {
        try open("other.sqlite").close()
        let connection = try open()
        try connection.attachDatabase(from: .onDisk(folder.path("other.sqlite")), withName: "other")
        try connection.setPersistentWAL(false)
        try connection.setPersistentWAL(true, database: "other")
        try connection.execute("INSERT INTO main.t VALUES(1); INSERT INTO other.t VALUES(1)")
        try connection.close()
        let files = ["other.sqlite", "other.sqlite-shm", "other.sqlite-wal", "test.sqlite"]
        #expect(try folder.files() == files)
    }

    @Test func aDatabaseWithoutAFileIgnoresIt() throws {
        for location in [StorageLocation.inMemory, .temporary] {
            try Connection(storageLocation: location).setPersistentWAL(true)
        }
    }

    @Test func whatIsNotThereIsAnError() throws {
        let connection = try open()
        expectSQLiteError(containing: "other") {
            try connection.setPersistentWAL(true, database: "other")
        }
        expectSQLiteError(.misuse) { try connection.setPersistentWAL(true, database: "ma\0in") }
        try connection.close()
        expectSQLiteError(.misuse) { try connection.setPersistentWAL(true) }
    }
}

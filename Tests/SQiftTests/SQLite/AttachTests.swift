import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

struct AttachTests {
    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try Connection(path: folder.path("main.sqlite"))
        try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES('main')")
        try Connection(path: folder.path("other.sqlite"))
            .execute("CREATE TABLE t(x); INSERT INTO t VALUES('other'); CREATE TABLE u(y)")
    }

    private func names(on connection: Connection) throws -> [String] {
        try connection.query("SELECT name FROM pragma_database_list ORDER BY seq")
    }

    @Test func anAttachedDatabaseIsReachedByItsName() throws {
        try connection.attachDatabase(from: .onDisk(folder.path("other.sqlite")), withName: "b")
        let texts: [String] = try connection.query(
            "SELECT x FROM main.t UNION ALL SELECT x FROM b.t"
        )
        #expect(texts == ["main", "other"])
        try connection.run("INSERT INTO u VALUES(1)")
        try #expect(count("u", on: Connection(path: folder.path("other.sqlite"))) == 1)
    }

    @Test func aURIMayNameAnotherVFSThanTheConnections() throws {
        var configuration = Connection.Configuration()
        configuration.vfs = "unix-dotfile"
        let path = folder.path("third.sqlite")
        let connection = try Connection(path: path, configuration: configuration)
        let uri = "file:\(folder.path("other.sqlite"))?vfs=unix"
        try connection.attachDatabase(from: .uri(uri), withName: "b")
        #expect(try connection.query("SELECT x FROM b.t") == "other")
    }

    @Test func detachingMakesTheNameUnknown() throws {
        try connection.attachDatabase(from: .onDisk(folder.path("other.sqlite")), withName: "b")
        let _: [String] = try connection.query("SELECT x FROM b.t")
        try connection.detachDatabase(named: "b")
        try #expect(names(on: connection) == ["main"])
        #expect(
            sqliteError { try connection.run("SELECT x FROM b.t") }?.message == "no such table: b.t"
        )

        try connection.attachDatabase(from: .inMemory, withName: "b")
        #expect(throws: SQLiteError.self) { try connection.run("SELECT x FROM b.t") }
    }

    @Test func memoryAndTemporaryDatabasesAreNewOnes() throws {
        try connection.attachDatabase(from: .inMemory, withName: "m")
        try connection.attachDatabase(from: .temporary, withName: "n")
        try connection.execute(
            "CREATE TABLE m.a(x); CREATE TABLE n.a(x); INSERT INTO m.a VALUES(1)"
        )
        try #expect(count("m.a", on: connection) == 1)
        try #expect(count("n.a", on: connection) == 0)
        try #expect(names(on: connection) == ["main", "m", "n"])
    }

    @Test(arguments: ["new.sqlite", "it's \"quoted\"%41?mode=memory#x.sqlite"])
    func aMissingFileIsCreatedWhateverItsName(name: String) throws {
        let path = folder.path(name)
        try connection.attachDatabase(from: .onDisk(path), withName: "b")
        try connection.execute("CREATE TABLE b.a(x)")
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: [
        "a b", "it's", "\"", "x\"\u{301}; DROP TABLE t; --", "'\u{301}", "日本😀", "select", "1",
        "b'; DETACH DATABASE main; --",
    ])
    func anyNameWorks(name: String) throws {
        try connection.attachDatabase(from: .onDisk(folder.path("other.sqlite")), withName: name)
        try #expect(names(on: connection) == ["main", name])
        let text: String = try connection.query("SELECT x FROM \(name.sqift.quotedIdentifier).t")
        #expect(text == "other")
        try connection.detachDatabase(named: name)
        try #expect(names(on: connection) == ["main"])
        try #expect(count("t", on: connection) == 1)
    }

    @Test func aPathThatLooksLikeAURIStaysAPath() throws {
        let path = "file:SQiftTests-\(UUID().uuidString)?mode=memory"
        defer { try? FileManager.default.removeItem(atPath: path) }
        for opener in [connection, try Connection(storageLocation: .uri("file:x?mode=memory"))] {
            try opener.attachDatabase(from: .onDisk(path), withName: "b")
            try opener.execute("CREATE TABLE IF NOT EXISTS b.a(x)")
            #expect(FileManager.default.fileExists(atPath: path))
            let file: String = try opener.query(
                "SELECT file FROM pragma_database_list WHERE name = 'b'"
            )
            #expect(file.hasSuffix("/" + path))
            try opener.detachDatabase(named: "b")
        }
    }

    @Test func aURIIsTakenApartByAConnectionThatTakesThem() throws {
        let opener = try Connection(storageLocation: .uri("file:x?mode=memory"))
        let path = folder.path("other.sqlite")
        try opener.attachDatabase(from: .uri("file:\(path)?mode=ro"), withName: "b")
        try #expect(count("b.t", on: opener) == 1)
        #expect(sqliteError { try opener.run("DELETE FROM b.t") }?.resultCode == .readOnly)
    }

    @Test func aURIIsNeverReadAsAPath() throws {
        let uri = "file:SQiftTests-\(UUID().uuidString)?mode=memory"
        defer { try? FileManager.default.removeItem(atPath: uri) }
        // Whether it works depends on how SQLite was built and the connection was opened.
        do {
            try connection.attachDatabase(from: .uri(uri), withName: "b")
            try connection.execute("CREATE TABLE b.a(x)")
        } catch let error as SQLiteError {
            #expect(error.resultCode == .misuse)
        }
        #expect(!FileManager.default.fileExists(atPath: uri))
    }

    // MARK: Failing

    @Test(arguments: ["", ":memory:", "a\0b"])
    func aPathThatSQLiteWouldTakeForSomethingElseIsRefused(path: String) throws {
        let error = sqliteError {
            try connection.attachDatabase(from: .onDisk(path), withName: "b")
        }
        #expect(error?.resultCode == .misuse)
        try #expect(names(on: connection) == ["main"])
    }

    @Test func whatCannotBeOpenedThrows() throws {
        let missing = sqliteError {
            try connection.attachDatabase(
                from: .onDisk(folder.path("missing/a.sqlite")),
                withName: "b"
            )
        }
        #expect(missing?.resultCode == .cantOpen)
        let path = folder.path("text")
        try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: path))
        let text = sqliteError { try connection.attachDatabase(from: .onDisk(path), withName: "b") }
        #expect(text?.resultCode == .notADatabase)
        try #expect(names(on: connection) == ["main"])
    }

    @Test func aReadOnlyConnectionAttachesForReading() throws {
        let reader = try Connection(
            storageLocation: .onDisk(folder.path("main.sqlite")),
            readOnly: true
        )
        try reader.attachDatabase(from: .onDisk(folder.path("other.sqlite")), withName: "b")
        try #expect(count("b.t", on: reader) == 1)
        #expect(sqliteError { try reader.run("DELETE FROM b.t") }?.resultCode == .readOnly)
        #expect(throws: SQLiteError.self) {
            try reader.attachDatabase(from: .onDisk(folder.path("missing.sqlite")), withName: "c")
        }
    }

    @Test func namesInUseAndUnknownNamesThrow() throws {
        try connection.attachDatabase(from: .inMemory, withName: "b")
        for name in ["b", "B", "main", "temp"] {
            let error = sqliteError {
                try connection.attachDatabase(from: .inMemory, withName: name)
            }
            #expect(error?.message.contains("already in use") == true)
        }
        #expect(
            sqliteError { try connection.detachDatabase(named: "nowhere") }?.message.contains(
                "no such database"
            )
                == true
        )
        #expect(throws: SQLiteError.self) { try connection.detachDatabase(named: "main") }
        try #expect(names(on: connection) == ["main", "b"])
    }

    @Test func aDatabaseInUseIsNotDetached() throws {
        try connection.attachDatabase(from: .onDisk(folder.path("other.sqlite")), withName: "b")
        try connection.forEachRow("SELECT x FROM b.t") { row in
            let error = sqliteError { try connection.detachDatabase(named: "b") }
            #expect(error?.message.contains("locked") == true)
            try #expect(row.get(0) == "other")
        }
        try connection.detachDatabase(named: "b")
    }

    @Test func aPreparedStatementOfADetachedDatabaseThrows() throws {
        try connection.attachDatabase(from: .onDisk(folder.path("other.sqlite")), withName: "b")
        let statement = try connection.prepare("SELECT x FROM b.t")
        let text: String = try statement.query()
        #expect(text == "other")
        try connection.detachDatabase(named: "b")
        #expect(throws: SQLiteError.self) { let _: String = try statement.query() }
        try connection.attachDatabase(from: .onDisk(folder.path("other.sqlite")), withName: "b")
        let again: String = try statement.query()
        #expect(again == "other")
    }

    @Test func aTransactionSpansAttachedDatabases() throws {
        try connection.attachDatabase(from: .onDisk(folder.path("other.sqlite")), withName: "b")
        #expect(throws: TestError.self) {
            try connection.transaction {
                try connection.run("DELETE FROM main.t")
                try connection.run("DELETE FROM b.t")
                throw TestError()
            }
        }
        try #expect(count("main.t", on: connection) == 1)
        try #expect(count("b.t", on: connection) == 1)
    }

    @Test func detachingInsideATransactionThatUsesItThrows() throws {
        try connection.attachDatabase(from: .onDisk(folder.path("other.sqlite")), withName: "b")
        try connection.transaction {
            try connection.run("INSERT INTO b.t VALUES('kept')")
            _ = sqliteError { try connection.detachDatabase(named: "b") }
        }
        try #expect(count("b.t", on: connection) == 2)
        try connection.detachDatabase(named: "b")
    }

    @Test func aNameWithANULByteIsRefused() throws {
        let connection = try Connection()
        let attaching = sqliteError {
            try connection.attachDatabase(from: .inMemory, withName: "a\0b")
        }
        #expect(attaching?.resultCode == .misuse)
        try connection.attachDatabase(from: .inMemory, withName: "a")
        let detaching = sqliteError { try connection.detachDatabase(named: "a\0b") }
        #expect(detaching?.resultCode == .misuse)
    }
}

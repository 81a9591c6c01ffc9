import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

struct AttachTests {
    private let folder = TemporaryFolder.fresh
    private let connection: Connection

    init() throws {
        connection = try Connection(path: folder.path("main.sqlite"))
        try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES('main')")
        try Connection(path: folder.path("other.sqlite"))
            .execute("CREATE TABLE t(x); INSERT INTO t VALUES('other'); CREATE TABLE u(y)")
    }

    private func names(on connection: Connection) throws -> [String] {
        try connection.query("SELECT name FROM pragma_database_list ORDER BY seq")
    }

    private func attachOther() throws {
        try connection.attachDatabase(from: .onDisk(folder.path("other.sqlite")), withName: "b")
    }

    @Test func anAttachedDatabaseIsReachedByItsName() throws {
        try attachOther()
        let texts: [String] = try connection.query(
            "SELECT x FROM main.t UNION ALL SELECT x FROM b.t"
        )
        #expect(texts == ["main", "other"])
        try connection.run("INSERT INTO u VALUES(1)")
        try expectRows(1, of: "u", on: Connection(path: folder.path("other.sqlite")))
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
        try attachOther()
        let _: [String] = try connection.query("SELECT x FROM b.t")
        try connection.detachDatabase(named: "b")
        try #expect(names(on: connection) == ["main"])
        expectSQLiteError(message: "no such table: b.t") { try connection.run("SELECT x FROM b.t") }

        try connection.attachDatabase(from: .inMemory, withName: "b")
        expectSQLiteError { try connection.run("SELECT x FROM b.t") }
    }

    @Test func memoryAndTemporaryDatabasesAreNewOnes() throws {
        try connection.attachDatabase(from: .inMemory, withName: "m")
        try connection.attachDatabase(from: .temporary, withName: "n")
        try connection.execute(
            "CREATE TABLE m.a(x); CREATE TABLE n.a(x); INSERT INTO m.a VALUES(1)"
        )
        try expectRows(1, of: "m.a", on: connection)
        try expectRows(0, of: "n.a", on: connection)
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
        #expect(try connection.query("SELECT x FROM \(name.sqift.quotedIdentifier).t") == "other")
        try connection.detachDatabase(named: name)
        try #expect(names(on: connection) == ["main"])
        try expectRows(1, on: connection)
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
        try expectRows(1, of: "b.t", on: opener)
        expectSQLiteError(.readOnly) { try opener.run("DELETE FROM b.t") }
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
        expectSQLiteError(.misuse) {
            try connection.attachDatabase(from: .onDisk(path), withName: "b")
        }
        try #expect(names(on: connection) == ["main"])
    }

    @Test func whatCannotBeOpenedThrows() throws {
        expectSQLiteError(.cantOpen) {
            try connection.attachDatabase(
                from: .onDisk(folder.path("missing/a.sqlite")),
                withName: "b"
            )
        }
        let path = folder.path("text")
        try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: path))
        expectSQLiteError(.notADatabase) {
            try connection.attachDatabase(from: .onDisk(path), withName: "b")
        }
        try #expect(names(on: connection) == ["main"])
    }

    @Test func aReadOnlyConnectionAttachesForReading() throws {
        let reader = try Connection(
            storageLocation: .onDisk(folder.path("main.sqlite")),
            readOnly: true
        )
        try reader.attachDatabase(from: .onDisk(folder.path("other.sqlite")), withName: "b")
        try expectRows(1, of: "b.t", on: reader)
        expectSQLiteError(.readOnly) { try reader.run("DELETE FROM b.t") }
        expectSQLiteError {
            try reader.attachDatabase(from: .onDisk(folder.path("missing.sqlite")), withName: "c")
        }
    }

    @Test func namesInUseAndUnknownNamesThrow() throws {
        try connection.attachDatabase(from: .inMemory, withName: "b")
        for name in ["b", "B", "main", "temp"] {
            expectSQLiteError(containing: "already in use") {
                try connection.attachDatabase(from: .inMemory, withName: name)
            }
        }
        expectSQLiteError(containing: "no such database") {
            try connection.detachDatabase(named: "nowhere")
        }
        expectSQLiteError { try connection.detachDatabase(named: "main") }
        try #expect(names(on: connection) == ["main", "b"])
    }

    @Test func aDatabaseInUseIsNotDetached() throws {
        try attachOther()
        try connection.forEachRow("SELECT x FROM b.t") { row in
            expectSQLiteError(containing: "locked") { try connection.detachDatabase(named: "b") }
            try #expect(row.get(0) == "other")
        }
        try connection.detachDatabase(named: "b")
    }

    @Test func aPreparedStatementOfADetachedDatabaseThrows() throws {
        try attachOther()
        let statement = try connection.prepare("SELECT x FROM b.t")
        #expect(try statement.query() == "other")
        try connection.detachDatabase(named: "b")
        expectSQLiteError { let _: String = try statement.query() }
        try attachOther()
        #expect(try statement.query() == "other")
    }

    @Test func aTransactionSpansAttachedDatabases() throws {
        try attachOther()
        expectThrows(TestError.self) {
            try connection.transaction {
                try connection.run("DELETE FROM main.t")
                try connection.run("DELETE FROM b.t")
                throw TestError()
            }
        }
        try expectRows(1, of: "main.t", on: connection)
        try expectRows(1, of: "b.t", on: connection)
    }

    @Test func detachingInsideATransactionThatUsesItThrows() throws {
        try attachOther()
        try connection.transaction {
            try connection.run("INSERT INTO b.t VALUES('kept')")
            expectSQLiteError { try connection.detachDatabase(named: "b") }
        }
        try expectRows(2, of: "b.t", on: connection)
        try connection.detachDatabase(named: "b")
    }

    @Test func aNameWithANULByteIsRefused() throws {
        let connection = try Connection()
        expectSQLiteError(.misuse) {
            try connection.attachDatabase(from: .inMemory, withName: "a\0b")
        }
        try connection.attachDatabase(from: .inMemory, withName: "a")
        expectSQLiteError(.misuse) { try connection.detachDatabase(named: "a\0b") }
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

struct VacuumIntoTests {
    private let folder = TemporaryFolder.fresh
    private let connection: Connection

    init() throws {
        connection = try folder.connection()
        try connection.execute(
            "CREATE TABLE t(x); INSERT INTO t VALUES(zeroblob(200000)), ('kept')"
        )
    }

    private func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path)
    }

    @Test func theCopyIsCompactAndOneFile() throws {
        try connection.execute("PRAGMA journal_mode = WAL; DELETE FROM t WHERE x <> 'kept'")
        try connection.vacuum(into: .onDisk(folder.path("copy.sqlite")))
        let copy = try Connection(path: folder.path("copy.sqlite"))
        #expect(try copy.query("SELECT x FROM t") == "kept")
        try expectSound(copy)
        #expect(try copy.query("PRAGMA freelist_count") == 0)
        #expect(try copy.query("PRAGMA page_count") == 2)
        #expect(!exists(folder.path("copy.sqlite-wal")))
        #expect(try connection.query("PRAGMA freelist_count") as Int > 0)
    }

    @Test(.enabled(if: Capability.sharedMemory))
    func aNamedDatabaseInMemoryIsWrittenIntoAFile() throws {
        let memory = try Connection(storageLocation: .uri("file:/\(UUID().uuidString)?vfs=memdb"))
        try memory.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1), (2)")
        let path = folder.path("it's 50%41.sqlite")
        try memory.vacuum(into: .onDisk(path))
        try expectRows(2, on: Connection(path: path))
        for noPath in ["", ":memory:", "a\0b"] {
            let error = sqliteError { try memory.vacuum(into: .onDisk(noPath)) }
            #expect(error?.resultCode == .misuse, "\(noPath)")
        }
    }

    @Test func anEmptyFileIsFilled() throws {
        let path = folder.path("empty.sqlite")
        try Data().write(to: URL(fileURLWithPath: path))
        try connection.vacuum(into: .onDisk(path))
        try expectRows(2, on: Connection(path: path))
    }

    @Test func aFileThatIsNotEmptyIsLeftAlone() throws {
        for (name, content) in [
            ("text", Data("precious".utf8)), ("db", try contentOfADatabase()),
        ] {
            let url = URL(fileURLWithPath: folder.path(name))
            try content.write(to: url)
            expectSQLiteError { try connection.vacuum(into: .onDisk(url.path)) }
            #expect(try Data(contentsOf: url) == content)
        }
    }

    private func contentOfADatabase() throws -> Data {
        let path = folder.path("other.sqlite")
        try Connection(path: path).execute("CREATE TABLE a(x)")
        return try bytes(of: path)
    }

    @Test func copiesIntoMemoryAreRefused() throws {
        for location in [
            StorageLocation.inMemory, .temporary, .onDisk(""), .onDisk(":memory:"), .onDisk("a\0b"),
        ] {
            expectSQLiteError(.misuse) { try connection.vacuum(into: location) }
        }
    }

    @Test(arguments: [
        "it's.sqlite", "\"quoted\".sqlite", "'; DROP TABLE t; --", "日本😀?mode=memory#%41",
    ])
    func aPathIsAPath(name: String) throws {
        try connection.vacuum(into: .onDisk(folder.path(name)))
        #expect(exists(folder.path(name)))
        try expectRows(2, on: Connection(path: folder.path(name)))
    }

    @Test func aPathThatLooksLikeAURIStaysAPath() throws {
        let path = "file:SQiftTests-\(UUID().uuidString)?mode=memory"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try connection.vacuum(into: .onDisk(path))
        #expect(exists(path))
    }

    @Test func aURIIsTakenApartOrRefusedButNeverAPath() throws {
        let name = "copy-\(UUID().uuidString).sqlite"
        let uri = "file:\(folder.path(name))?cache=private"
        let opener = try Connection(storageLocation: .uri("file:\(folder.path())"))
        try opener.vacuum(into: .uri(uri))
        try expectRows(2, on: Connection(path: folder.path(name)))
        try FileManager.default.removeItem(atPath: folder.path(name))

        // Whether it works depends on how SQLite was built.
        if Connection.hasCompileOption("USE_URI") {
            try connection.vacuum(into: .uri(uri))
            #expect(exists(folder.path(name)))
        } else {
            expectSQLiteError(.misuse, containing: uri) { try connection.vacuum(into: .uri(uri)) }
        }
        #expect(!exists(uri))
    }

    @Test func insideATransactionItIsRefused() throws {
        try connection.transaction {
            try connection.run("INSERT INTO t VALUES(1)")
            expectSQLiteError { try connection.vacuum(into: .onDisk(folder.path("copy"))) }
            #expect(connection.isInsideTransaction)
        }
        try expectRows(3, on: connection)
    }

    @Test(arguments: ["other", "an \"other\"", "it's", "temp"])
    func otherDatabasesAreCopiedToo(database: String) throws {
        if database != "temp" {
            try connection.attachDatabase(from: .inMemory, withName: database)
        }
        try connection.execute("CREATE TABLE \(database.sqift.quotedIdentifier).u(x)")
        do {
            try connection.vacuum(into: .onDisk(folder.path("copy")), database: database)
        } catch let error as SQLiteError where ["temp", "it's"].contains(database) {
            // SQLite can't copy these, which is an error and no silence.
            return #expect(error.message != "")
        }
        let copy = try Connection(path: folder.path("copy"))
        #expect(try copy.tableExists("u"))
        #expect(try !copy.tableExists("t"))
    }

    @Test func whatCannotBeCopiedThrows() throws {
        expectSQLiteError(.cantOpen) {
            try connection.vacuum(into: .onDisk(folder.path("no/copy")))
        }
        expectSQLiteError(containing: "nowhere") {
            try connection.vacuum(into: .onDisk(folder.path("x")), database: "nowhere")
        }
    }
}

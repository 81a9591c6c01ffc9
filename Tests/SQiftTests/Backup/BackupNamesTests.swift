import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Which databases are copied, and which are refused.
struct BackupNamesTests {
    private let folder = TemporaryFolder.fresh
    private let source: Connection
    private let destination: Connection

    init() throws {
        source = try makeFile(at: folder.path())
        destination = try makeFile(at: folder.path("copy.sqlite"), rows: 7, with: "old")
    }

    /// Expects that all forms refuse to copy the file onto itself.
    private func expectRefused(
        _ one: Connection,
        _ name: String = "main",
        to other: Connection,
        as otherName: String = "main",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try contents(of: folder.url)
        let errors = [
            backupError({ _ = try Backup(from: one, databaseNamed: name, to: other, as: otherName) }
            ),
            backupError({ try one.backup(databaseNamed: name, to: other, as: otherName) }),
        ]
        for error in errors {
            #expect(error?.reason == .sameDatabase, sourceLocation: sourceLocation)
        }
        // SQift 5.1's form throws SQLite's own errors.
        let error = sqliteError {
            try one.backup(
                databaseNamed: name,
                to: other,
                as: otherName,
                completionQueue: .global()
            ) { _ in
                recordCall()
            }
        }
        #expect(error?.code == SQLITE_ERROR, sourceLocation: sourceLocation)
        #expect(
            error?.message.contains(folder.url.path) == true,
            sourceLocation: sourceLocation
        )
        #expect(try contents(of: folder.url) == before, sourceLocation: sourceLocation)
        #expect(try count("t", on: one) > 0, sourceLocation: sourceLocation)
        #expect(try count("t", on: other) > 0, sourceLocation: sourceLocation)
    }

    @Test func aFileIsNotCopiedOntoItselfThroughOneConnection() throws {
        try expectRefused(source, to: source)
    }

    @Test func aFileIsNotCopiedOntoItselfThroughTwoConnections() throws {
        try expectRefused(source, to: folder.connection())
        try source.execute("PRAGMA journal_mode = WAL")
        let other = try folder.connection()
        try expectRows(100, on: other)
        try expectRefused(source, to: other)
    }

    @Test func theErrorNamesTheFiles() throws {
        let error = backupError { try source.backup(to: folder.connection()) }
        #expect(error?.message.contains(folder.path()) == true, "\(error?.message ?? "")")
        #expect(error?.description == error?.message)
        #expect(error?.localizedDescription == error?.message)
    }

    @Test func aFileIsNotCopiedOntoItselfThroughLinks() throws {
        let manager = FileManager.default
        try folder.link(
            "link",
            to: folder.path()
        )
        try manager.linkItem(atPath: folder.path(), toPath: folder.path("hard"))
        try folder.link("here", to: folder.url.path)
        for name in ["link", "hard", "here/test.sqlite", "./test.sqlite", "here/link"] {
            try expectRefused(source, to: Connection(path: folder.path(name)))
            try expectRefused(Connection(path: folder.path(name)), to: source)
        }
    }

    @Test func anAttachedFileIsNotCopiedOntoItself() throws {
        try source.attachDatabase(from: .onDisk(folder.path("copy.sqlite")), withName: "other")
        try expectRefused(source, "other", to: destination)
        try expectRefused(destination, to: source, as: "other")
    }

    @Test func aPrivateDatabaseIsNotCopiedOntoItself() throws {
        for connection in [try Connection(), try Connection(storageLocation: .temporary)] {
            try fill(connection, rows: 3)
            expectThrows(Error.self) { try connection.backup(to: connection) }
            try expectRows(3, on: connection)
        }
    }

    @Test func aDatabaseInMemoryIsNotCopiedOntoItselfThroughTwoConnections() throws {
        var names = ["file:\(UUID().uuidString)?mode=memory&cache=shared"]
        if Capability.sharedMemory {
            names.append("file:/\(UUID().uuidString)?vfs=memdb")
        }
        for location in names.map(StorageLocation.uri) {
            let memory = try Connection(storageLocation: location)
            try memory.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)")
            let again = try Connection(storageLocation: location)
            #expect(backupError { try memory.backup(to: again) }?.reason == .sameDatabase)
            try again.run("INSERT INTO t VALUES(2)")
            try expectRows(2, on: memory)
        }
    }

    @Test(.enabled(if: Capability.sharedMemory))
    func namedDatabasesInMemoryAreCopiedIntoEachOther() throws {
        let (memory, other) = try (
            Connection(storageLocation: .uri("file:/\(UUID().uuidString)?vfs=memdb")),
            Connection(storageLocation: .uri("file:/\(UUID().uuidString)?vfs=memdb"))
        )
        // Both are empty at first.
        try memory.backup(to: other)
        try memory.execute("CREATE TABLE t(x)")
        try memory.backup(to: other)
        try expectRows(0, on: other)
        try other.run("INSERT INTO t VALUES(1)")
        try other.backup(to: memory)
        try expectRows(1, on: memory)
    }

    @Test func twoDatabasesInMemoryAreNotOne() throws {
        let memory = try Connection()
        try source.backup(to: memory)
        let other = try Connection()
        try memory.backup(to: other)
        try expectSame(other, source)
        let temporary = try Connection(storageLocation: .temporary)
        try other.backup(to: temporary)
        try expectSame(temporary, source)
        try temporary.backup(to: destination)
        try expectSame(destination, source)
    }

    @Test(arguments: ["nope", "", "main ", "other", "\"main\"", "a\0b", "main\0", "it's", "日本"])
    func unknownDatabasesAreRefused(name: String) throws {
        let before = try contents(of: folder.url)
        expectSQLiteError { _ = try Backup(from: source, databaseNamed: name, to: destination) }
        expectSQLiteError { _ = try Backup(from: source, to: destination, as: name) }
        expectSQLiteError { try source.backup(databaseNamed: name, to: destination) }
        expectSQLiteError { try source.backup(to: destination, as: name) }
        expectSQLiteError {
            try source.backup(databaseNamed: name, to: destination, completionQueue: .global()) {
                _ in recordCall()
            }
        }
        expectSQLiteError {
            try source.backup(to: destination, as: name, completionQueue: .global()) { _ in
                recordCall()
            }
        }
        try expectRows(100, on: source)
        try expectRows(7, on: destination)
        #expect(try contents(of: folder.url) == before)
        try source.close()
        try destination.close()
    }

    @Test func anUnknownDatabaseIsNamedInTheError() throws {
        expectSQLiteError(containing: "nope") {
            _ = try Backup(from: source, databaseNamed: "nope", to: destination)
        }
        expectSQLiteError(containing: "nope") {
            _ = try Backup(from: source, to: destination, as: "nope")
        }
    }

    @Test(arguments: ["other", "it's \"other\"", "日本", "OTHER"])
    func attachedDatabasesAreSourcesAndDestinations(name: String) throws {
        let hub = try Connection()
        try hub.attachDatabase(from: .onDisk(folder.path()), withName: name)
        try hub.attachDatabase(from: .inMemory, withName: "memory")
        try hub.execute("CREATE TABLE here(x)")
        let other = try Connection()
        try hub.backup(databaseNamed: name, to: other)
        try expectSame(other, source)
        try other.backup(to: hub, as: "memory")
        try expectRows(100, of: "memory.t", on: hub)
        try expectRows(0, of: "here", on: hub)

        try destination.backup(to: hub, as: name)
        #expect(try count(name.sqift.quotedIdentifier + ".t", on: hub) == 7)
        try expectSame(source, destination)
        try expectRows(100, of: "memory.t", on: hub)
    }

    @Test func databasesOfOneConnectionAreNotCopiedIntoEachOther() throws {
        try source.attachDatabase(from: .onDisk(folder.path("copy.sqlite")), withName: "other")
        expectThrows(Error.self) { _ = try Backup(from: source, to: source, as: "other") }
        expectThrows(Error.self) { try source.backup(to: source, as: "other") }
        try expectRows(7, of: "other.t", on: source)
        try expectRows(100, of: "main.t", on: source)
        try source.close()
    }

    @Test func theTemporaryDatabaseIsASourceAndADestination() throws {
        try source.execute("CREATE TEMP TABLE own(x); INSERT INTO own VALUES(1), (2)")
        let memory = try Connection()
        try source.backup(databaseNamed: "temp", to: memory)
        try expectRows(2, of: "own", on: memory)
        #expect(try memory.tableExists("t") == false)

        try memory.execute("INSERT INTO own VALUES(3)")
        let other = try Connection()
        try other.execute("CREATE TEMP TABLE gone(x)")
        try memory.backup(to: other, as: "temp")
        try expectRows(3, of: "temp.own", on: other)
        #expect(try other.tableExists("gone") == false)
        try other.execute("INSERT INTO temp.own VALUES(4)")
        try expectRows(4, of: "temp.own", on: other)
    }

    @Test func theTemporaryDatabaseThatWasNeverUsedIsEmpty() throws {
        try source.backup(databaseNamed: "temp", to: destination)
        #expect(try destination.tableExists("t") == false)
        let memory = try Connection()
        try source.backup(to: memory, as: "temp")
        try expectRows(100, of: "temp.t", on: memory)
    }

    @Test func theNameOfADatabaseIgnoresCase() throws {
        try source.backup(databaseNamed: "MAIN", to: destination, as: "Main")
        try expectSame(destination, source)
    }

    @Test func aFileGoesToMemoryAndBack() throws {
        let memory = try Connection()
        try source.backup(to: memory)
        try expectSame(memory, source)
        try memory.run("DELETE FROM t WHERE id > 50")
        try memory.backup(to: destination)
        try expectSame(destination, memory)
        try expectRows(50, on: Connection(path: folder.path("copy.sqlite")))
    }

    @Test func whatIsKeptBesideTheTablesIsCopied() throws {
        try source.execute(
            "PRAGMA user_version = 42; PRAGMA application_id = 7; PRAGMA auto_vacuum = 0"
        )
        try source.execute(
            "CREATE VIEW v AS SELECT id FROM t; CREATE TRIGGER tr AFTER DELETE ON t BEGIN SELECT 1; END"
        )
        try source.execute("CREATE TABLE u(x); INSERT INTO u(rowid, x) VALUES(10, 'a'), (-5, 'b')")
        try source.backup(to: destination)
        #expect(try destination.query("PRAGMA user_version") == 42)
        #expect(try destination.query("PRAGMA application_id") == 7)
        #expect(try destination.viewExists("v"))
        #expect(try destination.triggers(on: "t").map(\.name) == ["tr"])
        #expect(try destination.query("SELECT rowid FROM u ORDER BY rowid") == [-5, 10])
    }

    @Test(
        .enabled(
            if: Capability.serialization,
            "SQLite was built without serialize and deserialize"
        )
    )
    func aBackupOfABackupIsTheSameByteForByte() throws {
        try source.backup(to: destination)
        let memory = try Connection()
        try destination.backup(to: memory)
        // The change counter and the version that wrote it are of each file's own.
        func pages(_ connection: Connection) throws -> Data {
            try connection.serialize().dropFirst(100)
        }
        #expect(try pages(memory) == pages(destination))
        #expect(try pages(memory) == pages(source))
    }
}

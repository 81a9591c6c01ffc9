import Foundation
import Testing

@testable import SQift

@Suite(
    .timeLimit(.minutes(20)),
    .enabled(
        if: Capability.serialization,
        "SQLite was built without serialize and deserialize"
    )
)
struct SerializationTests {
    private let folder: TemporaryFolder
    private let source: Connection
    private let target: Connection

    init() throws {
        folder = try TemporaryFolder()
        source = try Connection(path: folder.path("source.sqlite"))
        target = try Connection()
        try source.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE INDEX i ON t(x)")
        try source.run("INSERT INTO t(x) " + numbers(to: 500, selecting: "'text ' || n"))
        try target.execute("CREATE TABLE old(x); INSERT INTO old VALUES('kept')")
    }

    private func expectCopy(
        in database: String = "main",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try target.integrityCheck(database: database) == [], sourceLocation: sourceLocation)
        #expect(try count("\(database).t", on: target) == 500, sourceLocation: sourceLocation)
        let id: Int? = try target.query("SELECT id FROM \(database).t WHERE x = 'text 321'")
        #expect(id == 321, sourceLocation: sourceLocation)
        #expect(try !target.tableExists("old", database: database), sourceLocation: sourceLocation)
        try target.run("INSERT INTO \(database).t(x) VALUES('new')")
        #expect(target.lastInsertRowID == 501, sourceLocation: sourceLocation)
    }

    private func expectTargetUnchanged(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try target.query("SELECT x FROM old") == "kept", sourceLocation: sourceLocation)
        #expect(try target.integrityCheck() == [], sourceLocation: sourceLocation)
        try target.execute("INSERT INTO old VALUES(1); DELETE FROM old WHERE x = 1")
    }

    private func image(_ sql: String, pageSize: Int = 4096) throws -> Data {
        let connection = try Connection()
        try connection.execute("PRAGMA page_size = \(pageSize); " + sql)
        return try connection.serialize()
    }

    // MARK: Round trips

    @Test func aDatabaseIsTheBytesOfItsFile() throws {
        let data = try source.serialize()
        try source.close()
        #expect(try data == Data(contentsOf: URL(fileURLWithPath: folder.path("source.sqlite"))))
        try target.deserialize(data)
        try expectCopy()
        #expect(try target.serialize().count >= data.count)
    }

    @Test func anEmptyDatabaseIsNoBytes() throws {
        #expect(try Connection().serialize() == Data())
        try target.deserialize(Data())
        #expect(try count("sqlite_schema", on: target) == 0)
        try target.execute("CREATE TABLE old(x)")
        #expect(try count("old", on: target) == 0)
    }

    @Test func aSchemaWithoutRowsIsCopied() throws {
        try target.deserialize(image("CREATE TABLE a(x); CREATE VIEW b AS SELECT x FROM a"))
        #expect(try target.tableExists("a"))
        #expect(try target.viewExists("b"))
        #expect(try count("b", on: target) == 0)
    }

    @Test(arguments: [512, 1024, 65_536])
    func anyPageSizeFitsAnUnusedDatabase(pageSize: Int) throws {
        let data = try image(
            "CREATE TABLE a(x); INSERT INTO a VALUES(zeroblob(100000))",
            pageSize: pageSize
        )
        let unused = try Connection()
        try unused.deserialize(data)
        #expect(try unused.query("PRAGMA page_size") == pageSize)
        #expect(try unused.query("SELECT length(x) FROM a") == 100_000)
        #expect(try unused.serialize() == data)
    }

    @Test func anotherPageSizeDoesNotFitAUsedDatabase() throws {
        let data = try image("CREATE TABLE a(x)", pageSize: 8192)
        #expect(sqliteError { try target.deserialize(data) }?.resultCode == .readOnly)
        try expectTargetUnchanged()
        #expect(try target.query("PRAGMA page_size") == 4096)
    }

    @Test func anotherTextEncodingFitsOnlyAnUnusedDatabase() throws {
        let data = try image(
            "PRAGMA encoding = 'UTF-16le'; CREATE TABLE a(x); INSERT INTO a VALUES('ä')"
        )
        let error = sqliteError { try target.deserialize(data) }
        #expect(error?.resultCode == .misuse)
        #expect(error?.message.contains("UTF-16le") == true)
        try expectTargetUnchanged()
        try target.attachDatabase(from: .inMemory, withName: "other")
        #expect(sqliteError { try target.deserialize(data, database: "other") } != nil)
        try expectTargetUnchanged()

        let unused = try Connection()
        try unused.deserialize(data)
        #expect(try unused.query("SELECT x FROM a") == "ä")
        #expect(sqliteError { try unused.deserialize(source.serialize()) }?.resultCode == .misuse)
        #expect(try unused.query("SELECT x FROM a") == "ä")
        try unused.deserialize(Data())
        #expect(try count("sqlite_schema", on: unused) == 0)
    }

    @Test(
        .enabled(if: Capability.sharedMemory, "SQLite doesn't share databases in memory by name")
    )
    func aNamedDatabaseInMemoryTakesAnImage() throws {
        let location = StorageLocation.uri("file:/\(UUID().uuidString)?vfs=memdb")
        let named = try Connection(storageLocation: location)
        try named.deserialize(source.serialize())
        #expect(try count("t", on: named) == 500)
    }

    @Test(arguments: ["temp", "other"])
    func otherDatabasesAreCopiedToo(database: String) throws {
        try target.attachDatabase(from: .inMemory, withName: "other")
        try target.deserialize(source.serialize(), database: database)
        try expectCopy(in: database)
        try expectTargetUnchanged()

        let data = try target.serialize(database: database)
        let third = try Connection()
        try third.deserialize(data)
        #expect(try count("t", on: third) == 501)
    }

    @Test func aTemporaryDatabaseTakesAnImage() throws {
        let temporary = try Connection(storageLocation: .temporary)
        try temporary.deserialize(source.serialize())
        #expect(try count("t", on: temporary) == 500)
    }

    @Test func theImageOfADatabaseInWALModeOpens() throws {
        try source.execute("PRAGMA journal_mode = WAL; INSERT INTO t VALUES(1000, 'in the wal')")
        let whole = try source.serialize()
        try source.execute("DELETE FROM t WHERE id = 1000")
        try source.close()
        let file = try Data(contentsOf: URL(fileURLWithPath: folder.path("source.sqlite")))
        #expect(file[18] == 2 && file[19] == 2)
        try target.deserialize(file)
        try expectCopy()
        #expect(file[18] == 2 && file[19] == 2)

        let second = try Connection()
        try second.deserialize(whole)
        #expect(try second.query("SELECT x FROM t WHERE id = 1000") == "in the wal")
        #expect(try second.query("PRAGMA journal_mode") == "memory")
        try second.execute("DELETE FROM t")
    }

    @Test func aSliceOfDataIsAnImageToo() throws {
        try source.execute("PRAGMA journal_mode = WAL")
        let data = Data(repeating: 7, count: 1001) + (try source.serialize()) + Data([1, 2, 3])
        try target.deserialize(data[1001..<(data.count - 3)])
        try expectCopy()
    }

    // MARK: What is no image

    @Test(arguments: [1, 16, 100, 511, 512, 5000])
    func whatIsNoDatabaseIsRefused(count: Int) throws {
        for data in [Data(repeating: 65, count: count), Data(count: count)] {
            #expect(sqliteError { try target.deserialize(data) }?.resultCode == .notADatabase)
            try expectTargetUnchanged()
        }
    }

    @Test(arguments: [15, 16, 99, 100, 511])
    func aHeaderWithoutAPageIsRefused(count: Int) throws {
        let data = try source.serialize().prefix(count)
        #expect(sqliteError { try target.deserialize(data) }?.resultCode == .notADatabase)
        try expectTargetUnchanged()
    }

    @Test(arguments: [512, 4096, 8192, 12_000])
    func aTruncatedImageIsRefused(count: Int) throws {
        let data = try source.serialize()
        #expect(data.count > count)
        #expect(sqliteError { try target.deserialize(data.prefix(count)) } != nil)
        try expectTargetUnchanged()
    }

    @Test func anImageWithADamagedHeaderIsRefused() throws {
        for (index, byte) in [(16, 3), (17, 1), (19, 9), (21, 0), (0, 0)] as [(Int, UInt8)] {
            var data = try source.serialize()
            data[index] = byte
            #expect(
                sqliteError { try target.deserialize(data) }?.resultCode == .notADatabase,
                "\(index)"
            )
            try expectTargetUnchanged()
        }
    }

    // MARK: Where it isn't allowed

    @Test func aDatabaseInAFileIsNotReplaced() throws {
        let path = folder.path("file.sqlite")
        let file = try Connection(path: path)
        try file.execute("CREATE TABLE a(x)")
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let error = sqliteError { try file.deserialize(source.serialize()) }
        #expect(error?.resultCode == .misuse)
        #expect(error?.message.contains("file.sqlite") == true)
        #expect(sqliteError { try file.deserialize(Data()) }?.resultCode == .misuse)
        try target.attachDatabase(from: .onDisk(path), withName: "f")
        #expect(
            sqliteError { try target.deserialize(source.serialize(), database: "f") }?.resultCode
                == .misuse
        )
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(try count("a", on: file) == 0)
    }

    @Test func insideATransactionADatabaseIsNotReplaced() throws {
        try target.transaction {
            try target.run("UPDATE old SET x = 'changed'")
            #expect(
                sqliteError { try target.deserialize(source.serialize()) }?.resultCode == .misuse
            )
            #expect(target.isInsideTransaction)
        }
        #expect(try target.query("SELECT x FROM old") == "changed")
    }

    @Test func insideATransactionADatabaseIsCopied() throws {
        try source.transaction {
            try source.run("DELETE FROM t WHERE id > 100")
            try target.deserialize(source.serialize())
            #expect(source.isInsideTransaction)
        }
        #expect([100, 500].contains(try count("t", on: target)))
        #expect(try target.integrityCheck() == [])
    }

    @Test func aRunningStatementKeepsItsDatabase() throws {
        try target.execute("INSERT INTO old VALUES(2), (3)")
        var seen: [String] = []
        try target.forEachRow("SELECT CAST(x AS TEXT) FROM old") { row in
            #expect(sqliteError { try target.deserialize(source.serialize()) } != nil)
            seen.append(try row.get(0))
        }
        #expect(seen == ["kept", "2", "3"])
        try target.deserialize(source.serialize())
        try expectCopy()
    }

    @Test func aRunningStatementGoesOnWhileItsDatabaseIsCopied() throws {
        var seen = 0
        try source.forEachRow("SELECT x FROM t") { _ in
            if seen == 250 {
                try target.deserialize(source.serialize())
            }
            seen += 1
        }
        #expect(seen == 500)
        try expectCopy()
    }

    @Test func tableValuedFunctionsWorkBeforeAndAfter() throws {
        for data in [try source.serialize(), Data(), try source.serialize()] {
            #expect(try target.query("SELECT sum(value) FROM json_each('[1, 2, 3]')") == 6)
            let before: [String] = try target.query("SELECT name FROM pragma_table_info('old')")
            try target.deserialize(data)
            #expect(try target.query("SELECT sum(value) FROM json_each('[1, 2, 3]')") == 6)
            let columns: [String] = try target.query("SELECT name FROM pragma_table_info('t')")
            #expect(columns == (data.isEmpty ? [] : ["id", "x"]))
            #expect(before == ["x"])
            try target.execute("CREATE TABLE old(x)")
        }
    }

    @Test func preparedStatementsSeeTheNewSchema() throws {
        let statement = try target.prepare("SELECT count(*) FROM old")
        #expect(try statement.query() == 1)
        try target.deserialize(
            image("CREATE TABLE old(a, b); INSERT INTO old VALUES(1, 2), (3, 4)")
        )
        #expect(try statement.query() == 2)
        #expect(
            sqliteError { try target.run("SELECT x FROM old") }?.message.contains("no such column")
                == true
        )
    }

    // MARK: What can't be read

    @Test func anUnknownDatabaseThrows() throws {
        #expect(sqliteError { _ = try target.serialize(database: "nowhere") } != nil)
        #expect(
            sqliteError { try target.deserialize(source.serialize(), database: "nowhere") } != nil
        )
        #expect(sqliteError { _ = try target.serialize(database: "main\0") }?.resultCode == .misuse)
        #expect(
            sqliteError { try target.deserialize(Data(), database: "main\0") }?.resultCode
                == .misuse
        )
        try expectTargetUnchanged()
    }

    @Test func aLockedDatabaseAndAFileThatIsNoneThrow() throws {
        let other = try Connection(path: folder.path("source.sqlite"))
        try other.execute("BEGIN EXCLUSIVE")
        #expect(sqliteError { _ = try source.serialize() }?.resultCode == .busy)
        try other.execute("ROLLBACK")

        let path = folder.path("text")
        try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: path))
        #expect(
            sqliteError { _ = try Connection(path: path).serialize() }?.resultCode == .notADatabase
        )
    }

    @Test func aClosedConnectionThrows() throws {
        try target.close()
        #expect(sqliteError { _ = try target.serialize() }?.resultCode == .misuse)
        #expect(sqliteError { try target.deserialize(Data()) }?.resultCode == .misuse)
        #expect(
            sqliteError { try target.vacuum(into: .onDisk(folder.path("x"))) }?.resultCode
                == .misuse
        )
    }
}

@Suite(
    .timeLimit(.minutes(20)),
    .enabled(if: !Capability.serialization, "SQLite has serialize and deserialize")
)
struct MissingSerializationTests {
    @Test func whoAsksIsToldThatTheBuildLeavesItOut() throws {
        let connection = try Connection()
        for error in [
            sqliteError { _ = try connection.serialize() },
            sqliteError { try connection.deserialize(Data()) },
        ] {
            #expect(error?.resultCode == .misuse)
            #expect(error?.message.contains("built without serialize") == true)
        }
    }
}

import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

@Suite(
    .enabled(
        if: Capability.serialization,
        "SQLite was built without serialize and deserialize"
    )
)
struct SerializationTests {
    private let folder = TemporaryFolder.fresh
    private let source: Connection

    init() throws {
        source = try Connection(path: folder.path("source.sqlite"))
        try source.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE INDEX i ON t(x)")
        try source.run("INSERT INTO t(x) " + numbers(to: 500, selecting: "'text ' || n"))
    }

    private func expectCopy(
        _ copy: Connection,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expectSound(copy, sourceLocation: sourceLocation)
        #expect(try count("t", on: copy) == 500, sourceLocation: sourceLocation)
        let id: Int? = try copy.query("SELECT id FROM t WHERE x = 'text 321'")
        #expect(id == 321, sourceLocation: sourceLocation)
        try copy.run("INSERT INTO t(x) VALUES('new')")
        #expect(copy.lastInsertRowID == 501, sourceLocation: sourceLocation)
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
        #expect(try data == bytes(of: folder.path("source.sqlite")))
        let copy = try Connection(image: data)
        #expect(try copy.serialize() == data)
        try expectCopy(copy)
        #expect(try copy.serialize().count >= data.count)
    }

    @Test func anEmptyDatabaseIsNoBytes() throws {
        #expect(try Connection().serialize() == Data())
        let copy = try Connection(image: Data())
        try copy.execute("CREATE TABLE t(x)")
        try expectRows(0, on: copy)
    }

    @Test func aSchemaWithoutRowsIsCopied() throws {
        let data = try image("CREATE TABLE a(x); CREATE VIEW b AS SELECT x FROM a")
        let copy = try Connection(image: data)
        #expect(try copy.tableExists("a"))
        #expect(try copy.viewExists("b"))
        try expectRows(0, of: "b", on: copy)
    }

    @Test(arguments: [512, 1024, 65_536])
    func anImageKeepsItsPageSize(pageSize: Int) throws {
        let data = try image(
            "CREATE TABLE a(x); INSERT INTO a VALUES(zeroblob(100000))",
            pageSize: pageSize
        )
        let copy = try Connection(image: data)
        #expect(try copy.query("PRAGMA page_size") == pageSize)
        #expect(try copy.query("SELECT length(x) FROM a") == 100_000)
        #expect(try copy.serialize() == data)
    }

    @Test func anImageKeepsItsTextEncoding() throws {
        let data = try image(
            "PRAGMA encoding = 'UTF-16le'; CREATE TABLE a(x); INSERT INTO a VALUES('ä')"
        )
        var configuration = Connection.Configuration()
        for hardened in [false, true] {
            configuration.hardened = hardened
            let copy = try Connection(image: data, configuration: configuration)
            #expect(try copy.query("PRAGMA encoding") == "UTF-16le")
            #expect(try copy.query("SELECT x FROM a") == "ä")
            try copy.run("INSERT INTO a VALUES('ö')")
            #expect(try copy.query("SELECT x FROM a") == ["ä", "ö"])
        }
    }

    @Test(arguments: ["temp", "other"])
    func otherDatabasesAreCopiedToo(database: String) throws {
        try source.attachDatabase(from: .inMemory, withName: "other")
        try source.execute("CREATE TABLE \(database).u(x); INSERT INTO \(database).u VALUES(7)")
        let copy = try Connection(image: source.serialize(database: database))
        #expect(try copy.query("SELECT x FROM u") == 7)
        #expect(try !copy.tableExists("t"))
    }

    @Test func theImageOfADatabaseInWALModeOpens() throws {
        try source.execute("PRAGMA journal_mode = WAL; INSERT INTO t VALUES(1000, 'in the wal')")
        let whole = try source.serialize()
        try source.execute("DELETE FROM t WHERE id = 1000")
        try source.close()
        let file = try bytes(of: folder.path("source.sqlite"))
        #expect(file[18] == 2 && file[19] == 2)
        try expectCopy(Connection(image: file))
        #expect(file[18] == 2 && file[19] == 2)

        let second = try Connection(image: whole)
        #expect(try second.query("SELECT x FROM t WHERE id = 1000") == "in the wal")
        #expect(try second.query("PRAGMA journal_mode") == "memory")
        try second.execute("DELETE FROM t")
    }

    @Test func anImageCanBeForReadingOnly() throws {
        var configuration = Connection.Configuration()
        configuration.readOnly = true
        let copy = try Connection(image: source.serialize(), configuration: configuration)
        expectSQLiteError(.readOnly) { try copy.run("DELETE FROM t") }
        try expectRows(500, on: copy)
    }

    @Test func aSliceOfDataIsAnImageToo() throws {
        try source.execute("PRAGMA journal_mode = WAL")
        let data = Data(repeating: 7, count: 1001) + (try source.serialize()) + Data([1, 2, 3])
        try expectCopy(Connection(image: data[1001..<(data.count - 3)]))
    }

    @Test func anImageIsADatabaseInMemoryLikeAnyOther() throws {
        let data = try source.serialize()
        let copy = try Connection(image: data)
        #expect(copy.fileName == "")
        try copy.transaction {
            try copy.run("DELETE FROM t")
            try copy.savepoint { try copy.execute("CREATE TABLE u(x)") }
        }
        expectSQLiteError { try copy.transaction { try copy.execute("DROP TABLE u; oops") } }
        try copy.run("INSERT INTO u VALUES(zeroblob(3000000))")
        try copy.execute("VACUUM")
        try expectSound(copy)
        try copy.backup(to: source)
        #expect(try source.query("SELECT length(x) FROM u") == 3_000_000)
        // The bytes are the connection's own.
        try expectCopy(Connection(image: data))
        try copy.close()
    }

    @Test func anImageMayGrowToAnySize() throws {
        let copy = try Connection(image: source.serialize())
        try copy.withUnsafeHandle { handle in
            // A negative limit asks for it. SQLite's own is 1 GiB.
            var limit: Int64 = -1
            let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_SIZE_LIMIT, &limit)
            #expect(code == SQLITE_OK)
            #expect(limit == .max)
        }
    }

    @Test func theConfigurationIsThatOfTheNewConnection() throws {
        var configuration = Connection.Configuration()
        configuration.foreignKeys = true
        configuration.hardened = true
        configuration.busyTimeout = 1.5
        let copy = try Connection(image: source.serialize(), configuration: configuration)
        #expect(try copy.query("PRAGMA foreign_keys") == 1)
        #expect(try copy.query("PRAGMA busy_timeout") == 1500)
        expectSQLiteError { try copy.run("PRAGMA trusted_schema = ON") }
        try expectCopy(copy)

        configuration.readOnly = true
        let readOnly = try Connection(image: source.serialize(), configuration: configuration)
        try expectRows(500, on: readOnly)
    }

    @Test func tableValuedFunctionsWorkOnACopy() throws {
        for data in [try source.serialize(), Data()] {
            let copy = try Connection(image: data)
            #expect(try copy.query("SELECT sum(value) FROM json_each('[1, 2, 3]')") == 6)
            let columns: [String] = try copy.query("SELECT name FROM pragma_table_info('t')")
            #expect(columns == (data.isEmpty ? [] : ["id", "x"]))
        }
    }

    @Test func aKeyIsRefused() throws {
        var configuration = Connection.Configuration()
        configuration.key = Data("secret".utf8)
        expectSQLiteError(.misuse) {
            _ = try Connection(image: source.serialize(), configuration: configuration)
        }
    }

    // MARK: What is no image

    @Test(arguments: [1, 16, 100, 511, 512, 5000])
    func whatIsNoDatabaseIsRefused(count: Int) throws {
        for data in [Data(repeating: 65, count: count), Data(count: count)] {
            expectSQLiteError(.notADatabase) { _ = try Connection(image: data) }
        }
    }

    @Test(arguments: [15, 16, 99, 100, 511, 512, 4096, 8192, 12_000])
    func aTruncatedImageIsRefused(count: Int) throws {
        let data = try source.serialize()
        #expect(data.count > count)
        let code = sqliteError { _ = try Connection(image: data.prefix(count)) }?.resultCode
        #expect(code == .notADatabase || code == .corrupt)
    }

    @Test func anImageWithADamagedHeaderIsRefused() throws {
        for (index, byte) in [(16, 3), (17, 1), (19, 9), (21, 0), (0, 0)] as [(Int, UInt8)] {
            var data = try source.serialize()
            data[index] = byte
            let error = sqliteError { _ = try Connection(image: data) }
            #expect(error?.resultCode == .notADatabase, "\(index)")
        }
    }

    // MARK: While the source is in use

    @Test func insideATransactionADatabaseIsCopied() throws {
        try source.transaction {
            try source.run("DELETE FROM t WHERE id > 100")
            let copy = try Connection(image: source.serialize())
            #expect(source.isInsideTransaction)
            #expect([100, 500].contains(try count("t", on: copy)))
            try expectSound(copy)
        }
    }

    @Test func aRunningStatementGoesOnWhileItsDatabaseIsCopied() throws {
        var seen = 0
        try source.forEachRow("SELECT x FROM t") { _ in
            if seen == 250 {
                try expectCopy(Connection(image: source.serialize()))
            }
            seen += 1
        }
        #expect(seen == 500)
    }

    // MARK: What can't be read

    @Test func anUnknownDatabaseThrows() throws {
        expectSQLiteError { _ = try source.serialize(database: "nowhere") }
        expectSQLiteError(.misuse) { _ = try source.serialize(database: "main\0") }
    }

    @Test func aLockedDatabaseAndAFileThatIsNoneThrow() throws {
        let other = try Connection(path: folder.path("source.sqlite"))
        try other.execute("BEGIN EXCLUSIVE")
        expectSQLiteError(.busy) { _ = try source.serialize() }
        try other.execute("ROLLBACK")

        let path = folder.path("text")
        try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: path))
        expectSQLiteError(.notADatabase) { _ = try Connection(path: path).serialize() }
    }

    @Test func aClosedConnectionThrows() throws {
        try source.close()
        expectSQLiteError(.misuse) { _ = try source.serialize() }
        expectSQLiteError(.misuse) { try source.vacuum(into: .onDisk(folder.path("x"))) }
    }
}

@Suite(
    .enabled(if: !Capability.serialization, "SQLite has serialize and deserialize")
)
struct MissingSerializationTests {
    @Test func whoAsksIsToldThatTheBuildLeavesItOut() throws {
        let connection = try Connection()
        for error in [
            sqliteError { _ = try connection.serialize() },
            sqliteError { _ = try Connection(image: Data()) },
        ] {
            #expect(error?.resultCode == .misuse)
            #expect(error?.message.contains("built without serialize") == true)
        }
    }
}

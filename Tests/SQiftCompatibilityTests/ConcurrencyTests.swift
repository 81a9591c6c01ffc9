import Foundation
import SQift
import Testing

/// Reaches what is deprecated without a warning.
private protocol HasConnection {
    var connection: Connection { get }
}

extension ConnectionQueue: HasConnection {}

/// Queues, pools and databases as code for SQift 5.1 uses them.
@Suite(.serialized) struct ConcurrencyTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "SQift-\(UUID().uuidString)"
    )
    private var location: StorageLocation {
        .onDisk(folder.appendingPathComponent("test.sqlite").path)
    }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func cleanUp() {
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func aQueueRunsTransactionsAndSavepoints() throws {
        defer { cleanUp() }
        let connection = try Connection(storageLocation: location)
        let queue = ConnectionQueue(connection: connection)

        try queue.execute { try $0.execute("CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT)") }
        try queue.executeInTransaction { connection in
            try connection.run("INSERT INTO cars(name) VALUES(?)", "Audi")
        }
        try queue.executeInTransaction(transactionType: .immediate) { connection in
            try connection.run("INSERT INTO cars(name) VALUES(?)", "BMW")
        }
        try queue.executeInSavepoint(named: "a savepoint") {
            try $0.run("INSERT INTO cars(name) VALUES('Fiat')")
        }
        try queue.executeInSavepoint("another") {
            try $0.run("INSERT INTO cars(name) VALUES('Opel')")
        }

        var names: [String] = []
        try queue.execute { connection in
            names = try connection.query("SELECT name FROM cars ORDER BY id")
        }
        #expect(names == ["Audi", "BMW", "Fiat", "Opel"])
        #expect(Set([queue, queue]).count == 1)
        #expect((queue as any HasConnection).connection === connection)
    }

    @Test func aPoolReads() throws {
        defer { cleanUp() }
        let writer = try Connection(storageLocation: location)
        try writer.execute("CREATE TABLE cars(name TEXT); INSERT INTO cars VALUES('Audi')")
        var prepared = 0
        let pool = ConnectionPool(
            storageLocation: location,
            tableLockPolicy: .poll(0.01),
            availableConnectionDrainDelay: 0.5,
            connectionPreparation: { connection in
                prepared += 1
                try connection.busyHandler(.timeout(1))
            }
        )
        try pool.execute { connection in
            let count: Int? = try connection.query("SELECT count(*) FROM cars")
            #expect(count == 1)
            #expect(connection.readOnly)
        }
        #expect(prepared == 1)
    }

    @available(*, deprecated)
    @Test func aDatabaseReadsAndWrites() throws {
        defer { cleanUp() }
        let database = try Database(
            storageLocation: location,
            tableLockPolicy: .fastFail,
            multiThreaded: true,
            sharedCache: false,
            drainDelay: 1.0,
            writerConnectionPreparation: { try $0.execute("PRAGMA journal_mode = WAL") },
            readerConnectionPreparation: { try $0.busyHandler(.timeout(2)) }
        )
        try database.executeWrite { connection in
            try connection.execute("CREATE TABLE cars(name TEXT)")
            try connection.transaction {
                try connection.run("INSERT INTO cars VALUES(?)", "Audi")
            }
        }
        var names: [String] = []
        try database.executeRead { names = try $0.query("SELECT name FROM cars") }
        #expect(names == ["Audi"])

        try database.writerConnectionQueue.executeInTransaction {
            try $0.run("INSERT INTO cars VALUES('BMW')")
        }
        try database.readerConnectionPool.execute { connection in
            let count: Int = try connection.query("SELECT count(*) FROM cars")
            #expect(count == 2)
        }
        let journal: String = try database.executeWrite { try $0.query("PRAGMA journal_mode") }
        #expect(journal == "wal")
    }

    @available(*, deprecated)
    @Test func theDefaultsAreSQLitesOwn() throws {
        defer { cleanUp() }
        let database = try Database(storageLocation: location)
        let foreignKeys: Bool = try database.executeWrite { try $0.query("PRAGMA foreign_keys") }
        let journal: String = try database.executeWrite { try $0.query("PRAGMA journal_mode") }
        #expect(!foreignKeys)
        #expect(journal == "delete")
    }

    @available(*, deprecated)
    @Test func aDatabaseInMemoryIsOne() throws {
        defer { cleanUp() }
        let database = try Database()
        try database.executeWrite {
            try $0.execute("CREATE TABLE cars(name TEXT); INSERT INTO cars VALUES('Audi')")
        }
        let count: Int = try database.executeRead { try $0.query("SELECT count(*) FROM cars") }
        #expect(count == 1)
    }

    @available(*, deprecated)
    @Test func sqliteFlagsAreTaken() throws {
        defer { cleanUp() }
        // SQLITE_OPEN_READWRITE, SQLITE_OPEN_CREATE and SQLITE_OPEN_FULLMUTEX.
        let database = try Database(storageLocation: location, flags: 0x2 | 0x4 | 0x10000)
        try database.executeWrite { try $0.execute("CREATE TABLE cars(name TEXT)") }
        #expect(throws: SQLiteError.self) {
            try database.executeRead { try $0.run("INSERT INTO cars VALUES('A')") }
        }
    }
}

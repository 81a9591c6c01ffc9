import CSQift
import Foundation
import SQift
import Testing

struct ConnectionCompatibilityTests {
    @Test func aDefaultConnectionIsInMemory() throws {
        let connection = try Connection()
        #expect(connection.fileName == "")
        #expect(connection.readOnly == false)
        #expect(connection.threadSafe == true)
        #expect(connection.tableLockPolicy == .fastFail)
    }

    @Test func everyStorageLocationOpens() throws {
        let path = temporaryPath()
        defer { removeDatabase(path) }
        let onDisk = try Connection(storageLocation: .onDisk(path))
        let inMemory = try Connection(storageLocation: .inMemory)
        let temporary = try Connection(storageLocation: .temporary)
        for connection in [onDisk, inMemory, temporary] {
            try connection.execute("CREATE TABLE t(a)")
        }
        #expect(onDisk.fileName.hasSuffix((path as NSString).lastPathComponent))
        #expect(StorageLocation.onDisk("/a/b").path == "/a/b")
        #expect(StorageLocation.inMemory.path == ":memory:")
        #expect(StorageLocation.temporary.path == "")
    }

    @Test func allInitializerParametersAreSpeltAsBefore() throws {
        let path = temporaryPath()
        defer { removeDatabase(path) }
        try Connection(storageLocation: .onDisk(path)).execute("CREATE TABLE t(a)")
        let readOnly = try Connection(
            storageLocation: .onDisk(path),
            readOnly: true,
            multiThreaded: false,
            sharedCache: false
        )
        #expect(readOnly.readOnly)
        #expect(throws: SQLiteError.self) { try readOnly.execute("INSERT INTO t VALUES(1)") }
        let polling = try Connection(storageLocation: .onDisk(path), tableLockPolicy: .poll(0.01))
        guard case .poll(let interval) = polling.tableLockPolicy else {
            Issue.record("not polling")
            return
        }
        #expect(interval == 0.01)
        polling.tableLockPolicy = .fastFail
        let flags: Int32 = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX
        let withFlags = try Connection(storageLocation: .onDisk(path), flags: flags)
        let withPolicy = try Connection(
            storageLocation: .onDisk(path),
            tableLockPolicy: .fastFail,
            flags: flags
        )
        #expect(!withFlags.readOnly && !withPolicy.readOnly)
    }

    @Test func aMissingFileCannotBeOpenedReadOnly() {
        do {
            _ = try Connection(storageLocation: .onDisk(temporaryPath()), readOnly: true)
            Issue.record("it opened")
        } catch let error as SQLiteError {
            #expect(error.code == SQLITE_CANTOPEN)
            #expect(error.codeDescription == "SQLITE_CANTOPEN")
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func theCountersCount() throws {
        let connection = try makeConnection()
        try connection.run("INSERT INTO cars(name, price) VALUES(?, ?)", "Fiat", 1)
        #expect(connection.lastInsertRowID == Int64(4))
        #expect(connection.changes == 1)
        try connection.run("UPDATE cars SET price = 1")
        #expect(connection.changes == 4)
        let total: Int = connection.totalChanges
        #expect(total == 8)
        connection.interrupt()
    }

    @Test func executeRunsSeveralStatements() throws {
        let connection = try Connection()
        let sql: SQL = "CREATE TABLE a(x); CREATE TABLE b(x); INSERT INTO b VALUES(1)"
        try connection.execute(sql)
        let count: Int? = try connection.query("SELECT count(*) FROM b")
        #expect(count == 1)
    }

    @Test func prepareAndRunTakeTheirThreeForms() throws {
        let connection = try makeConnection()
        let names: [String: Bindable?] = [":id": 7, ":name": "Opel", ":price": 5]
        let values: [Bindable?] = [8, "Ford", nil]
        try connection.prepare("INSERT INTO cars(id, name, price) VALUES(?, ?, ?)").bind(
            4,
            "Audi",
            52_642
        ).run()
        try connection.prepare("INSERT INTO cars(id, name, price) VALUES(:id, :name, :price)")
            .bind([":id": 5, ":name": "Audi", ":price": 52_642]).run()
        try connection.prepare("INSERT INTO cars(id, name, price) VALUES(?, ?, ?)", 6, "Audi", nil)
            .run()
        try connection.prepare(
            "INSERT INTO cars(id, name, price) VALUES(:id, :name, :price)",
            names
        ).run()
        try connection.prepare("INSERT INTO cars(id, name, price) VALUES(?, ?, ?)", values).run()
        try connection.run("INSERT INTO cars(id, name, price) VALUES(?, ?, ?)", 9, "Audi", 52_642)
        try connection.run("INSERT INTO cars(id, name, price) VALUES(?, ?, ?)", [10, "Audi", nil])
        try connection.run(
            "INSERT INTO cars(id, name, price) VALUES(:id, :name, :price)",
            [":id": 11, ":name": "x", ":price": nil]
        )
        try connection.run(
            "INSERT INTO cars(id, name, price) VALUES(:id, :name, :price)",
            parameters: [":id": 12, ":name": "Audi", ":price": 52_642]
        )
        let ids: [Int] = try connection.query("SELECT id FROM cars ORDER BY id")
        #expect(ids == Array(1...12))
    }

    @Test func optionalVariablesAreParameters() throws {
        let connection = try makeConnection()
        let name: String? = nil
        let price: Int? = 3
        try connection.run("UPDATE cars SET name = ?, price = ? WHERE id = ?", name, price, 1)
        try connection.prepare("UPDATE cars SET name = ?, price = ? WHERE id = ?", name, price, 2)
            .run()
        try connection.prepare("UPDATE cars SET name = ?, price = ? WHERE id = ?").bind(
            name,
            price,
            3
        ).run()
        let names: [String?] = try connection.query("SELECT name FROM cars")
        #expect(names == [nil, nil, nil])
    }

    @Test func databasesAreAttachedAndDetached() throws {
        let path = temporaryPath()
        defer { removeDatabase(path) }
        let connection = try Connection()
        try connection.attachDatabase(from: .onDisk(path), withName: "my \"other\" db")
        try connection.execute("CREATE TABLE \"my \"\"other\"\" db\".t(a)")
        try connection.detachDatabase(named: "my \"other\" db")
        try connection.attachDatabase(from: .inMemory, withName: "memory")
        try connection.execute("CREATE TABLE memory.t(a)")
        try connection.detachDatabase(named: "memory")
        #expect(throws: SQLiteError.self) { try connection.detachDatabase(named: "memory") }
    }

    @Test(arguments: [Connection.TransactionType.deferred, .immediate, .exclusive])
    func transactionsCommitAndRollBack(type: Connection.TransactionType) throws {
        let connection = try makeConnection()
        try connection.transaction(transactionType: type) {
            try connection.run("DELETE FROM cars WHERE id = 1")
        }
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try connection.transaction(
                transactionType: type,
                closure: {
                    try connection.run("DELETE FROM cars")
                    throw Failure()
                }
            )
        }
        let count: Int = try connection.query("SELECT count(*) FROM cars")
        #expect(count == 2)
        #expect(Connection.TransactionType(rawValue: type.rawValue) == type)
        try connection.transaction { try connection.execute("DROP TABLE cars") }
    }

    @Test func savepointsNest() throws {
        let connection = try makeConnection()
        try connection.transaction {
            try connection.savepoint(named: "'outer' \"one\"") {
                try connection.run("DELETE FROM cars WHERE id = 1")
                try? connection.savepoint(named: "inner") {
                    try connection.run("DELETE FROM cars")
                    try connection.execute("not SQL")
                }
            }
        }
        let ids: [Int] = try connection.query("SELECT id FROM cars")
        #expect(ids == [2, 3])
    }
}

struct ErrorCompatibilityTests {
    @Test func badParametersAreMisuse() throws {
        let connection = try makeConnection()
        let statement = try connection.prepare("SELECT name FROM cars WHERE id = :id")
        func check(_ body: () throws -> Void) {
            do {
                try body()
                Issue.record("it didn't throw")
            } catch let error as SQLiteError where error.code == SQLITE_MISUSE {
                #expect(error.codeDescription == "SQLITE_MISUSE")
            } catch {
                Issue.record("\(error)")
            }
        }
        check { try statement.bind(1, 2) }
        check { try statement.bind([]) }
        check { try statement.bind([":name": "Audi"]) }
        check { try connection.run("UPDATE cars SET name = ?") }
        check { try connection.run("UPDATE cars SET name = ?", "a", "b") }
        check { _ = try connection.prepare("SELECT :a, :b", [":a": 1, ":c": 2]) }
        check { let _: Int? = try connection.query("SELECT ?, ?", [1]) }
    }

    @Test func anErrorHasACodeAMessageAndADescription() throws {
        let connection = try makeConnection()
        do {
            try connection.run("INSERT INTO cars(id) VALUES(1)")
            Issue.record("it didn't throw")
        } catch var error as SQLiteError {
            #expect(error.code == SQLITE_CONSTRAINT)
            #expect(error.codeDescription == "SQLITE_CONSTRAINT")
            #expect(error.message == "UNIQUE constraint failed: cars.id")
            error.message = "mine"
            #expect(error.message == "mine")
            let describable: CustomStringConvertible = error
            #expect(describable.description.contains("mine"))
        }
    }

    @Test func anExpressibleByRowErrorNamesTheTypeAndTheColumns() throws {
        let connection = try makeConnection()
        do {
            let _: Car? = try connection.query("SELECT name, NULL AS type FROM cars")
            Issue.record("it didn't throw")
        } catch let error as ExpressibleByRowError {
            #expect(String(describing: error.type) == "Car")
            #expect(error.columns.map { $0.name } == ["name", "type"])
            #expect(error.errorDescription?.contains("Car") == true)
            #expect(error.failureReason?.contains("type") == true)
            let localized: LocalizedError = error
            #expect(localized.errorDescription == error.errorDescription)
        }
    }

    @Test func stringsAreEscaped() throws {
        #expect("it's".sqift.addingSQLEscapes() == "'it''s'")
        #expect("".sqift.addingSQLEscapes() == "''")
        let connection = try Connection()
        let text: String? = try connection.query(
            "SELECT \("'); DROP TABLE cars;--".sqift.addingSQLEscapes())"
        )
        #expect(text == "'); DROP TABLE cars;--")
    }
}

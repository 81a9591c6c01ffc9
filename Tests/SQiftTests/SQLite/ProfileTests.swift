import Foundation
import Testing

@testable import SQift

@Suite(.timeLimit(.minutes(20))) struct ProfileTests {
    typealias Event = Connection.TraceEvent

    private let connection: Connection
    private let events = Notes<String>()

    init() throws {
        connection = try Connection.withTable()
    }

    private func receive() {
        connection.profile { [events] sql, _ in events.note(sql) }
    }

    private func receiveEvents() {
        connection.traceEvent(mask: Event.profileMask) { [events] event in
            if case .profile(let sql, _) = event {
                events.note("event \(sql)")
            }
        }
    }

    @Test func boundValuesStayOutOfTheProfile() throws {
        receive()
        try connection.run("INSERT INTO t VALUES(?)", "secret")
        let _: Int? = try connection.query("SELECT count(*) FROM t WHERE x = :x", ["x": "secret"])
        let statement = try connection.prepare("-- one\nSELECT ?1")
        for number in 1...2 {
            try statement.bind(number).run()
        }
        #expect(
            events.take() == [
                "INSERT INTO t VALUES(?)", "SELECT count(*) FROM t WHERE x = :x",
                "-- one\nSELECT ?1", "-- one\nSELECT ?1",
            ]
        )
    }

    @Test func theSecondsIncludeTheCallersTimeBetweenRows() throws {
        var seconds: [Double] = []
        connection.profile { seconds.append($1) }
        try connection.run("SELECT 1")
        // Time that passes is what is measured here; nothing waits for it.
        try connection.forEachRow("SELECT 1") { _ in Thread.sleep(forTimeInterval: 0.05) }
        #expect(seconds.count == 2)
        #expect((0..<60).contains(seconds.first ?? -1))
        #expect((0.03..<60).contains(seconds.last ?? 0))
    }

    @Test func failedAndUnfinishedStatementsAreToldAndTransactionsToo() throws {
        try connection.run("CREATE UNIQUE INDEX i ON t(x)")
        receive()
        try connection.transaction { try connection.run("INSERT INTO t VALUES(?)", 1) }
        let words = events.take().map { String($0.prefix { $0 != " " }) }
        #expect(words == ["BEGIN", "INSERT", "COMMIT"])
        #expect(sqliteError { try connection.run("INSERT INTO t VALUES(?)", 1) } != nil)
        #expect(events.take() == ["INSERT INTO t VALUES(?)"])
        let first: Int? = try connection.query(numbers(to: 10))
        #expect(first == 1)
        #expect(events.take().count == 1)
    }

    @Test func aStatementInsideAnotherIsToldFirst() throws {
        try addCallback("nested", to: connection) { [unowned connection] _ in
            _ = try? connection.run("INSERT INTO t VALUES(?)", "inner")
        }
        receive()
        try connection.run("SELECT nested(?)", 1)
        #expect(events.take() == ["INSERT INTO t VALUES(?)", "SELECT nested(?)"])
    }

    @Test func theConnectionsOtherTracesAreIndependent() throws {
        receive()
        connection.trace { [events] in events.note("trace \($0)") }
        receiveEvents()
        try connection.run("SELECT ?", 1)
        #expect(events.take() == ["trace SELECT 1", "SELECT ?", "event SELECT 1"])
        connection.traceEvent(mask: Event.rowMask) { [events] _ in events.note("row") }
        try connection.run("SELECT ?", 2)
        #expect(events.take() == ["trace SELECT 2", "row", "SELECT ?"])
        connection.trace(nil)
        connection.traceEvent(closure: nil)
        try connection.run("SELECT ?", 3)
        #expect(events.take() == ["SELECT ?"])
        receiveEvents()
        connection.profile(nil)
        try connection.run("SELECT ?", 4)
        #expect(events.take() == ["event SELECT 4"])
        connection.traceEvent(closure: nil)
        try connection.run("SELECT ?", 5)
        #expect(events.take() == [])
    }

    @Test func itMayReplaceAndRemoveItself() throws {
        connection.profile { [unowned connection, events] _, _ in
            connection.profile { [unowned connection] _, _ in
                connection.profile(nil)
                events.note("second")
            }
            events.note("first")
        }
        for number in 1...3 {
            try connection.run("SELECT \(number)")
        }
        #expect(events.take() == ["first", "second"])
    }

    @Test func itIsReleased() throws {
        try expectReleased { connection, keepsake in
            guard let keepsake else { return connection.profile(nil) }
            connection.profile { _, _ in withExtendedLifetime(keepsake) {} }
        }
    }

    @Test func afterCloseItDoesNothing() throws {
        weak var kept: Keepsake?
        try connection.close()
        do {
            let keepsake = Keepsake()
            kept = keepsake
            connection.profile { _, _ in withExtendedLifetime(keepsake) {} }
        }
        #expect(kept == nil)
        connection.profile(nil)
    }

    @Test func aDatabasesConnectionsAreProfiledByAPreparation() throws {
        let notes = SharedNotes<String>()
        let database = try Database.inMemory()
        database.prepareConnections { $0.profile { sql, _ in notes.note(sql) } }
        try database.write { try $0.execute("CREATE TABLE t(x)") }
        #expect(notes.all.contains("CREATE TABLE t(x)"))
    }
}

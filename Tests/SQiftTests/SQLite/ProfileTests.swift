import Foundation
import SQift
import SQiftTestSupport
import Testing

struct ProfileTests {
    typealias Event = Connection.TraceEvent

    private let connection: Connection
    private let events = Notes<String>()

    init() throws {
        connection = try Connection.withTable()
    }

    private func receive() {
        connection.traceEvent(mask: Event.profileMask, expandsSQL: false) { [events] event in
            if case .profile(let sql, _) = event {
                events.note(sql)
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

    @Test func noEventHasABoundValueThen() throws {
        connection.traceEvent(expandsSQL: false) { [events] in events.note("\($0)") }
        let _: String = try connection.query("SELECT ?", "secret")
        let sql = "SELECT ?"
        #expect(events.all.prefix(2) == ["statement: \(sql) (\(sql))", "row of: \(sql)"])
        #expect(!events.take().contains { $0.contains("secret") })
    }

    @Test func theSecondsIncludeTheCallersTimeBetweenRows() throws {
        var seconds: [Double] = []
        connection.traceEvent(mask: Event.profileMask, expandsSQL: false) { event in
            if case .profile(_, let time) = event {
                seconds.append(time)
            }
        }
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
        expectSQLiteError { try connection.run("INSERT INTO t VALUES(?)", 1) }
        #expect(events.take() == ["INSERT INTO t VALUES(?)"])
        #expect(try connection.query(numbers(to: 10)) == 1)
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

    @Test func aDatabasesConnectionsAreProfiledByAPreparation() throws {
        let notes = SharedNotes<String>()
        let database = try Database.inMemory()
        database.prepareConnections { connection in
            connection.traceEvent(mask: Event.profileMask, expandsSQL: false) { event in
                if case .profile(let sql, _) = event {
                    notes.note(sql)
                }
            }
        }
        try database.execute("CREATE TABLE t(x)")
        #expect(notes.all.contains("CREATE TABLE t(x)"))
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

struct TraceTests {
    typealias Event = Connection.TraceEvent

    private let connection: Connection
    private let events = Notes<String>()

    init() throws {
        connection = try Connection.withTable()
    }

    /// An event without what differs from run to run.
    private static func text(_ event: Event) -> String {
        switch event {
        case .statement(let statement, let sql): "statement \(statement) | \(sql)"
        case .profile(let statement, let seconds):
            "profile \(statement) \(seconds >= 0 && seconds < 60)"
        case .row(let statement): "row \(statement)"
        case .connectionClosed: "closed"
        }
    }

    private func receive(_ mask: UInt32? = nil) {
        connection.traceEvent(mask: mask) { [events] in events.note(Self.text($0)) }
    }

    private func receiveSQL() {
        connection.trace { [events] in events.note("trace \($0)") }
    }

    /// What `body` makes the events of statements tell, and after them what it makes `trace` tell.
    private func told(by body: () throws -> Void) rethrows -> [String] {
        receive(Event.statementMask)
        try body()
        receiveSQL()
        try body()
        return events.take()
    }

    // MARK: Events

    @Test func eventsComeInOrder() throws {
        receive()
        let _: [Int] = try connection.query("SELECT ? UNION SELECT 2", 1)
        try connection.run("INSERT INTO t VALUES(?)", "x")
        try connection.close()
        let query = "SELECT 1 UNION SELECT 2"
        let expected = [
            "statement \(query) | SELECT ? UNION SELECT 2", "row \(query)", "row \(query)",
            "profile \(query) true",
            "statement INSERT INTO t VALUES('x') | INSERT INTO t VALUES(?)",
            "profile INSERT INTO t VALUES('x') true",
            "closed",
        ]
        #expect(events.take() == expected)
    }

    private static let masks: [(mask: UInt32, events: [String])] = [
        (Event.statementMask, ["statement SELECT 1 | SELECT ?"]),
        (Event.profileMask, ["profile SELECT 1 true"]),
        (Event.rowMask, ["row SELECT 1"]), (Event.connectionClosedMask, ["closed"]),
        (Event.rowMask | Event.connectionClosedMask, ["row SELECT 1", "closed"]), (0, []),
        (0xffff_fff0, []),
        (0xffff_fff0 | Event.rowMask, ["row SELECT 1"]),
        (
            UInt32.max,
            ["statement SELECT 1 | SELECT ?", "row SELECT 1", "profile SELECT 1 true", "closed"]
        ),
    ]

    @Test(arguments: masks)
    func aMaskChoosesEvents(mask: UInt32, expected: [String]) throws {
        receive(mask)
        let _: Int = try connection.query("SELECT ?", 1)
        try connection.close()
        #expect(events.take() == expected)
    }

    @Test func theMasksAreDifferentBits() {
        let masks = [
            Event.statementMask, Event.profileMask, Event.rowMask, Event.connectionClosedMask,
        ]
        #expect(masks.allSatisfy { $0.nonzeroBitCount == 1 })
        #expect(Set(masks).count == 4)
        #expect(masks.reduce(0, +) == masks.reduce(0, |))
    }

    @Test func boundValuesAreFilledIn() throws {
        let blob = Data([0, 0xab])
        let nothing: Int? = nil
        let values = try told {
            try connection.run("SELECT ?, ?, ?, ?, ?3", "it's", blob, nothing, 1.5)
        }
        let expanded = "SELECT 'it''s', x'00ab', NULL, 1.5, NULL"
        #expect(values == ["statement \(expanded) | SELECT ?, ?, ?, ?, ?3", "trace \(expanded)"])

        let statement = try connection.prepare("SELECT :a -- ?")
        var number = 0
        let named = try told {
            number += 1
            try statement.bind([":a": number]).run()
        }
        #expect(named == ["statement SELECT 1 -- ? | SELECT :a -- ?", "trace SELECT 2 -- ?"])
    }

    @Test func aStatementThatBeginsWithACommentIsNoTrigger() throws {
        let events = try told { try connection.run("-- find it\nSELECT ?", 1) }
        let expanded = "-- find it\nSELECT 1"
        #expect(
            events == ["statement \(expanded) | -- find it\nSELECT ?", "trace \(expanded)"]
        )
    }

    @Test func aTriggerShowsAsAComment() throws {
        try connection.execute(
            """
            CREATE TABLE log(x);
            CREATE TRIGGER logging AFTER INSERT ON t BEGIN INSERT INTO log VALUES(new.x); END
            """
        )
        let insert = "INSERT INTO t VALUES(5)"
        let events = try told { try connection.run("INSERT INTO t VALUES(?)", 5) }
        let plain = ["statement \(insert) | INSERT INTO t VALUES(?)", "trace \(insert)"]
        #expect(events.filter(plain.contains) == plain)
        // Its statements may show as comments too.
        let comments = events.filter { !plain.contains($0) }
        #expect(comments.contains { $0.hasPrefix("statement") && $0.hasSuffix("logging") })
        #expect(comments.contains { $0.hasPrefix("trace -- ") && $0.hasSuffix("logging") })
        let areComments = comments.allSatisfy {
            $0.hasPrefix("trace -- ") || $0.hasPrefix("statement \(insert) | -- ")
        }
        #expect(areComments, "\(comments)")
    }

    @Test func aStatementInsideAnotherHasItsPlaceholders() throws {
        try addCallback("nested", to: connection) { [unowned connection] _ in
            _ = try? connection.run("INSERT INTO t VALUES(?)", "inner")
        }
        let inner = "INSERT INTO t VALUES(?)"
        let expected = [
            "statement SELECT nested(1) | SELECT nested(1)", "statement \(inner) | \(inner)",
            "trace SELECT nested(1)", "trace \(inner)",
        ]
        #expect(try told { try connection.run("SELECT nested(1)") } == expected)
    }

    @Test func aForeignKeysActionRepeatsItsStatement() throws {
        try connection.execute(
            """
            PRAGMA foreign_keys = ON;
            CREATE TABLE parents(id INTEGER PRIMARY KEY);
            CREATE TABLE children(parent REFERENCES parents ON DELETE CASCADE);
            INSERT INTO parents VALUES(7);
            INSERT INTO children VALUES(7)
            """
        )
        receiveSQL()
        try connection.run("DELETE FROM parents WHERE id = ?", 7)
        #expect(events.take().filter { $0 == "trace DELETE FROM parents WHERE id = 7" }.count == 2)
    }

    @Test func eachRowIsToldOnce() throws {
        receive(Event.rowMask)
        let _: [Int] = try connection.query(numbers(to: 100))
        #expect(events.take().count == 100)
        let _: Int? = try connection.query("SELECT x FROM t")
        #expect(events.take() == [])
        let _: Int? = try connection.query("INSERT INTO t VALUES(1) RETURNING x")
        #expect(events.take().count == 1)
    }

    @Test func whatSQLiteRunsForItselfGivesNoEvents() throws {
        receive(Event.rowMask)
        try connection.execute(
            """
            CREATE TABLE u(x);
            ALTER TABLE u RENAME TO v;
            CREATE INDEX i ON v(x);
            CREATE VIEW w AS SELECT x FROM v;
            DROP TABLE v
            """
        )
        #expect(events.take() == [])

        try connection.run("INSERT INTO t VALUES(zeroblob(10))")
        let blob = try connection.openBlob(table: "t", column: "x", rowID: 1)
        // The library itself has asked for generated columns.
        _ = events.take()
        _ = try blob.read(at: 0, count: 10)
        try blob.close()
        #expect(events.take() == [])
    }

    @Test func eachEventOfATableThatIsCreatedHasItsSQL() throws {
        receive()
        try connection.execute("CREATE TABLE u(x)")
        let sql = "CREATE TABLE u(x)"
        let told = events.take()
        #expect(told.first == "statement \(sql) | \(sql)")
        #expect(told.last == "profile \(sql) true")
        #expect(told.filter { !$0.contains(sql) } == [])
    }

    @Test func aFailedStatementEndsToo() throws {
        try connection.run("CREATE UNIQUE INDEX i ON t(x)")
        receive(Event.statementMask | Event.profileMask)
        try connection.run("INSERT INTO t VALUES(1)")
        _ = events.take()
        expectSQLiteError { try connection.run("INSERT INTO t VALUES(?)", 1) }
        let insert = "INSERT INTO t VALUES(1)"
        #expect(
            events.take() == [
                "statement \(insert) | INSERT INTO t VALUES(?)", "profile \(insert) true",
            ]
        )
    }

    // MARK: Setting them

    @Test func theLastOneReplacesTheOther() throws {
        receive(Event.rowMask)
        receiveSQL()
        try connection.run("SELECT 1")
        #expect(events.take() == ["trace SELECT 1"])
        receive(Event.rowMask)
        try connection.run("SELECT 2")
        #expect(events.take() == ["row SELECT 2"])
        receive(0)
        try connection.run("SELECT 3")
        #expect(events.take() == [])
        receiveSQL()
        connection.traceEvent(closure: nil)
        try connection.run("SELECT 4")
        #expect(events.take() == [])
        receive()
        connection.trace(nil)
        try connection.run("SELECT 5")
        try connection.close()
        #expect(events.take() == [])
    }

    @Test func theyMayReplaceAndRemoveThemselves() throws {
        let keepsake = Keepsake()
        connection.trace { [unowned connection, events] _ in
            connection.traceEvent(mask: Event.statementMask) { _ in
                connection.traceEvent(closure: nil)
                withExtendedLifetime(keepsake) { events.note("second") }
            }
            withExtendedLifetime(keepsake) { events.note("trace") }
        }
        for number in 1...3 {
            try connection.run("SELECT \(number)")
        }
        #expect(events.take() == ["trace", "second"])
    }

    @Test func closuresAreReleased() throws {
        try expectReleased { connection, keepsake in
            guard let keepsake else { return connection.trace(nil) }
            connection.trace { _ in withExtendedLifetime(keepsake) {} }
        }
        try expectReleased { connection, keepsake in
            guard let keepsake else { return connection.traceEvent(closure: nil) }
            connection.traceEvent { _ in withExtendedLifetime(keepsake) {} }
        }
    }

    @Test func afterCloseTheyDoNothing() throws {
        weak var kept: Keepsake?
        try connection.close()
        do {
            let keepsake = Keepsake()
            kept = keepsake
            connection.trace { _ in withExtendedLifetime(keepsake) {} }
            connection.traceEvent { _ in withExtendedLifetime(keepsake) {} }
        }
        #expect(kept == nil)
        connection.trace(nil)
        connection.traceEvent(closure: nil)
    }

    @Test func anEventDescribesItselfInOneLine() throws {
        var descriptions: [String] = []
        connection.traceEvent { descriptions.append($0.description) }
        try connection.run("SELECT ?,\r\n\t'a\nb\u{2028}c'", "x\ny")
        try connection.close()
        #expect(descriptions.count == 4)
        for description in descriptions {
            let hasNewline = description.contains { $0.isNewline }
            #expect(!hasNewline, "\(description)")
        }
        #expect(descriptions.first?.hasPrefix("statement: SELECT") == true)
        #expect(
            Event.profile(statement: "SELECT 1", seconds: 0.25).description
                == "0.250000 s: SELECT 1"
        )
        #expect(Event.row(statement: "SELECT 1").description == "row of: SELECT 1")
    }

    /// The trace of a connection is set back after a closure that has set its own.
    @Test func aTraceThatIsSetBackStillShowsNoValues() throws {
        let events = SharedNotes<String>()
        let connection = try Connection()
        connection.traceEvent(expandsSQL: false) { events.note("\($0)") }
        let queue = ConnectionQueue(connection: connection)
        try queue.execute { $0.traceEvent { _ in } }
        try queue.execute { try $0.run("SELECT ?", "secret") }
        #expect(events.all.contains { $0.contains("SELECT ?") })
        #expect(!events.all.contains { $0.contains("secret") })
    }
}

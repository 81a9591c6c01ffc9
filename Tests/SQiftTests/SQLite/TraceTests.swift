import Foundation
import Testing

@testable import SQift

@Suite(.timeLimit(.minutes(20))) struct TraceTests {
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
        receive(Event.statementMask)
        receiveSQL()
        let blob = Data([0, 0xab])
        let nothing: Int? = nil
        try connection.run("SELECT ?, ?, ?, ?, ?3", "it's", blob, nothing, 1.5)
        let expanded = "SELECT 'it''s', x'00ab', NULL, 1.5, NULL"
        #expect(
            events.take() == ["trace \(expanded)", "statement \(expanded) | SELECT ?, ?, ?, ?, ?3"]
        )

        let statement = try connection.prepare("SELECT :a -- ?")
        for number in 1...2 {
            try statement.bind([":a": number]).run()
        }
        let expected = (1...2).flatMap {
            ["trace SELECT \($0) -- ?", "statement SELECT \($0) -- ? | SELECT :a -- ?"]
        }
        #expect(events.take() == expected)
    }

    @Test func aStatementThatBeginsWithACommentIsNoTrigger() throws {
        receive(Event.statementMask)
        receiveSQL()
        try connection.run("-- find it\nSELECT ?", 1)
        let expanded = "-- find it\nSELECT 1"
        #expect(
            events.take() == ["trace \(expanded)", "statement \(expanded) | -- find it\nSELECT ?"]
        )
    }

    @Test func aTriggerShowsAsAComment() throws {
        try connection.execute(
            """
            CREATE TABLE log(x);
            CREATE TRIGGER logging AFTER INSERT ON t BEGIN INSERT INTO log VALUES(new.x); END
            """
        )
        receive(Event.statementMask)
        receiveSQL()
        try connection.run("INSERT INTO t VALUES(?)", 5)
        let insert = "INSERT INTO t VALUES(5)"
        let told = events.take()
        #expect(
            told.prefix(2) == ["trace \(insert)", "statement \(insert) | INSERT INTO t VALUES(?)"]
        )
        // Its statements may show as comments too.
        let comments = told.dropFirst(2)
        #expect(comments.first?.hasPrefix("trace -- ") == true)
        #expect(comments.first?.hasSuffix("logging") == true)
        let areComments = comments.allSatisfy {
            $0.hasPrefix("trace -- ") || $0.hasPrefix("statement \(insert) | -- ")
        }
        #expect(areComments, "\(comments)")
    }

    @Test func aStatementInsideAnotherHasItsPlaceholders() throws {
        try addCallback("nested", to: connection) { [unowned connection] _ in
            _ = try? connection.run("INSERT INTO t VALUES(?)", "inner")
        }
        receive(Event.statementMask)
        receiveSQL()
        try connection.run("SELECT nested(1)")
        let inner = "INSERT INTO t VALUES(?)"
        let expected = [
            "trace SELECT nested(1)", "statement SELECT nested(1) | SELECT nested(1)",
            "trace \(inner)",
            "statement \(inner) | INSERT INTO t VALUES(?)",
        ]
        #expect(events.take() == expected)
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

    @Test func theProfileIncludesTheCallersTime() throws {
        var seconds: [Double] = []
        connection.traceEvent(mask: Event.profileMask) { event in
            if case .profile(_, let time) = event {
                seconds.append(time)
            }
        }
        // Time that passes is what is measured here; nothing waits for it.
        try connection.forEachRow("SELECT 1") { _ in Thread.sleep(forTimeInterval: 0.05) }
        #expect(seconds.count == 1)
        #expect((0.03..<60).contains(seconds.first ?? 0))
    }

    @Test func aFailedStatementEndsToo() throws {
        try connection.run("CREATE UNIQUE INDEX i ON t(x)")
        receive(Event.statementMask | Event.profileMask)
        try connection.run("INSERT INTO t VALUES(1)")
        _ = events.take()
        _ = sqliteError { try connection.run("INSERT INTO t VALUES(?)", 1) }
        let insert = "INSERT INTO t VALUES(1)"
        #expect(
            events.take() == [
                "statement \(insert) | INSERT INTO t VALUES(?)", "profile \(insert) true",
            ]
        )
    }

    // MARK: Setting them

    @Test func traceAndTraceEventAreIndependent() throws {
        receiveSQL()
        try connection.run("SELECT 1")
        #expect(events.take() == ["trace SELECT 1"])
        receive(Event.rowMask)
        try connection.run("SELECT 2")
        #expect(events.take() == ["trace SELECT 2", "row SELECT 2"])
        connection.trace(nil)
        try connection.run("SELECT 3")
        #expect(events.take() == ["row SELECT 3"])
        receiveSQL()
        connection.traceEvent(closure: nil)
        try connection.run("SELECT 4")
        #expect(events.take() == ["trace SELECT 4"])
        receive(0)
        try connection.run("SELECT 5")
        #expect(events.take() == ["trace SELECT 5"])
        connection.trace(nil)
        connection.traceEvent(closure: nil)
        try connection.run("SELECT 6")
        try connection.close()
        #expect(events.take() == [])
    }

    @Test func theyAreReplaced() throws {
        receiveSQL()
        receive()
        connection.trace { [events] in events.note("second \($0)") }
        connection.traceEvent(mask: Event.rowMask) { [events] _ in events.note("second row") }
        try connection.run("SELECT 1")
        #expect(events.take() == ["second SELECT 1", "second row"])
    }

    @Test func theyMayReplaceAndRemoveThemselves() throws {
        let keepsake = Keepsake()
        connection.trace { [unowned connection, events] _ in
            connection.trace(nil)
            withExtendedLifetime(keepsake) { events.note("trace") }
        }
        connection.traceEvent(mask: Event.statementMask) { [unowned connection, events] _ in
            connection.traceEvent(mask: Event.statementMask) { _ in
                connection.traceEvent(closure: nil)
                withExtendedLifetime(keepsake) { events.note("second") }
            }
            withExtendedLifetime(keepsake) { events.note("first") }
        }
        for number in 1...3 {
            try connection.run("SELECT \(number)")
        }
        #expect(events.take() == ["trace", "first", "second"])
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
}

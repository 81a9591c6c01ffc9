import Foundation
import SQift
import SQiftTestSupport
import Testing

private final class Witness {}

struct CollationTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute(
            "CREATE TABLE t(x TEXT); INSERT INTO t VALUES('b'), ('A'), ('a'), ('C'), ('B')"
        )
    }

    private func ordered(by name: String, on connection: Connection? = nil) throws -> [String] {
        let connection = connection ?? self.connection
        return try connection.query("SELECT x FROM t ORDER BY x COLLATE \(name), x")
    }

    private static func ignoringCase(_ lhs: String, _ rhs: String) -> ComparisonResult {
        let (lhs, rhs) = (lhs.lowercased(), rhs.lowercased())
        return lhs < rhs ? .orderedAscending : lhs > rhs ? .orderedDescending : .orderedSame
    }

    private static func reversed(_ lhs: String, _ rhs: String) -> ComparisonResult {
        lhs < rhs ? .orderedDescending : lhs > rhs ? .orderedAscending : .orderedSame
    }

    // MARK: Use

    @Test func rowsAreOrderedByACollation() throws {
        try connection.addCollation(named: "folded", Self.ignoringCase)
        try connection.addCollation(named: "backwards", Self.reversed)
        try #expect(ordered(by: "folded") == ["A", "a", "B", "b", "C"])
        try #expect(ordered(by: "BACKWARDS") == ["b", "a", "C", "B", "A"])
        try #expect(connection.query("SELECT max(x COLLATE backwards) FROM t") == "A")
        try #expect(connection.query("SELECT 'abc' = 'ABC' COLLATE folded") == true)
        try #expect(
            connection.query(
                "SELECT x FROM t WHERE x COLLATE backwards > 'b' ORDER BY rowid LIMIT 1"
            ) == "A"
        )
    }

    @available(*, deprecated)
    @Test func theFormOfSQift5AddsACollationToo() throws {
        #expect(connection.createCollation(named: "backwards", collate: Self.reversed) == nil)
        try #expect(ordered(by: "backwards") == ["b", "a", "C", "B", "A"])
        connection.createCollation(named: "backwards") { Self.ignoringCase($0, $1) }
        try #expect(ordered(by: "backwards") == ["A", "a", "B", "b", "C"])
    }

    @Test func textsThatCompareAsEqualAreEqual() throws {
        try connection.addCollation(named: "folded", Self.ignoringCase)
        try connection.execute(
            "CREATE TABLE u(x TEXT COLLATE folded UNIQUE); INSERT INTO u VALUES('É')"
        )
        expectSQLiteError(extended: .constraintUnique) {
            try connection.run("INSERT INTO u VALUES('é')")
        }
        try connection.run("INSERT INTO u VALUES('e')")
        try #expect(connection.query("SELECT x FROM u WHERE x = 'é'") == "É")
        try #expect(connection.query("SELECT count(DISTINCT x COLLATE folded) FROM t") == 3)
        let counts: [Int] = try connection.query(
            "SELECT count(*) FROM t GROUP BY x COLLATE folded ORDER BY min(x)"
        )
        #expect(counts == [2, 2, 1])
    }

    @Test func anIndexWithACollationFindsItsRows() throws {
        let folder = try TemporaryFolder()
        let keys = (0..<500).map { "\($0)" }.joined(separator: ",")
        var calls = 0
        do {
            let writer = try folder.connection()
            try writer.addCollation(named: "folded", Self.ignoringCase)
            try writer.execute("CREATE TABLE t(x TEXT); CREATE INDEX i ON t(x COLLATE folded)")
            try writer.run(
                "INSERT INTO t SELECT 'Key ' || value FROM json_each(?)",
                "[\(keys)]"
            )
        }
        let connection = try folder.connection()
        expectSQLiteError(message: "no such collation sequence: folded") {
            try connection.run("SELECT x FROM t WHERE x = 'KEY 77' COLLATE folded")
        }
        try connection.addCollation(named: "FOLDED") {
            calls += 1
            return Self.ignoringCase($0, $1)
        }
        try #expect(
            connection.query("SELECT x FROM t WHERE x = 'KEY 77' COLLATE folded") == "Key 77"
        )
        #expect((1...30).contains(calls))
        try #expect(connection.query("PRAGMA integrity_check") == "ok")
    }

    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func everyTextReachesTheCollationWhole(encoding: String) throws {
        let connection = try Connection()
        try connection.execute("PRAGMA encoding = '\(encoding)'; CREATE TABLE t(x TEXT)")
        let texts: Set<String> = [
            "", "a\0b", "a\0c", "\0", "été", "日本😀", String(repeating: "ü", count: 10_000),
        ]
        for text in texts {
            try connection.run("INSERT INTO t VALUES(?)", text)
        }
        var seen: Set<String> = []
        try connection.addCollation(named: "watched") { lhs, rhs in
            seen.formUnion([lhs, rhs])
            return lhs < rhs ? .orderedAscending : lhs > rhs ? .orderedDescending : .orderedSame
        }
        let sorted: [String] = try connection.query("SELECT x FROM t ORDER BY x COLLATE watched")
        #expect(sorted == texts.sorted())
        #expect(seen == texts)
        try #expect(
            connection.query("SELECT count(DISTINCT x COLLATE watched) FROM t") == texts.count
        )
    }

    @Test func bytesThatAreNotUTF8ReachItAsReplacements() throws {
        var seen: Set<String> = []
        try connection.addCollation(named: "watched") { lhs, rhs in
            seen.formUnion([lhs, rhs])
            return Self.reversed(lhs, rhs)
        }
        let isLess: Bool = try connection.query(
            "SELECT CAST(x'61ff62' AS TEXT) < CAST(x'c3' AS TEXT) COLLATE watched"
        )
        #expect(seen == ["a\u{fffd}b", "\u{fffd}"])
        #expect(!isLess)
    }

    @Test func onlyTextsAreCompared() throws {
        try connection.addCollation(named: "watched") { lhs, rhs in
            Issue.record("\(lhs) and \(rhs)")
            return .orderedSame
        }
        let values: [BindingValue] = try connection.query(
            "SELECT column1 FROM (VALUES(2), (x'01'), ('only'), (1), (NULL), (1.5)) ORDER BY column1 COLLATE watched"
        )
        #expect(
            values == [
                .null, .integer(1), .real(1.5), .integer(2), .text("only"), .blob(Data([1])),
            ]
        )
    }

    // MARK: Bad orders

    @Test func aCollationThatAnswersAtRandomEnds() throws {
        var random = SeededGenerator(state: 7)
        let answers: [ComparisonResult] = [.orderedAscending, .orderedSame, .orderedDescending]
        let bad: [Connection.Collation] = [
            { _, _ in answers[Int.random(in: 0...2, using: &random)] },
            { _, _ in .orderedAscending },
            { _, _ in .orderedDescending },
            { _, _ in .orderedSame },
        ]
        for collation in bad {
            let connection = try Connection()
            try connection.addCollation(named: "bad", collation)
            try connection.execute("CREATE TABLE u(x TEXT COLLATE bad, y); CREATE INDEX i ON u(x)")
            for number in 0..<300 {
                try connection.run("INSERT INTO u VALUES(?, ?)", "text \(number)", number)
            }
            try expectRows(300, of: "u", on: connection)
            let all: [String] = try connection.query(
                "SELECT x FROM u ORDER BY x || ''  COLLATE bad"
            )
            #expect(all.count == 300)
            for sql in [
                "SELECT DISTINCT x FROM u", "SELECT max(x) FROM u GROUP BY x",
                "UPDATE u SET x = x || '!' WHERE x > 'text 5'", "DELETE FROM u WHERE x < 'text 5'",
            ] {
                do {
                    try connection.run(sql)
                } catch let error as SQLiteError {
                    #expect(error.resultCode == .corrupt)
                }
            }
            let left = try count("u", on: connection)
            #expect((0...300).contains(left))
        }
    }

    // MARK: Replacing and removing

    @Test func preparedStatementsUseTheCollationThatReplacesTheirs() throws {
        try connection.addCollation(named: "c", Self.reversed)
        let prepared = try connection.prepare("SELECT x FROM t ORDER BY x COLLATE c, x")
        try #expect(prepared.query() == ["b", "a", "C", "B", "A"])
        try connection.addCollation(named: "C", Self.ignoringCase)
        try #expect(prepared.query() == ["A", "a", "B", "b", "C"])
        try #expect(ordered(by: "c") == ["A", "a", "B", "b", "C"])
    }

    @Test func removingMakesACollationUnknown() throws {
        try connection.addCollation(named: "backwards", Self.reversed)
        try #expect(ordered(by: "backwards").first == "b")
        try connection.removeCollation(named: "BackWards")
        expectSQLiteError(message: "no such collation sequence: backwards") {
            _ = try ordered(by: "backwards")
        }
        try connection.removeCollation(named: "backwards")
        try connection.addCollation(named: "backwards", Self.ignoringCase)
        try #expect(ordered(by: "backwards").first == "A")
    }

    @Test func anyNameWorksInQuotes() throws {
        for name in ["a b", "it's \"quoted\"", "日本😀", String(repeating: "long", count: 200)] {
            try connection.addCollation(named: name, Self.reversed)
            try #expect(ordered(by: name.sqift.quotedIdentifier).first == "b")
            try connection.removeCollation(named: name)
        }
    }

    @available(*, deprecated)
    @Test func aNameWithANULByteIsRefused() throws {
        weak var witness: Witness?
        do {
            let held = Witness()
            witness = held
            let collation: Connection.Collation = { lhs, rhs in
                withExtendedLifetime(held) { Self.reversed(lhs, rhs) }
            }
            expectSQLiteError(.misuse) { try connection.addCollation(named: "c\0d", collation) }
            #expect(
                connection.createCollation(named: "c\0d", collate: collation)?.resultCode == .misuse
            )
            expectSQLiteError(.misuse) { try connection.removeCollation(named: "NOCASE\0") }
        }
        #expect(witness == nil)
        expectSQLiteError { _ = try ordered(by: "c") }
    }

    @available(*, deprecated)
    @Test func replacingAndRemovingWhileAStatementRunsIsBusy() throws {
        try connection.addCollation(named: "c", Self.reversed)
        weak var old: Witness?
        var found: [String] = []
        try connection.forEachRow("SELECT x FROM t ORDER BY x COLLATE c") { row in
            let held = Witness()
            old = held
            let collation: Connection.Collation = { lhs, rhs in
                withExtendedLifetime(held) { Self.ignoringCase(lhs, rhs) }
            }
            expectSQLiteError(.busy) { try connection.addCollation(named: "C", collation) }
            #expect(connection.createCollation(named: "c", collate: collation)?.resultCode == .busy)
            expectSQLiteError(.busy) { try connection.removeCollation(named: "c") }
            try connection.addCollation(named: "other\(found.count)", Self.ignoringCase)
            try connection.removeCollation(named: "nosuch")
            found.append(try row.get(0))
        }
        #expect(old == nil)
        #expect(found == ["b", "a", "C", "B", "A"])
    }

    @available(*, deprecated)
    @Test func aClosedConnectionTakesNoCollation() throws {
        try connection.close()
        expectSQLiteError(.misuse) { try connection.addCollation(named: "c", Self.reversed) }
        #expect(
            connection.createCollation(named: "c", collate: Self.reversed)?.resultCode == .misuse
        )
        expectSQLiteError(.misuse) { try connection.removeCollation(named: "c") }
    }

    @available(*, deprecated)
    @Test func closuresAreReleasedWhenTheyAreNoLongerNeeded() throws {
        let releases: [(inout Connection?) throws -> Void] = [
            { try $0?.addCollation(named: "C", Self.reversed) },
            { $0?.createCollation(named: "c", collate: Self.reversed) },
            { try $0?.removeCollation(named: "C") },
            { try $0?.close() },
            { $0 = nil },
        ]
        for encoding in ["UTF-8", "UTF-16"] {
            for (number, release) in releases.enumerated() {
                var connection: Connection? = try Connection()
                try connection?.execute(
                    "PRAGMA encoding = '\(encoding)'; CREATE TABLE t(x); INSERT INTO t VALUES('b'), ('a')"
                )
                weak var witness: Witness?
                do {
                    let held = Witness()
                    witness = held
                    try connection?.addCollation(named: "c") { lhs, rhs in
                        withExtendedLifetime(held) { Self.ignoringCase(lhs, rhs) }
                    }
                }
                try #expect(ordered(by: "c", on: connection) == ["a", "b"])
                #expect(witness != nil)
                try release(&connection)
                #expect(witness == nil, "\(number)")
                if number < 2 {
                    try #expect(ordered(by: "c", on: connection) == ["b", "a"])
                }
            }
        }
    }
}

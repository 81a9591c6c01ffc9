import Foundation
import SQiftTestSupport
import Testing

import SQift

private struct Bytes: Bindable {
    let bytes: [UInt8]
    var bindingValue: BindingValue { .text(String(decoding: bytes, as: UTF8.self)) }
    func bind(to slot: borrowing ParameterSlot) throws {
        try bytes.withUnsafeBytes { try slot.bind(utf8: $0) }
    }
}

/// A text without bytes and without an address.
private struct NoBytes: Bindable {
    var bindingValue: BindingValue { .text("") }
    func bind(to slot: borrowing ParameterSlot) throws {
        try slot.bind(utf8: UnsafeRawBufferPointer(start: nil, count: 0))
    }
}

struct ParameterSlotTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    @Test func aTextWithoutAnAddressIsNotNULL() throws {
        try connection.addFunction(named: "none") { () -> NoBytes in NoBytes() }
        #expect(try connection.query("SELECT typeof(?1) || length(?1)", NoBytes()) == "text0")
        #expect(try connection.query("SELECT typeof(none()) || length(none())") == "text0")
    }

    /// Lengths around the limits of Swift's small strings and of what the statement keeps in memory
    /// of its own.
    static let lengths = [0, 1, 14, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097, 100_000]

    @Test(arguments: lengths)
    func aTextOfAnyLengthComesBack(length: Int) throws {
        for text in [
            String(repeating: "x", count: length), String(repeating: "é", count: (length + 1) / 2),
        ] {
            #expect(try connection.query("SELECT ?", text) == text)
            let data = Data(text.utf8)
            #expect(try connection.query("SELECT ?", data) as Data == data)
        }
    }

    @Test func lengthsThatAlternateDoNotLeakIntoEachOther() throws {
        let echo = try connection.prepare("SELECT ? AS a, ? AS b")
        for first in Self.lengths {
            for second in Self.lengths.reversed() {
                let (a, b) = (
                    String(repeating: "a", count: first), Data(repeating: 0x62, count: second)
                )
                let row: Row? = try echo.bind(a, b).query()
                #expect(row?[0] == a)
                #expect(row?[1] == b)
            }
        }
    }

    @Test(arguments: [1, 20, 21, 50, 100])
    func manyShortValuesOfOneStatementAreKeptApart(count: Int) throws {
        let statement = try connection.prepare(
            "SELECT " + Array(repeating: "?", count: count).joined(separator: ",")
        )
        for round in 0..<3 {
            let values = (0..<count).map { String(repeating: "\(($0 + round) % 10)", count: 200) }
            let found: Row? = try statement.bind(values).query()
            let row = try #require(found)
            #expect(try (0..<count).map { try row.get($0) as String } == values)
            #expect(
                statement.expandedSQL == "SELECT " + values.map { "'\($0)'" }.joined(separator: ",")
            )
        }
    }

    @Test func textsAndBlobsShareTheRoomFairly() throws {
        let values: [BindingValue] = (0..<60).map { number in
            let length = number == 30 ? 70_000 : (number * 37) % 300
            return number % 2 == 0
                ? .text(String(repeating: "t", count: length))
                : .blob(Data(repeating: UInt8(number), count: length))
        }
        let statement = try connection.prepare(
            "VALUES " + Array(repeating: "(?)", count: values.count).joined(separator: ",")
        )
        for list in [values, values.reversed(), values] {
            try statement.bind(list)
            #expect(try statement.query() as [BindingValue] == list)
        }
    }

    @Test func rowsOfEarlierValuesOutliveARebinding() throws {
        let echo = try connection.prepare("SELECT ?, ?")
        var rows: [Row] = []
        var expected: [String] = []
        for number in 0..<100 {
            let text = "value \(number) " + String(repeating: "x", count: number * 4)
            let row: Row? = try echo.bind(text, Data(text.utf8)).query()
            rows.append(try #require(row))
            expected.append(text)
        }
        #expect(rows.map { $0[0] } == expected)
        #expect(rows.map { $0[1] } == expected.map { Data($0.utf8) })
    }

    @Test func rowsOfACachedStatementOutliveItsNextUse() throws {
        var rows: [Row] = []
        for number in 0..<20 {
            let row: Row? = try connection.query("SELECT ?", ["value \(number)"])
            rows.append(try #require(row))
        }
        connection.releaseMemory()
        #expect(rows.map { $0[0] } == (0..<20).map { "value \($0)" })
    }

    @Test func sortedAndGroupedResultsKeepWhatWasBound() throws {
        let statement = try connection.prepare(
            "SELECT max(column1), group_concat(column1, ',') FROM (SELECT column1 FROM (VALUES(?), (?), (?)) ORDER BY 1)"
        )
        for round in 0..<5 {
            let values = ["c\(round)", "a\(round)", "b\(round)"]
            #expect(
                try statement.bind(values).query() as [String: String] == [
                    "c\(round)": "a\(round),b\(round),c\(round)"
                ]
            )
        }
    }

    @Test func storedValuesSurviveARebindingOfTheirStatement() throws {
        try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b BLOB)")
        let insert = try connection.prepare("INSERT INTO t VALUES(?, ?, ?)")
        for number in 0..<500 {
            let text = String(repeating: "\(number)", count: number % 80)
            try insert.bind(number, text, Data(text.utf8)).run()
        }
        try connection.forEachRow("SELECT * FROM t") { row in
            let number: Int = try row.get(0)
            let text = String(repeating: "\(number)", count: number % 80)
            #expect(try row.get(1) == text)
            #expect(try row.get(2) == Data(text.utf8))
        }
    }

    @Test func expandedSQLShowsEveryStorageClass() throws {
        let statement = try Connection().prepare(
            "SELECT ?, ?, ?, ?, ?",
            nil,
            1,
            1.5,
            "it's",
            Data([0, 255])
        )
        #expect(statement.expandedSQL == "SELECT NULL, 1, 1.5, 'it''s', x'00ff'")
        try statement.bind(nil, Data([7]), "", true, -1)
        #expect(statement.expandedSQL == "SELECT NULL, x'07', '', 1, -1")
    }

    @Test func whatSQLiteDerivesFromAValueIsDerivedAgainForTheNext() throws {
        try connection.execute(
            "CREATE TABLE t(v TEXT COLLATE NOCASE); CREATE INDEX i ON t(v); INSERT INTO t VALUES('abc'), ('abd'), ('xyz')"
        )
        // Each new value lies where the one before it lay, and is as long.
        let json = try connection.prepare(
            "SELECT json_extract(?1, '$.a') + json_extract(?1, '$.a')"
        )
        let like = try connection.prepare("SELECT count(*) FROM t WHERE v LIKE ?")
        let each = try connection.prepare("SELECT sum(value) FROM json_each(?)")
        for number in 0..<10 {
            #expect(try json.bind("{\"a\":\(number)}").query() == 2 * number)
            #expect(try each.bind("[\(number),1]").query() == number + 1)
            let pattern = ["ab%", "xy%", "%bc", "zz%", "___"][number % 5]
            #expect(try like.bind(pattern).query() as Int == [2, 1, 1, 0, 3][number % 5])
        }
    }

    @Test func valuesOfACachedStatementThatIsUsedTwiceAtOnceAreKeptApart() throws {
        let sql = "SELECT ? || value FROM json_each('[1,2,3]')"
        var texts: [String] = []
        try connection.forEachRow(sql, "outer") { outer in
            #expect(try connection.query(sql, "inner") == ["inner1", "inner2", "inner3"])
            texts.append(try outer.get(0))
        }
        #expect(texts == ["outer1", "outer2", "outer3"])
    }

    // MARK: A type's own hook

    @Test func bytesThatAreNotUTF8AreStoredAsTheyAre() throws {
        let read: [UInt8]? = try connection.query("SELECT ?", Bytes(bytes: [0x61, 0xff, 0, 0x62])) {
            row in
            try row.withUnsafeBytes(at: 0) { Array($0) }
        }
        #expect(read == [0x61, 0xff, 0, 0x62])
        #expect(try connection.query("SELECT typeof(?)", Bytes(bytes: [])) == "text")
    }

    @Test(arguments: [BindingValue.null, .integer(1), .real(1.5), .text("t"), .blob(Data([1]))])
    func theHookMayBindAnyValue(value: BindingValue) throws {
        struct Hooked: Bindable {
            let value: BindingValue
            var bindingValue: BindingValue { .text("unused") }
            func bind(to slot: borrowing ParameterSlot) throws {
                try slot.bind(value)
            }
        }
        let hooked = Hooked(value: value)
        let pack: BindingValue = try connection.query("SELECT ?", hooked)
        let array: BindingValue = try connection.query("SELECT ?", [hooked])
        let named: BindingValue = try connection.query("SELECT :v", ["v": hooked])
        #expect([pack, array, named] == [value, value, value])
    }

    @Test func anErrorOfTheHookComesOutUnchangedAndNothingRuns() throws {
        struct Refusing: Bindable {
            var bindingValue: BindingValue { .integer(1) }
            func bind(to slot: borrowing ParameterSlot) throws {
                throw TestError(reason: "7")
            }
        }
        #expect(throws: TestError(reason: "7")) { try connection.run("SELECT ?", Refusing()) }
        #expect(throws: TestError(reason: "7")) { try connection.run("SELECT ?", [Refusing()]) }
        #expect(throws: TestError(reason: "7")) {
            _ = try connection.query("SELECT ?, ?", 1, Refusing()) as Int
        }
        #expect(throws: TestError(reason: "7")) {
            try connection.prepare("SELECT :a", ["a": Refusing()])
        }
        try expectRefused(Refusing())
    }

    @Test func theHookMayUseTheConnection() throws {
        struct Looking: Bindable {
            let connection: Connection
            let key: String
            var bindingValue: BindingValue { .null }
            func bind(to slot: borrowing ParameterSlot) throws {
                // The same SQL as the statement that is being bound.
                let found: String = try connection.query("SELECT ? || ?", key, "!")
                try slot.bind(found)
            }
        }
        #expect(
            try connection.query(
                "SELECT ? || ?",
                Looking(connection: connection, key: "a"),
                Looking(connection: connection, key: "b")
            ) == "a!b!"
        )
    }
}

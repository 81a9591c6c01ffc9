import Foundation
import SQiftTestSupport
import Testing

import SQift

/// `[UInt8]`: one BLOB wherever a value can be.
struct BytesBindingTests {
    private let connection: Connection
    private let bytes: [UInt8] = [0, 1, 255]

    init() throws {
        connection = try Connection()
        try connection.execute("CREATE TABLE t(a, b)")
    }

    private func stored() throws -> [BindingValue] {
        try connection.query("SELECT a FROM t ORDER BY rowid")
    }

    private var blob: BindingValue { .blob(Data(bytes)) }

    @Test func bytesAreOneValueAndNotAListOfParameters() throws {
        let three = try connection.prepare("SELECT ?, ?, ?")
        try connection.run("INSERT INTO t(a) VALUES(?)", bytes)
        try connection.prepare("INSERT INTO t(a) VALUES(?)", bytes).run()
        try connection.prepare("INSERT INTO t(a) VALUES(?)").bind(bytes).run()

        #expect(try stored() == [blob, blob, blob])
        expectSQLiteError(containing: "got 1 value") { try three.bind(bytes) }
    }

    @Test func bytesAreAValueAmongOthers() throws {
        try connection.run("INSERT INTO t VALUES(?, ?)", bytes, 1)
        try connection.run("INSERT INTO t VALUES(?, ?)", bytes, nil)
        try connection.run("INSERT INTO t VALUES(?, ?)", [bytes, 1])
        try connection.run("INSERT INTO t VALUES(:a, :b)", ["a": bytes, "b": nil])
        try connection.run("INSERT INTO t VALUES(:a, :b)", parameters: ["a": bytes, "b": "b"])
        let values: [any Bindable] = [bytes, 1]
        try connection.run("INSERT INTO t VALUES(?, ?)", values)

        #expect(try stored() == Array(repeating: blob, count: 6))
    }

    @Test func optionalBytesAreABlobOrNULL() throws {
        let some: [UInt8]? = bytes
        let none: [UInt8]? = nil
        try connection.run("INSERT INTO t(a) VALUES(?)", some)
        try connection.run("INSERT INTO t(a) VALUES(?)", none)
        try connection.run("INSERT INTO t VALUES(?, ?)", [some, none])
        try connection.run("INSERT INTO t VALUES(?, ?)", none, some)

        #expect(try stored() == [blob, .null, blob, .null])
    }

    @Test(arguments: [0, 1, 256, 257, 100_000])
    func bytesComeBack(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let data: Data = try connection.query("SELECT ?", bytes)
        let type: String = try connection.query("SELECT typeof(?)", bytes)
        var inPlace: [UInt8] = []
        try connection.forEachRow("SELECT ?", bytes) { row in
            inPlace = try row.withUnsafeBytes(at: 0) { Array($0) }
        }

        #expect(Array(data) == bytes)
        #expect(type == "blob")
        #expect(inPlace == bytes)
        #expect(bytes.bindingValue == .blob(Data(bytes)))
    }

    @Test func bytesAreTheResultOfAFunction() throws {
        try connection.addFunction(named: "bytes") { (count: Int) in
            (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        }
        #expect(try connection.query("SELECT bytes(2)") as Data == Data([0, 1]))
        #expect(try connection.query("SELECT typeof(bytes(0))") as String == "blob")
    }

    @Test func literalsOfNumbersStayListsOfParameters() throws {
        let numbers: [Int] = [3, 4]
        let small: [Int8] = [5, 6]
        let values: [any Bindable] = [7, 8]
        try connection.run("INSERT INTO t VALUES(?, ?)", [1, 2])
        try connection.run("INSERT INTO t VALUES(?, ?)", numbers)
        try connection.run("INSERT INTO t VALUES(?, ?)", small)
        try connection.run("INSERT INTO t VALUES(?, ?)", values)
        let sum: Int = try connection.query("SELECT ? + ?", [200, 55])

        #expect(try stored() == [.integer(1), .integer(3), .integer(5), .integer(7)])
        #expect(sum == 255)
    }

    @Test func bytesThatAnArgumentGaveAreGoneWithTheirStatement() throws {
        let insert = try connection.prepare("INSERT INTO t(a) VALUES(?)")
        do {
            let bytes = Array(repeating: UInt8(7), count: 100)
            try insert.bind(bytes)
        }
        try insert.run()
        #expect(try stored() == [.blob(Data(repeating: 7, count: 100))])
    }
}

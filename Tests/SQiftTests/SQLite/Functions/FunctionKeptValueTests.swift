import Foundation
import SQiftTestSupport
import Testing

import SQift

/// Keeps the row that it was decoded from.
private struct Captor: Binding {
    typealias BindingType = Int64
    final class Catch {
        var rows: [Row] = []
    }

    let caught: Catch?
    let value: Int64

    @TaskLocal static var current: Box?
    struct Box: @unchecked Sendable { let caught: Catch }

    var bindingValue: BindingValue { .integer(value) }

    static func fromBindingValue(_ value: Any) -> Captor? {
        nil
    }

    static func decode(from row: Row, at index: Int) throws -> Captor {
        current?.caught.rows.append(row)
        return Captor(caught: current?.caught, value: try row.get(index))
    }
}

/// Rows that a type keeps after the call of the function for which it got them.
struct FunctionKeptValueTests {
    @Test func aKeptRowCanNotBeReadAfterTheCall() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            let caught = Captor.Catch()
            let connection = try Connection()
            try connection.addFunction(named: "f") { (captor: Captor, b: String) in captor.value }
            try Captor.$current.withValue(Captor.Box(caught: caught)) {
                try connection.run("SELECT f(5, 'b')")
            }
            print(caught.rows.map(\.columnCount))
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("was read after"))
    }

    @Test func aKeptRowIsNoOtherCallsRow() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            try readKeptRow { print(try $0.get(0) as Int) }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("was read after"))
    }

    @Test func aKeptRowHasNoOtherCallsNames() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            try readKeptRow { print($0.columnNames) }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("was read after"))
    }

    @Test func aKeptRowIsNoRowOfNULLsDuringALaterCall() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            try readKeptRow { print("read", try $0.get(0) as Int? as Any) }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("was read after"))
    }
}

/// Calls `read` during a function's second call with the row of the first.
private func readKeptRow(_ read: @escaping (Row) throws -> Void) throws {
    let connection = try Connection()
    let caught = Captor.Catch()
    try connection.addFunction(named: "f") { (captor: Captor) in
        if caught.rows.count == 2 {
            try read(caught.rows[0])
        }
        return captor.value
    }
    try Captor.$current.withValue(Captor.Box(caught: caught)) {
        try connection.run("SELECT f(value) FROM json_each('[1,2]')")
    }
}

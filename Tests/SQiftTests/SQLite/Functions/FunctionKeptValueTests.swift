import Foundation
import SQift
import SQiftTestSupport
import Testing

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
    private func expectReadAfterwards(
        _ result: ExitTest.Result?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("was read after"), sourceLocation: sourceLocation)
    }

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
        expectReadAfterwards(result)
    }

    @Test func aKeptRowIsNoOtherCallsRow() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            try readKeptRow { print(try $0.get(0) as Int) }
        }
        expectReadAfterwards(result)
    }

    @Test func aKeptRowHasNoOtherCallsNames() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            try readKeptRow { print($0.columnNames) }
        }
        expectReadAfterwards(result)
    }

    @Test func aKeptRowIsNoRowOfNULLsDuringALaterCall() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            try readKeptRow { print("read", try $0.get(0) as Int? as Any) }
        }
        expectReadAfterwards(result)
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

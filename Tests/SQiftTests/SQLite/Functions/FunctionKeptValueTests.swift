import Foundation
import Testing

@testable import SQift

/// Keeps the row and the slot that it was decoded from and bound to.
private struct Captor: Binding {
    typealias BindingType = Int64
    final class Catch {
        var rows: [Row] = []
        var slots: [ParameterSlot] = []
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

    func bind(to slot: ParameterSlot) throws {
        caught?.slots.append(slot)
        try slot.bind(value)
    }
}

/// Rows and slots that a type keeps after the call of the function for which it got them.
@Suite(.timeLimit(.minutes(20))) struct FunctionKeptValueTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    @Test func aKeptSlotThrowsAfterTheCallAndDuringTheNext() throws {
        let caught = Captor.Catch()
        try connection.addFunction(named: "f") { (n: Int64) -> Captor in
            for slot in caught.slots {
                #expect(sqliteError { try slot.bind(99 as Int64) }?.resultCode == .misuse)
            }
            return Captor(caught: caught, value: n)
        }
        let values: [Int] = try connection.query("SELECT f(value) FROM json_each('[1,2,3]')")
        #expect(values == [1, 2, 3])
        #expect(caught.slots.count == 3)
        for slot in caught.slots {
            let attempts: [() throws -> Void] = [
                { try slot.bindNull() }, { try slot.bind(1 as Int64) }, { try slot.bind(1.5) },
                { try slot.bind("x") }, { try slot.bind(Data([1])) },
                { try slot.bind(zeroBlobOf: 3) },
                { try slot.bind(.text("x")) },
            ]
            for attempt in attempts {
                #expect(sqliteError(attempt)?.resultCode == .misuse)
            }
        }
    }

    @Test func aKeptSlotThrowsDuringANestedCallAndWhenTheConnectionIsGone() throws {
        let caught = Captor.Catch()
        do {
            let connection = try Connection()
            struct Nesting: Bindable {
                let connection: Connection
                let caught: Captor.Catch
                var bindingValue: BindingValue { .null }
                func bind(to slot: ParameterSlot) throws {
                    caught.slots.append(slot)
                    try #expect(connection.query("SELECT f(0)") == 0)
                    try slot.bind("outer")
                }
            }
            try connection.addFunction(named: "f") { [unowned connection] (n: Int) -> BindingOf in
                if n == 0 {
                    #expect(
                        sqliteError { try caught.slots.last?.bind("stolen") }?.resultCode == .misuse
                    )
                    return BindingOf(Int64(0))
                }
                return BindingOf(Nesting(connection: connection, caught: caught))
            }
            try #expect(connection.query("SELECT f(1)") == "outer")
        }
        #expect(caught.slots.count == 1)
        for slot in caught.slots {
            #expect(sqliteError { try slot.bind("late") }?.resultCode == .misuse)
        }
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

/// Binds as the value that it holds.
private struct BindingOf: Bindable {
    let value: any Bindable
    init(_ value: any Bindable) {
        self.value = value
    }
    var bindingValue: BindingValue { value.bindingValue }
    func bind(to slot: ParameterSlot) throws {
        try value.bind(to: slot)
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

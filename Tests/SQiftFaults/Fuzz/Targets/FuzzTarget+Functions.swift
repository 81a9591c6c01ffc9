import Foundation
import SQift

extension FuzzTarget {
    /// A function gets an argument as a column with the same value is read, or the statement fails
    /// for both.
    static let functions = FuzzTarget(name: "functions") { input in
        var input = input
        let connection = try Connection()
        try connection.addFunction(named: "pass") { (values: [BindingValue]) in
            values.first ?? .null
        }
        for _ in 0..<2 where !input.isAtEnd {
            let value = input.value()
            try compareArgument(Int8.self, value, on: connection)
            try compareArgument(UInt32.self, value, on: connection)
            try compareArgument(Int64.self, value, on: connection)
            try compareArgument(UInt64.self, value, on: connection)
            try compareArgument(Double.self, value, on: connection)
            try compareArgument(Float.self, value, on: connection)
            try compareArgument(Bool.self, value, on: connection)
            try compareArgument(String.self, value, on: connection)
            try compareArgument(Data.self, value, on: connection)
            try compareArgument(Date.self, value, on: connection)
            try compareArgument(UUID.self, value, on: connection)
            try compareArgument(URL.self, value, on: connection)
            try compareArgument(Decimal.self, value, on: connection)
            try compareArgument(Note.self, value, on: connection)
            let passed: BindingValue = try connection.query("SELECT pass(?, 1)", value)
            try expect(passed == value, "\(value) came back as \(passed)")
        }
        try connection.close()
    }

    private static func compareArgument<T: Binding & Equatable>(
        _ type: T.Type,
        _ value: BindingValue,
        on connection: Connection
    ) throws {
        var arguments: [T?] = []
        try connection.addFunction(named: "f") { (required: T, optional: T?) -> T? in
            arguments = [required, optional]
            return optional
        }
        try connection.addFunction(named: "f") { (optional: T?) -> T? in
            arguments = [optional]
            return optional
        }
        var column: T?
        try allowingErrors { column = try connection.query("SELECT ?", value) as T }
        for (sql, count) in [("SELECT f(?1, ?1)", 2), ("SELECT f(?1)", 1)] {
            arguments = []
            try allowingErrors { try connection.run(sql, value) }
            let isCalled = column != nil || (value == .null && count == 1)
            let expected = isCalled ? Array(repeating: column, count: count) : []
            try expect(
                arguments == expected,
                "\(value) as \(T.self): \(arguments), not \(expected)"
            )
        }
    }
}

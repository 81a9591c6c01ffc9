import Foundation
import SQift

extension FuzzTarget {
    /// JSON in texts and blobs, as a value and in a row. What can be read can be written, and is the
    /// same when it is read again.
    static let json = FuzzTarget(name: "json") { input in
        let connection = try Connection()
        for value in [BindingValue.text(input.text), .blob(input.data)] {
            try compareAgain(Note.self, value, on: connection) { $0 == $1 }
            try compareAgain(ArrayBinding<Int?>.self, value, on: connection) {
                $0.elements == $1.elements
            }
            try compareAgain(SetBinding<String>.self, value, on: connection) {
                $0.elements == $1.elements
            }
            try compareAgain(DictionaryBinding<String, [Bool]>.self, value, on: connection) {
                $0.elements == $1.elements
            }
            try compareAgain(DictionaryBinding<Double, String?>.self, value, on: connection) {
                $0.elements == $1.elements
            }
            try allowingErrors {
                let sql = "SELECT 1 AS a, ? AS e"
                let records: [AnyRecord] = try connection.query(sql, value)
                try expect(records.count == 1, "\(records.count) records")
            }
        }
    }

    private static func compareAgain<T: CodableBinding>(
        _ type: T.Type,
        _ value: BindingValue,
        on connection: Connection,
        areEqual: (T, T) -> Bool
    ) throws {
        var found: T?
        try allowingErrors { found = try connection.query("SELECT ?", value) as T }
        guard let found else { return }
        var again: T?
        do {
            again = try connection.query("SELECT ?", found) as T
        } catch is EncodingError {
            // A property list can hold numbers that JSON has none for.
            return
        }
        let isSame = again.map { areEqual($0, found) } ?? false
        try expect(isSame, "\(value) is \(found), and then \(String(describing: again))")
    }
}

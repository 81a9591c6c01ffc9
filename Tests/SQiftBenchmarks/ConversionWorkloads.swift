import CSQift
import Foundation
import SQift

/// Writes the values in one transaction, and reads them back. Both sides convert with the same
/// calls.
@inline(__always)
private func roundTrip<Value: Binding & Hashable>(
    _ values: [Value],
    bind: @escaping (OpaquePointer, Value) -> Void,
    read: @escaping (OpaquePointer) throws -> Value
) throws -> Sides {
    let raw = try Raw()
    let connection = try Connection()
    try raw.execute("CREATE TABLE t(a)")
    try connection.execute("CREATE TABLE t(a)")
    let rawInsert = try raw.prepare("INSERT INTO t VALUES(?)")
    let rawSelect = try raw.prepare("SELECT a FROM t")
    let insert = try connection.prepare("INSERT INTO t VALUES(?)")
    let select = try connection.prepare("SELECT a FROM t")
    func checksum(_ found: [Value]) -> Int64 {
        Int64(found.count) &* 31 &+ (found.last == values.last ? 1 : 0)
    }
    return Sides(
        raw: {
            try raw.execute("DELETE FROM t; BEGIN")
            for value in values {
                bind(rawInsert, value)
                sqlite3_step(rawInsert)
                sqlite3_reset(rawInsert)
            }
            try raw.execute("COMMIT")
            var found: [Value] = []
            while sqlite3_step(rawSelect) == SQLITE_ROW {
                found.append(try read(rawSelect))
            }
            sqlite3_reset(rawSelect)
            return checksum(found)
        },
        sqift: {
            try connection.execute("DELETE FROM t")
            try connection.transaction {
                for value in values {
                    try insert.bind(value).run()
                }
            }
            return checksum(try select.query())
        }
    )
}

/// The C API's side couldn't read a value back.
private struct Unreadable: Error {}

private func unwrap<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw Unreadable() }
    return value
}

func decimals(_ count: Int) throws -> Sides {
    try roundTrip((0..<count).map { Decimal($0 &* 7919) / 100 }) { statement, value in
        rawBind(statement, 1, "\(value)", sqift_transient())
    } read: { statement in
        try unwrap(Decimal(string: rawText(statement, 0)))
    }
}

func uuids(_ count: Int) throws -> Sides {
    try roundTrip((0..<count).map { _ in UUID() }) { statement, value in
        rawBind(statement, 1, value.uuidString, sqift_transient())
    } read: { statement in
        try unwrap(UUID(uuidString: rawText(statement, 0)))
    }
}

func urls(_ count: Int) throws -> Sides {
    let values = try (0..<count).map { try unwrap(URL(string: "https://sqlite.org/a?b=\($0)")) }
    return try roundTrip(values) { statement, value in
        rawBind(statement, 1, value.absoluteString, sqift_transient())
    } read: { statement in
        try unwrap(URL(string: rawText(statement, 0)))
    }
}

func booleans(_ count: Int) throws -> Sides {
    try roundTrip((0..<count).map { $0 % 3 == 0 }) { statement, value in
        sqlite3_bind_int64(statement, 1, value ? 1 : 0)
    } read: { statement in
        sqlite3_column_int64(statement, 0) != 0
    }
}

func floats(_ count: Int) throws -> Sides {
    try roundTrip((0..<count).map { Float($0) / 4 }) { statement, value in
        sqlite3_bind_double(statement, 1, Double(value))
    } read: { statement in
        Float(sqlite3_column_double(statement, 0))
    }
}

func unsignedIntegers(_ count: Int) throws -> Sides {
    try roundTrip((0..<count).map { UInt64.max - UInt64($0) }) { statement, value in
        sqlite3_bind_int64(statement, 1, Int64(bitPattern: value))
    } read: { statement in
        UInt64(bitPattern: sqlite3_column_int64(statement, 0))
    }
}

private enum Level: Int, CaseIterable, Binding {
    case low, middle, high
}

func enumerationsOfIntegers(_ count: Int) throws -> Sides {
    try roundTrip((0..<count).map { Level.allCases[$0 % 3] }) { statement, value in
        sqlite3_bind_int64(statement, 1, Int64(value.rawValue))
    } read: { statement in
        try unwrap(Level(rawValue: Int(sqlite3_column_int64(statement, 0))))
    }
}

private enum Color: String, CaseIterable, Binding {
    case red, green, blue
}

func enumerationsOfTexts(_ count: Int) throws -> Sides {
    try roundTrip((0..<count).map { Color.allCases[$0 % 3] }) { statement, value in
        rawBind(statement, 1, value.rawValue, sqift_transient())
    } read: { statement in
        try unwrap(Color(rawValue: rawText(statement, 0)))
    }
}

private struct Address: CodableBinding, Hashable {
    typealias BindingType = Data

    let street: String
    let number: Int
}

func json(_ count: Int) throws -> Sides {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let decoder = JSONDecoder()
    let values = (0..<count).map { Address(street: "High Street", number: $0) }
    return try roundTrip(values) { statement, value in
        let data = (try? encoder.encode(value)) ?? Data()
        data.withUnsafeBytes { bytes in
            _ = sqlite3_bind_text64(
                statement,
                1,
                bytes.bindMemory(to: CChar.self).baseAddress,
                UInt64(bytes.count),
                sqift_transient(),
                UInt8(SQLITE_UTF8)
            )
        }
    } read: { statement in
        let start = try unwrap(sqlite3_column_text(statement, 0))
        let data = Data(bytes: start, count: Int(sqlite3_column_bytes(statement, 0)))
        return try decoder.decode(Address.self, from: data)
    }
}

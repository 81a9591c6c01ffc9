import Foundation
import SQift

/// Bytes, taken from the front as the numbers, texts and values that a target asks for. At their end
/// everything is zero or empty.
struct FuzzInput {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) {
        rest = ArraySlice(bytes)
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The rest as a text. What isn't UTF-8 is replaced.
    var text: String { String(decoding: rest, as: UTF8.self) }

    var data: Data { Data(rest) }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// A number below `count`, of a byte.
    mutating func number(below count: Int) -> Int { Int(byte()) % count }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8> {
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func int64() -> Int64 {
        let bits = bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
        return Int64(bitPattern: bits)
    }

    /// The bytes up to this one, which is skipped.
    mutating func bytes(upTo end: UInt8) -> ArraySlice<UInt8> {
        let bytes = rest.prefix { $0 != end }
        rest = rest.dropFirst(bytes.count + 1)
        return bytes
    }

    /// A value of any storage class.
    mutating func value() -> BindingValue {
        switch number(below: 7) {
        case 0: return .null
        case 1: return .integer(Int64(Int8(bitPattern: byte())))
        case 2: return .integer(int64())
        case 3:
            let number = Double(bitPattern: UInt64(bitPattern: int64()))
            // A bound NaN throws.
            return .real(number.isNaN ? 0.5 : number)
        case 4: return .real(Double(Int8(bitPattern: byte())) / 4)
        case 5: return .text(String(decoding: bytes(Int(byte())), as: UTF8.self))
        default: return .blob(Data(bytes(Int(byte()))))
        }
    }
}

/// Calls something that may throw whatever it likes, but `Broken`.
func allowingErrors(_ body: () throws -> Void) throws {
    do {
        try body()
    } catch let error as Broken {
        throw error
    } catch let error as SQLiteError {
        let length = error.sql?.utf8.count ?? 0
        let isInside = error.offset.map { (0...length).contains($0) } ?? true
        try expect(isInside, "an error is at byte \(error.offset ?? 0) of \(length)")
        try expect(!error.description.isEmpty, "an error without a description")
    } catch {
        try expect(!"\(error)".isEmpty, "an error without a description")
    }
}

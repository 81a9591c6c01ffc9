import SQift

/// A value with its storage class. A `String` can't hold text that isn't UTF-8: such text is kept
/// as its bytes.
enum Cell: ColumnDecodable, Bindable, Equatable {
    case value(BindingValue)
    case malformedText([UInt8])

    static func cells(of row: Row) throws -> [Cell] {
        try (0..<row.columnCount).map { try row.get($0) }
    }

    static func decode(from row: Row, at index: Int) throws -> Cell {
        let value: BindingValue = try row.get(index)
        guard case .text(let text) = value else { return .value(value) }
        return try row.withUnsafeBytes(at: index) { bytes in
            text.utf8.elementsEqual(bytes) ? .value(value) : .malformedText(Array(bytes))
        }
    }

    var bindingValue: BindingValue {
        switch self {
        case .value(let value):
            value
        case .malformedText(let bytes):
            .text(String(decoding: bytes, as: UTF8.self))
        }
    }

    func bind(to slot: ParameterSlot) throws {
        guard case .malformedText(let bytes) = self else {
            return try slot.bind(bindingValue)
        }
        try bytes.withUnsafeBytes { try slot.bind(utf8: $0) }
    }

    /// Compares texts byte by byte: two `String`s that are canonically equivalent are equal too.
    static func == (one: Cell, other: Cell) -> Bool {
        switch (one, other) {
        case (.value(.text(let one)), .value(.text(let other))):
            one.utf8.elementsEqual(other.utf8)
        case (.value(let one), .value(let other)):
            one == other
        case (.malformedText(let one), .malformedText(let other)):
            one == other
        default:
            false
        }
    }
}

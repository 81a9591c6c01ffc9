import Foundation

extension UUID: Binding {
    /// Stored as TEXT; read from TEXT in either case, and from a BLOB of 16 bytes.
    public typealias BindingType = BindingValue
    /// The string with upper-case letters.
    public var bindingValue: BindingValue {
        .text(uuidString)
    }
    /// The UUID of a `String`, or of the 16 bytes of a `Data`.
    public static func fromBindingValue(_ value: Any) -> UUID? {
        BindingValue(anyValue: value).flatMap(UUID.init(value:))
    }
    /// Reads a TEXT, or a BLOB of 16 bytes.
    public static func decode(from row: Row, at index: Int) throws -> UUID {
        try row.convert(
            at: index,
            form: "8-4-4-4-12 hexadecimal digits, or a BLOB of 16 bytes",
            Self.init
        )
    }

    init?(value: BindingValue) {
        switch value {
        case .text(let text): self.init(uuidString: text)
        case .blob(let data) where data.count == 16:
            self.init(uuid: data.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
        default: return nil
        }
    }
}

import Foundation

extension UUID: _ConvertedBinding {
    /// Stored as TEXT; read from TEXT, case-insensitively, and from a BLOB of 16 bytes.
    public typealias BindingType = BindingValue
    /// The string with upper-case letters.
    public var bindingValue: BindingValue {
        .text(uuidString)
    }

    /// The forms that can be read, for errors.
    public static var _form: String? { "8-4-4-4-12 hexadecimal digits, or a BLOB of 16 bytes" }

    /// From a TEXT, case-insensitively, or a BLOB of 16 bytes.
    public static func _converted(from value: BindingValue) -> UUID? {
        switch value {
        case .text(let text): UUID(uuidString: text)
        case .blob(let data) where data.count == 16:
            UUID(uuid: data.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
        default: nil
        }
    }
}

import Foundation

extension URL: Binding {
    /// Stored as TEXT.
    public typealias BindingType = String
    /// The absolute string.
    public var bindingValue: BindingValue {
        .text(absoluteString)
    }
    /// The URL of a `String`.
    public static func fromBindingValue(_ value: Any) -> URL? {
        BindingValue(anyValue: value).flatMap(URL.init(value:))
    }
    /// Reads a TEXT that is a URL.
    public static func decode(from row: Row, at index: Int) throws -> URL {
        try row.convert(at: index, form: "a URL, percent-encoded where it must be", Self.init)
    }

    init?(value: BindingValue) {
        guard case .text(let text) = value else {
            return nil
        }
        // Newer versions of Foundation would make other text a URL by percent-encoding it.
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) {
            self.init(string: text, encodingInvalidCharacters: false)
        } else {
            self.init(string: text)
        }
    }
}

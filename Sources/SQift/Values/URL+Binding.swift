import Foundation

extension URL: _ConvertedBinding {
    /// Stored as TEXT.
    public typealias BindingType = String
    /// The absolute string.
    public var bindingValue: BindingValue {
        .text(absoluteString)
    }

    /// What a URL is here.
    public static var _form: String? { "a URL, percent-encoded where it must be" }

    /// From a TEXT that is a URL.
    public static func _converted(from value: BindingValue) -> URL? {
        guard case .text(let text) = value else { return nil }
        // Newer versions of Foundation would make other text a URL by percent-encoding it.
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) {
            return URL(string: text, encodingInvalidCharacters: false)
        }
        return URL(string: text)
    }
}

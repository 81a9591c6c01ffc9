/// SQift's additions to a type, kept apart from the type's own.
public struct SQiftExtension<Base> { let base: Base }

extension String {
    /// SQift's additions to strings.
    public var sqift: SQiftExtension<String> { SQiftExtension(base: self) }

    /// The string in quotes, with the quotes inside it doubled: by bytes, since a quote with a
    /// combining character after it is another `Character`, but still SQLite's quote.
    fileprivate func quoted(with quote: Unicode.Scalar) -> String {
        let byte = UInt8(ascii: quote)
        let doubled = utf8.flatMap { $0 == byte ? [byte, byte] : [$0] }
        return String(decoding: [byte] + doubled + [byte], as: UTF8.self)
    }
}

extension SQiftExtension<String> {
    /// The string as an SQL literal: in single quotes, with the quotes inside it doubled.
    ///
    /// Values belong into parameters; this is for the places where SQLite takes none, such as a
    /// DEFAULT clause.
    ///
    /// https://sqlite.org/lang_expr.html#literal_values_constants_
    public func addingSQLEscapes() -> String { base.quoted(with: "'") }

    /// The string as an SQL identifier: in double quotes, with the quotes inside it doubled.
    ///
    /// https://sqlite.org/lang_keywords.html
    public var quotedIdentifier: String { base.quoted(with: "\"") }
}

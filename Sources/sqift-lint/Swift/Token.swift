/// A piece of Swift code: a name, a literal, a bracket or another sign.
struct Token {
    enum Kind {
        /// An identifier, a keyword, an attribute such as `@Test`, or a directive such as `#if`.
        case name
        case number
        /// A string literal. Its text is empty; see `SourceFile.literal(_:)`.
        case text
        case opening
        case closing
        case sign
    }

    let kind: Kind
    /// Without the backticks of an escaped name.
    let text: String
    /// The bytes in the file.
    let range: Range<Int>
    /// Whether it is the first token in its line.
    let startsLine: Bool
    /// The index of a string literal, or -1.
    var literal = -1
}

/// A comment that says something to this tool.
struct Comment {
    /// What follows `sqift:`.
    let text: String
    let offset: Int
    /// Whether it is alone in its line, and so about the next one.
    let isAlone: Bool
}

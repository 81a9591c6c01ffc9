/// A piece of Swift code: a name, a literal, a bracket or another sign.
struct Token {
    enum Kind {
        /// An identifier, a keyword, an attribute such as `@Test`, or a directive such as `#if`.
        case name
        case number
        /// A string literal.
        case text
        case opening
        case closing
        case sign
        /// What is before the first token of a file, or after the last.
        case outside
    }

    let kind: Kind
    /// Whether it is the first token in its line.
    var startsLine = true
    /// As it is written, but without the backticks of an escaped name.
    var text = ""
    /// Its first byte in the file.
    var offset = 0
    var literal: Literal?
    /// The index of the bracket around it, or less than zero if there is none.
    var parent = -1
    /// For a bracket, the index of the one that belongs to it.
    var partner: Int?
}

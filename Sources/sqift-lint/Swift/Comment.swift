/// A comment that says something to this tool.
struct Comment {
    /// What follows `sqift:`.
    let text: String
    let offset: Int
    /// Whether it is alone in its line, and so about the next one.
    let isAlone: Bool

    /// The file in `sqift: schema FILE`.
    var schemaFile: String? {
        text.hasPrefix("schema ")
            ? text.dropFirst("schema ".count).trimmed
            : nil
    }
}

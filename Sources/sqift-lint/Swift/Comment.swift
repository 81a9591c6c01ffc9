/// A comment that says something to this tool.
struct Comment {
    /// What follows `sqift:`.
    let text: String
    let offset: Int

    /// The file in `sqift: schema FILE`.
    var schemaFile: String? {
        text.hasPrefix("schema ")
            ? text.dropFirst("schema ".count).trimmed
            : nil
    }
}

/// A comment that says something to this tool.
final class Comment {
    /// What follows `sqift:`.
    let text: String
    let offset: Int
    /// Whether it leaves out a message.
    var isNeeded = false

    init(text: String, offset: Int) {
        self.text = text
        self.offset = offset
    }

    /// The file in `sqift: schema FILE`.
    var schemaFile: String? {
        text.hasPrefix("schema ")
            ? String(text.dropFirst(7))
            : nil
    }
}

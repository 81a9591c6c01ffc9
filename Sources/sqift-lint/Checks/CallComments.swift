/// The comments `// sqift: unchecked` of a file.
struct CallComments {
    private let file: SourceFile
    /// By the line of the calls that they are about.
    private var unused: [Int: Comment] = [:]
    private let comments: [Int: Comment]

    init(_ file: SourceFile) {
        self.file = file
        let own = file.comments.filter { $0.text == "unchecked" }
        let lines = own.map { file.line(of: $0.offset) + ($0.isAlone ? 1 : 0) }
        comments = Dictionary(zip(lines, own), uniquingKeysWith: { first, _ in first })
        unused = comments
    }

    /// Whether a comment says that the call isn't checked.
    mutating func skips(_ call: Call, isRight: Bool) -> Bool {
        let first = file.line(of: file.tokens[file.chainStart(call.token)].range.lowerBound)
        let last = file.line(of: file.tokens[call.end].range.lowerBound)
        guard let line = (first...last).first(where: { comments[$0] != nil }) else { return false }
        if !isRight {
            unused[line] = nil
        }
        return true
    }

    /// Warnings of comments that change nothing, or that say what isn't known.
    var messages: [Message] {
        let wrong = file.comments.filter { $0.text != "unchecked" && $0.schemaFile == nil }
        return unused.values.map { warning("this comment isn't needed", $0) }
            + wrong.map { warning("unknown: use sqift: unchecked or sqift: schema FILE", $0) }
    }

    private func warning(_ text: String, _ comment: Comment) -> Message {
        Message(.warning, text, at: Place(file: file, offset: comment.offset))
    }
}

extension Comment {
    /// The file in `sqift: schema FILE`.
    var schemaFile: String? {
        text.hasPrefix("schema ") ? text.dropFirst("schema ".count).trimmed : nil
    }
}

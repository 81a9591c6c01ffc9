/// The comments `// sqift: unchecked` of a file.
struct UncheckedComments {
    private let file: SourceFile
    /// The comments with the lines that they are about, and whether something needs them.
    private var comments: [(comment: Comment, lines: ClosedRange<Int>, isNeeded: Bool)] = []

    init(_ file: SourceFile) {
        self.file = file
        for comment in file.comments where comment.text == "unchecked" {
            let own = file.line(of: comment.offset)
            let first = comment.isAlone ? own + 1 : own
            // To where the brackets end, and after `=` to the next line.
            let tokens = file.cursors.filter { $0.line == first }
            let next = tokens.last?.text == "=" ? first + 1 : first
            let last = tokens.map(\.partner.line).reduce(next, max)
            comments.append((comment, first...last, false))
        }
    }

    /// Whether a comment says that what is in these lines isn't checked.
    mutating func skip(_ lines: ClosedRange<Int>, isRight: Bool) -> Bool {
        let index = comments.firstIndex { $0.lines.overlaps(lines) }
        if let index, !isRight {
            comments[index].isNeeded = true
        }
        return index != nil
    }

    /// Warnings of comments that change nothing, or that say what isn't known.
    var messages: [Message] {
        let unneeded = comments.filter { !$0.isNeeded }.map(\.comment)
        let wrong = file.comments.filter {
            $0.text != "unchecked" && $0.schemaFile == nil
        }
        return unneeded.map { warning("this comment isn't needed", $0) }
            + wrong.map { warning("unknown: use sqift: unchecked or sqift: schema FILE", $0) }
    }

    private func warning(_ text: String, _ comment: Comment) -> Message {
        Message(.warning, text, at: Location(file: file, offset: comment.offset))
    }
}

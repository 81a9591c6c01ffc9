/// The comments `// sqift: unchecked` of a file.
struct UncheckedComments {
    private let file: SourceFile
    /// The comments with the lines that they are about, and whether something needs them.
    private var comments: [(comment: Comment, lines: ClosedRange<Int>, isNeeded: Bool)] = []

    init(_ file: SourceFile) {
        self.file = file
        for comment in file.comments where comment.text == "unchecked" {
            let first = file.line(of: comment.offset) + (comment.isAlone ? 1 : 0)
            comments.append((comment, first...file.lastLine(ofCallsFrom: first), false))
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
        let wrong = file.comments.filter { $0.text != "unchecked" && $0.schemaFile == nil }
        return unneeded.map { warning("this comment isn't needed", $0) }
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

extension SourceFile {
    /// The line in which the parentheses end that begin in a line.
    fileprivate func lastLine(ofCallsFrom first: Int) -> Int {
        let opening = tokens.indices.filter { index in
            self[index] == "(" && line(of: tokens[index].range.lowerBound) == first
        }
        let ends = opening.map { line(of: tokens[partners[$0]].range.lowerBound) }
        return max(first, ends.max() ?? first)
    }
}

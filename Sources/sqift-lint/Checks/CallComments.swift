/// The comments `// sqift: unchecked` of a file.
struct CallComments {
    private let file: SourceFile
    /// The lines of the comments that nothing has needed so far.
    private var unused: [Int: Comment] = [:]
    private let comments: [Int: Comment]
    private(set) var wrong: [Message] = []

    init(_ file: SourceFile) {
        self.file = file
        var comments: [Int: Comment] = [:]
        for comment in file.comments {
            if comment.text == "unchecked" {
                comments[file.line(of: comment.offset)] = comment
            } else if !comment.text.hasPrefix("schema ") {
                let text = "this comment isn't known; write sqift: unchecked or sqift: schema FILE"
                wrong.append(Message(.warning, text, at: Place(file: file, offset: comment.offset)))
            }
        }
        self.comments = comments
        unused = comments
    }

    /// Whether a comment at the call, or in the line before, says that it isn't checked.
    mutating func skips(_ call: Call, isRight: Bool) -> Bool {
        let first = file.line(of: file.tokens[file.chainStart(call.token)].range.lowerBound)
        let last = file.line(of: file.tokens[call.end].range.lowerBound)
        guard let line = (first - 1...last).first(where: { comments[$0] != nil }) else {
            return false
        }
        if !isRight {
            unused[line] = nil
        }
        return true
    }

    /// Warnings of comments that change nothing.
    var unneeded: [Message] {
        wrong
            + unused.values.map { comment in
                let text = "this comment isn't needed: the check finds nothing here"
                return Message(.warning, text, at: Place(file: file, offset: comment.offset))
            }
    }
}

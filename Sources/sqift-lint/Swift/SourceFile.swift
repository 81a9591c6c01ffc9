/// A Swift file with what it declares, or a file of SQL, which has no tokens.
final class SourceFile {
    let path: String
    let bytes: [UInt8]
    let tokens: [Token]
    let comments: [Comment]
    /// Whether every literal and every bracket has its end. If not, the file isn't judged.
    let isWhole: Bool
    /// By the indices of their braces.
    var blocks: [Int: Block] = [:]
    /// By their names.
    var variables: [String: [Variable]] = [:]
    var imports: Set<String> = []
    /// While it is scanned, the index of the brace of the last `if`, `for` and the like.
    var statement = 0
    /// While it is scanned, the names since the last variable or brace.
    var modifiers: Set<String> = []

    /// Where the branches of blocks begin and end.
    private(set) lazy var branches = cursors.filter {
        $0.startsLine && SourceFile.branches.contains($0.text)
    }
    private lazy var lineStarts =
        bytes
        .split(separator: "\n", omittingEmptySubsequences: false)
        .map(\.startIndex)
    private lazy var tokenLines = Dictionary(grouping: cursors, by: \.line)

    private static let branches = "case default #else #elseif #endif".words

    init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
        let lexer = Lexer(path.hasSuffix(".swift") ? bytes : [])
        tokens = lexer.tokens
        comments = lexer.comments
        isWhole = lexer.isWhole
        if isWhole {
            scanDeclarations()
        }
    }

    /// The line, and the column in bytes, both from 1.
    func position(of offset: Int) -> (line: Int, column: Int) {
        let line = lineStarts.lastIndex { $0 <= offset } ?? 0
        return (line + 1, offset - lineStarts[line] + 1)
    }

    subscript(_ index: Int) -> Cursor {
        Cursor(file: self, index: index)
    }

    var cursors: [Cursor] { self[0]..<self[tokens.count] }

    /// The comment that leaves a part of some lines unchecked. It is about those from its own to
    /// where the brackets end that begin in its line or in the next one, and after `=` to the next
    /// line.
    func comment(about lines: ClosedRange<Int>) -> Comment? {
        comments.first {
            let own = position(of: $0.offset).line
            // A comment alone in its line is about the next one.
            let line = tokenLines[own] ?? tokenLines[own + 1] ?? []
            let ends = line.map {
                $0 == "=" ? ($0 + 1).line : $0.partner.line
            }
            return $0.text == "unchecked" && lines.overlaps(own...ends.reduce(own, max))
        }
    }

    /// The lines that a comment names a schema for: those of the next declaration, or of the file
    /// if that is an import.
    func lines(after comment: Comment) -> ClosedRange<Int> {
        let next = cursors.first { $0.location.offset > comment.offset }
        guard let next,
            next != "import",
            next.first("{") == "{"
        else { return 1...lineStarts.count }
        return next.line...next.first("{").partner.line
    }
}

extension SourceFile: Equatable {
    static func == (left: SourceFile, right: SourceFile) -> Bool {
        left === right
    }
}

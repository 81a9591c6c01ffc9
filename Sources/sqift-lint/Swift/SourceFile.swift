/// A Swift file with what it declares, or a file of SQL, which has no tokens.
final class SourceFile {
    let path: String
    let bytes: [UInt8]
    /// Its tokens and comments. A file in which a literal or a bracket has no end isn't judged.
    let code: Lexer
    let tokens: [Token]
    /// By the indices of their braces.
    var blocks: [Int: Block] = [:]
    /// By their names.
    var variables: [String: [Variable]] = [:]
    var imports: Set<String> = []
    /// While it is scanned, the index of the brace of the last `if`, `for` and the like.
    var statement = 0

    // What is known of brackets by their index, so that it is looked for once only.

    /// Whether a bracket's call is written as one that expects errors.
    var expectations: [Int: Bool] = [:]
    /// Whether a type migrates up to a name.
    var migratingTypes: [Int: Bool] = [:]
    /// Whether a function takes a part of a list of migrations.
    var migratingFunctions: [Int: Bool] = [:]

    /// Where the branches of blocks begin and end.
    lazy var branches = cursors.filter {
        $0.startsLine
            && SourceFile.branches.contains($0.text)
    }
    /// The comments that leave lines unchecked.
    private lazy var uncheckedLines = code.comments
        .filter { $0.text == "unchecked" }
        .map { (comment: $0, lines: lines(of: $0)) }
    private lazy var lineStarts =
        bytes
        .split(separator: "\n", omittingEmptySubsequences: false)
        .map(\.startIndex)

    private static let branches = "case default #else #elseif #endif".words

    init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
        code = Lexer(path.hasSuffix(".swift") ? bytes : [])
        tokens = code.tokens
        if code.isWhole {
            scanDeclarations()
        }
    }

    /// Looks for something about a bracket, unless it is known.
    func remember(
        _ known: ReferenceWritableKeyPath<SourceFile, [Int: Bool]>,
        _ index: Int,
        _ find: () -> Bool
    ) -> Bool {
        if let found = self[keyPath: known][index] {
            return found
        }
        let found = find()
        self[keyPath: known][index] = found
        return found
    }

    /// The line, and the column in bytes, both from 1.
    func position(of offset: Int) -> (line: Int, column: Int) {
        // The first line that begins after it, by halves.
        var lines = 0..<lineStarts.count
        while !lines.isEmpty {
            let middle = lines.lowerBound + lines.count / 2
            if lineStarts[middle] <= offset {
                lines = middle + 1..<lines.upperBound
            } else {
                lines = lines.lowerBound..<middle
            }
        }
        let line = max(lines.lowerBound, 1)
        return (line, offset - lineStarts[line - 1] + 1)
    }

    subscript(_ index: Int) -> Cursor {
        Cursor(file: self, index: index)
    }

    var cursors: [Cursor] { self[0]..<self[tokens.count] }

    /// The comment that leaves a part of some lines unchecked.
    func comment(about lines: ClosedRange<Int>) -> Comment? {
        uncheckedLines.first { lines.overlaps($0.lines) }?.comment
    }

    /// The lines that a comment is about: from its own to the end of what begins there or, if it is
    /// alone, in the next line with code. Before an import it is about the file.
    func lines(of comment: Comment) -> ClosedRange<Int> {
        let line = position(of: comment.offset).line
        guard let first = tokens.firstIndex(where: { $0.offset >= lineStarts[line - 1] }),
            tokens[first].text != "import"
        else { return 1...lineStarts.count }
        var end = self[first]
        repeat {
            end = end.next
        } while !end.startsLine || end[-1] == "="
        return line...(end - 1).line
    }
}

extension SourceFile: Equatable {
    static func == (left: SourceFile, right: SourceFile) -> Bool {
        left === right
    }
}

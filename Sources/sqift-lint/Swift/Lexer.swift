/// Splits Swift code into tokens. It knows literals, comments and brackets; everything else is
/// names, numbers and signs. What it can't follow makes `isWhole` false.
struct Lexer {
    private let source: [UInt8]
    private var index = 0
    private var startsLine = true
    private var openBrackets: [Int] = []
    private var hasMistakes = false
    private(set) var tokens: [Token] = []
    /// The comments that begin with `sqift:`.
    private(set) var comments: [Comment] = []

    private static let longSigns: Set<String> = [
        "->", "==", "!=", "<=", ">=", "&&", "||", "??", "+=",
    ]
    private static let brackets = ["(": ")", "[": "]", "{": "}"]
    /// After these a slash begins a regular expression.
    private static let prefixWords: Set<String> = [
        "return", "in", "case", "try", "await", "where", "if", "else", "while", "guard", "switch",
    ]

    /// Whether every literal and every bracket has its end.
    var isWhole: Bool { !hasMistakes && openBrackets.isEmpty }

    init(_ bytes: [UInt8]) {
        source = bytes + [0]
        tokens.reserveCapacity(bytes.count / 5)
        if reads("#", "!") {
            skip { $0 != "\n" }
        }
        while index < bytes.count {
            scan(source[index])
        }
    }

    private mutating func scan(_ byte: UInt8) {
        let start = index
        if byte.isSpace {
            startsLine = startsLine || byte == "\n"
            index += 1
        } else if byte.isDigit {
            while source[index].isWord || source[index] == "." && source[index + 1].isDigit {
                index += 1
            }
            add(.number, from: start)
        } else if byte.isWord || byte == "@" {
            scanName()
        } else if byte == "/" {
            scanSlash()
        } else if byte == "\"" || byte == "#" {
            scanLiteral()
        } else if byte == "`" {
            index += 1
            skip { $0 != "`" && $0 != "\n" }
            index += 1
            add(.name, from: start, source.text(start + 1..<index - 1))
        } else {
            scanSign(byte)
        }
    }

    private func reads(_ first: UInt8, _ second: UInt8) -> Bool {
        source[index] == first
            && source[index + 1] == second
    }

    private mutating func skip(while fits: (UInt8) -> Bool) {
        index = source.index(from: index) {
            !fits($0)
        }
    }

    private mutating func add(
        _ kind: Token.Kind,
        from start: Int,
        _ text: String? = nil,
        _ literal: StringLiteral? = nil
    ) {
        tokens.append(
            Token(
                kind: kind,
                startsLine: startsLine,
                text: text ?? source.text(start..<index),
                range: start..<index,
                literal: literal,
                parent: openBrackets.last ?? -1,
                partner: tokens.count
            )
        )
        startsLine = false
    }

    // MARK: Comments and regular expressions

    private mutating func scanSlash() {
        let start = index
        if reads("/", "/") {
            skip { $0 != "\n" }
            addComment(from: start)
        } else if reads("/", "*") {
            skipComment()
        } else {
            index += 1
            if startsExpression {
                scanExpression()
            }
            add(index == start + 1 ? .sign : .number, from: start)
        }
    }

    private mutating func addComment(from start: Int) {
        let text = source.text(start..<index).drop {
            $0 == "/" || $0 == " "
        }
        if text.hasPrefix("sqift:") {
            let content = text.dropFirst("sqift:".count).trimmed
            comments.append(Comment(text: content, offset: start, isAlone: startsLine))
        }
    }

    /// Skips a comment with stars, which may contain others.
    private mutating func skipComment() {
        var depth = 0
        repeat {
            let isBound = reads("/", "*") || reads("*", "/")
            if isBound {
                depth += source[index] == "/" ? 1 : -1
            }
            startsLine = startsLine || source[index] == "\n"
            index += isBound ? 2 : 1
        } while depth > 0 && source[index] != 0
        hasMistakes = hasMistakes || depth > 0
    }

    /// Whether the slash before this byte begins a regular expression.
    private var startsExpression: Bool {
        let next = source[index]
        guard !next.isSpace,
            next != ")",
            next != ","
        else { return false }
        switch tokens.last?.kind {
        case nil: return true
        case .name:
            return Lexer.prefixWords.contains(tokens[tokens.count - 1].text)
        case .opening: return true
        case .sign:
            return ![".", "?", "!"].contains(tokens[tokens.count - 1].text)
        default: return false
        }
    }

    /// A slash without a second one in the line is an operator.
    private mutating func scanExpression() {
        let start = index
        while source[index] != 0,
            source[index] != "/",
            source[index] != "\n"
        {
            index +=
                source[index] == "\\" && source[index + 1] != 0
                ? 2
                : 1
        }
        index = source[index] == "/" ? index + 1 : start
    }

    // MARK: Words and signs

    private mutating func scanName() {
        let start = index
        index += 1
        skip { $0.isWord }
        add(.name, from: start)
    }

    private mutating func scanLiteral() {
        let start = index
        if let literal = StringLiteral(in: source, at: index) {
            index = literal.end
            hasMistakes = hasMistakes || !literal.isWhole
            add(.text, from: start, "", literal)
        } else if reads("#", "/") {
            repeat {
                index += 1
            } while source[index] != 0 && !reads("/", "#")
            hasMistakes = hasMistakes || source[index] == 0
            index = min(index + 2, source.count - 1)
            add(.number, from: start)
        } else {
            scanName()
        }
    }

    private mutating func scanSign(_ byte: UInt8) {
        let start = index
        switch byte {
        case "(", "[", "{":
            index += 1
            add(.opening, from: start)
            openBrackets.append(tokens.count - 1)
        case ")", "]", "}":
            index += 1
            close(source.text(start..<index))
        default:
            let isRange =
                reads(".", ".")
                && [".", "<"].contains(source[index + 2])
            let pair = source.text(start..<min(start + 2, source.count))
            index += isRange ? 3 : Lexer.longSigns.contains(pair) ? 2 : 1
            add(.sign, from: start)
        }
    }

    private mutating func close(_ bracket: String) {
        let opening = openBrackets.popLast()
        add(.closing, from: index - 1)
        guard let opening,
            Lexer.brackets[tokens[opening].text] == bracket
        else {
            hasMistakes = true
            return
        }
        tokens[opening].partner = tokens.count - 1
        tokens[tokens.count - 1].partner = opening
    }
}

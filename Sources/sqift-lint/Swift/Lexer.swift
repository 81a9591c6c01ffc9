/// Splits Swift code into tokens. It knows literals, comments and brackets; everything else is
/// names, numbers and signs.
final class Lexer {
    private let source: [UInt8]
    private var index = 0
    private var startsLine = true
    private var openBrackets: [Int] = []
    private var hasMistakes = false
    var tokens: [Token] = []
    /// The comments that begin with `sqift:`.
    var comments: [Comment] = []

    private static let longSigns = "-> == != && ?? +=".words

    /// Whether every literal and every bracket has its end.
    var isWhole: Bool { !hasMistakes && openBrackets.isEmpty }

    init(_ bytes: [UInt8]) {
        source = bytes + [0, 0]
        while index < bytes.count {
            let start = index
            index += 1
            scan(source[start], from: start)
        }
    }

    private func scan(_ byte: UInt8, from start: Int) {
        switch byte {
        case " ", "\t", "\r": break
        case "\n": startsLine = true
        case "(", "[", "{":
            add(.opening, start)
            openBrackets.append(tokens.count - 1)
        case ")", "]", "}": addClosing(start)
        case "/": scanSlash(start)
        case "`":
            skip { $0 != "`" }
            add(.name, start + 1)
            index += 1
        case "\"": addLiteral(start)
        case "#" where !source[index].isWord: addLiteral(start)
        case _ where byte.isWord || byte == "@" || byte == "#":
            skip(while: \.isWord)
            add(byte.isDigit ? .number : .name, start)
        default:
            let isLong = Lexer.longSigns.contains(source[start..<start + 2].text)
            index += isLong ? 1 : 0
            add(.sign, start)
        }
    }

    private func skip(while fits: (UInt8) -> Bool) {
        index = source.index(from: index) {
            !fits($0)
        }
    }

    /// Adds the token that begins at a byte and has just been read.
    private func add(_ kind: Token.Kind, _ start: Int, _ literal: StringLiteral? = nil) {
        tokens.append(
            Token(
                kind: kind,
                startsLine: startsLine,
                text: literal == nil ? source[start..<index].text : "",
                offset: start,
                literal: literal,
                parent: openBrackets.last ?? -1,
                partner: tokens.count
            )
        )
        startsLine = false
    }

    private func addClosing(_ start: Int) {
        guard let partner = openBrackets.popLast() else {
            hasMistakes = true
            return
        }
        add(.closing, start)
        tokens[partner].partner = tokens.count - 1
        tokens[tokens.count - 1].partner = partner
    }

    private func addLiteral(_ start: Int) {
        // A regular expression between pounds isn't looked into.
        let literal = StringLiteral(in: source, at: start)
        hasMistakes = hasMistakes || literal?.isWhole != true
        index = literal?.end ?? index
        add(.text, start, literal)
    }

    // MARK: Comments and regular expressions

    private func scanSlash(_ start: Int) {
        // A regular expression has a blank or a bracket before it, and no blank after its slash.
        let isBound = !"([{,: \n".utf8.contains(source[max(start - 1, 0)])
        let next = source[index]
        if next == "/" {
            skip { $0 != "\n" && $0 != 0 }
            addComment(start)
        } else if next == "*" {
            skipComment()
        } else if isBound || next.isSpace || ",)".utf8.contains(next) || !skipExpression() {
            add(.sign, start)
        } else {
            add(.number, start)
        }
    }

    private func addComment(_ start: Int) {
        let text = source[start..<index].text.drop {
            $0 == "/" || $0 == " "
        }
        if text.hasPrefix("sqift:") {
            let content = text.dropFirst("sqift:".count).trimmed
            comments.append(Comment(text: content, offset: start, isAlone: startsLine))
        }
    }

    /// Skips a comment with stars, which may contain others.
    private func skipComment() {
        var depth = 1
        index += 1
        while depth > 0, source[index] != 0 {
            let isStart = source.reads("/*".utf8, at: index)
            let isEnd = source.reads("*/".utf8, at: index)
            depth += isStart ? 1 : isEnd ? -1 : 0
            index += isStart || isEnd ? 2 : 1
        }
        hasMistakes = hasMistakes || depth > 0
    }

    /// Skips a regular expression, if there is a second slash in the line.
    private func skipExpression() -> Bool {
        var end = index
        while !"/\n\0".utf8.contains(source[end]) {
            end += source[end] == "\\" ? 2 : 1
        }
        index = source[end] == "/" ? end + 1 : index
        return index > end
    }
}

import Foundation

/// Splits Swift code into tokens. It knows literals, comments and brackets; everything else is
/// names, numbers and signs.
final class Lexer {
    /// The bytes of a file, and two zeros that end them.
    private let source: [UInt8]
    private var index = 0
    private var startsLine = true
    private var openBrackets: [Int] = []
    var tokens: [Token] = []
    /// The comments that begin with `sqift:`.
    var comments: [Comment] = []

    private static let longSigns = "-> == != && ?? +=".words
    private static let escapes: [UInt8: UInt8] = [
        "n": "\n",
        "t": "\t",
        "r": "\r",
        "0": 0,
    ]

    /// How deep the compiler lets brackets nest.
    private static let deepestNesting = 256
    private static let unmatched = "whose brackets or quotes don't match"

    private var isAtEnd: Bool { index >= source.count - 2 }

    /// What the compiler refuses in the file: a literal or a bracket without its end, or more
    /// brackets around another than it allows.
    private(set) var flaw: String?
    var isWhole: Bool { flaw == nil }

    init(_ bytes: [UInt8]) {
        source = bytes + [0, 0]
        if reads("#!") {
            skip { $0 != "\n" }
        }
        while !isAtEnd {
            scan()
        }
        if isWhole, !openBrackets.isEmpty {
            flaw = Self.unmatched
        }
    }

    /// Reads a token, a blank or a comment.
    private func scan() {
        let start = index
        let byte = source[start]
        index += 1
        switch byte {
        case " ", "\t", "\r": break
        case "\n": startsLine = true
        case "(", "[", "{":
            add(.opening, start)
            openBrackets.append(tokens.count - 1)
            if openBrackets.count > Self.deepestNesting {
                flaw = "whose brackets nest deeper than the compiler allows"
                index = source.count - 2
            }
        case ")", "]", "}":
            let partner = openBrackets.popLast()
            add(.closing, start, partner: partner)
            if let partner {
                tokens[partner].partner = tokens.count - 1
            } else {
                flaw = Self.unmatched
            }
        case "/" where source[index] == "/": scanComment(start)
        case "/" where source[index] == "*": skipComment()
        case "/" where skipExpression(): add(.number, start)
        case "`":
            skip { $0 != "`" }
            add(.name, start + 1)
            index += 1
        case "#" where skipExtendedExpression(start): add(.number, start)
        case "\"",
            "#" where !source[index].isWord:
            scanLiteral(start)
        case _
        where byte.isWord
            || byte == "@"
            || byte == "#":
            skip { $0.isWord }
            // `1.5`, but not the members of `pair.0.1`.
            let isDecimal =
                byte.isDigit
                && source[index] == "."
                && source[index + 1].isDigit
                && tokens.last?.text != "."
            if isDecimal {
                index += 1
                skip { $0.isWord }
            }
            add(byte.isDigit ? .number : .name, start)
        default:
            if Lexer.longSigns.contains(source[start..<start + 2].text) {
                index += 1
            }
            add(.sign, start)
        }
    }

    private func skip(while fits: (UInt8) -> Bool) {
        while fits(source[index]), source[index] != 0 {
            index += 1
        }
    }

    private func reads(_ text: String) -> Bool {
        source[index...].starts(with: text.utf8)
    }

    /// Adds the token that begins at a byte and has just been read.
    private func add(
        _ kind: Token.Kind,
        _ start: Int,
        literal: Literal? = nil,
        partner: Int? = nil
    ) {
        tokens.append(
            Token(
                kind: kind,
                startsLine: startsLine,
                text: source[start..<index].text,
                offset: start,
                literal: literal,
                parent: openBrackets.last ?? -1,
                partner: partner
            )
        )
        startsLine = false
    }

    // MARK: Literals

    /// Reads the literal that begins with its quotes, or with the pounds before them.
    private func scanLiteral(_ start: Int) {
        let startsLine = startsLine
        index = start
        skip { $0 == "#" }
        let pounds = source[start..<index].text
        let isMultiline =
            reads("\"\"\"")
            && source[index + 3].isSpace
        let quotes = (isMultiline ? "\"\"\"" : "\"") + pounds
        let escape = "\\" + pounds
        index = start + quotes.count
        var literal: Literal = []
        // Where the lines of a literal of several lines begin in its text.
        var lineStarts: [Int] = []
        if isMultiline {
            skip { $0 != "\n" }
            index += 1
            lineStarts = [0]
        }

        while source[index] != "\"" || !reads(quotes) {
            if isAtEnd || source[index] == "\n" && !isMultiline {
                flaw = flaw ?? Self.unmatched
                return
            }
            if source[index] == "\\", reads(escape) {
                literal += scanEscape(escape)
            } else {
                literal.append((source[index], index, index + 1))
                index += 1
            }
            if isMultiline,
                source[index - 1] == "\n"
            {
                lineStarts.append(literal.count)
            }
        }
        index += quotes.count
        self.startsLine = startsLine
        add(.text, start, literal: isMultiline ? unindented(literal, lineStarts) : literal)
    }

    /// A literal of several lines without the indentation of its closing quotes, and without the
    /// line break before them.
    private func unindented(_ literal: Literal, _ lineStarts: [Int]) -> Literal {
        let indentation = literal.count - (lineStarts.last ?? 0)
        var result: Literal = []
        for (start, end) in zip(lineStarts, lineStarts.dropFirst()) {
            let line = literal[start..<end]
            let blanks = line.prefix { $0.byte == " " || $0.byte == "\t" }
            result += line.dropFirst(min(blanks.count, indentation))
        }
        if result.last?.byte == "\n" {
            result.removeLast()
        }
        return result
    }

    /// Reads an escape sequence or an interpolation, which begins with a backslash and pounds.
    private func scanEscape(_ escape: String) -> Literal {
        let start = index
        index += escape.count
        let letter = source[index]
        switch letter {
        case "(":
            let first = index + 1
            let count = tokens.count
            let depth = openBrackets.count
            repeat {
                scan()
            } while openBrackets.count > depth && !isAtEnd
            // The tokens of an interpolation aren't kept.
            tokens.removeSubrange(count...)
            return [(0xFF, first, index - 1)]
        case "u":
            skip { $0 != "}" }
            let digits = source[start..<index].text.dropFirst(escape.count + 2)
            let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) ?? "?"
            index += 1
            return String(scalar).utf8.map { ($0, start, index) }
        case _ where letter.isSpace:
            skip { $0 != "\n" }
            index += 1
            return []
        default:
            index += 1
            return [(Self.escapes[letter] ?? letter, start, index)]
        }
    }

    // MARK: Comments and regular expressions

    private func scanComment(_ start: Int) {
        skip { $0 != "\n" }
        let text = source[start..<index].text.drop { "/ ".contains($0) }
        if text.hasPrefix("sqift:") {
            let content = text.dropFirst(6).trimmingCharacters(in: .whitespacesAndNewlines)
            comments.append(Comment(text: content, offset: start))
        }
    }

    /// Skips a comment with stars, which may contain others, from its first star on.
    private func skipComment() {
        index -= 1
        var depth = 0
        repeat {
            if isAtEnd {
                flaw = Self.unmatched
                return
            }
            if reads("/*") {
                depth += 1
                index += 2
            } else if reads("*/") {
                depth -= 1
                index += 2
            } else {
                index += 1
            }
        } while depth > 0
    }

    /// Skips a regular expression between slashes with pounds, which may have several lines.
    private func skipExtendedExpression(_ start: Int) -> Bool {
        let pounds = source[start...].prefix { $0 == "#" }
        let content = start + pounds.count
        guard source[content] == "/",
            let end = source[(content + 1)...].firstRange(of: [UInt8("/")] + pounds)
        else { return false }
        index = end.upperBound
        return true
    }

    /// Skips a regular expression after its slash, which has a blank or a bracket before it, no
    /// blank after it, and a second one in its line.
    private func skipExpression() -> Bool {
        var end = index
        while !"/\n\0".utf8.contains(source[end]) {
            end += source[end] == "\\" ? 2 : 1
        }
        let isExpression =
            "([{,: \n".utf8.contains(source[max(index - 2, 0)])
            && !" \t\r\n,)".utf8.contains(source[index])
            && source[end] == "/"
        index = isExpression ? end + 1 : index
        return isExpression
    }
}

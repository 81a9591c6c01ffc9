/// Splits Swift code into tokens. It knows literals, comments and brackets; everything else is
/// names, numbers and signs. What it can't follow makes `isWhole` false.
struct Lexer {
    private let source: [UInt8]
    private var index = 0
    private var startsLine = true
    private(set) var tokens: [Token] = []
    private(set) var literals: [StringLiteral] = []
    /// The comments that begin with `sqift:`.
    private(set) var comments: [Comment] = []
    private(set) var isWhole = true
    /// The ranges of the literals that are in interpolations.
    private(set) var inner: [Range<Int>] = []

    private static let longSigns = Set(
        ["->", "==", "!=", "<=", ">=", "&&", "||", "??", "+="].map { sign in
            sign.utf8.reduce(0) { $0 << 8 | UInt16($1) }
        }
    )
    /// After these a slash begins a regular expression.
    private static let prefixWords: Set<String> = [
        "return", "in", "case", "try", "await", "where", "if", "else", "while", "guard", "switch",
    ]

    init(_ source: [UInt8]) {
        self.source = source
        tokens.reserveCapacity(source.count / 5)
        if starts(with: "#!") {
            skipLine()
        }
        while index < source.count {
            scan()
        }
    }

    private mutating func scan() {
        let byte = source[index]
        if byte == .newline {
            startsLine = true
            index += 1
        } else if byte.isSpace {
            index += 1
        } else if byte == .slash, starts(with: "//") {
            scanLineComment()
        } else if byte == .slash, starts(with: "/*") {
            skipComment()
        } else if byte == .quote || byte == .pound, let literal = literal(at: index) {
            append(literal)
        } else if byte == .pound, starts(with: "#/") {
            scanExtendedExpression()
        } else if byte.isDigit {
            scanNumber()
        } else if byte == UInt8(ascii: "`") {
            scanEscapedName()
        } else if byte.isWord || byte == .pound || byte == UInt8(ascii: "@") {
            scanName()
        } else if byte == .slash, startsExpression {
            scanExpression()
        } else {
            scanSign(byte)
        }
    }

    // MARK: Comments

    private mutating func scanLineComment() {
        let start = index
        skipLine()
        let text = String(decoding: source[start..<index], as: UTF8.self)
        let content = text.drop { $0 == "/" || $0 == " " }
        if content.hasPrefix("sqift:") {
            let words = content.dropFirst("sqift:".count)
            comments.append(Comment(text: words.trimmed, offset: start, isAlone: startsLine))
        }
    }

    private mutating func skipLine() {
        while index < source.count, source[index] != .newline {
            index += 1
        }
    }

    /// Skips a comment with stars, which may contain others.
    private mutating func skipComment() {
        var depth = 0
        repeat {
            if starts(with: "/*") {
                depth += 1
                index += 2
            } else if starts(with: "*/") {
                depth -= 1
                index += 2
            } else {
                startsLine = startsLine || source[index] == .newline
                index += 1
            }
        } while depth > 0 && index < source.count
        isWhole = isWhole && depth == 0
    }

    // MARK: String literals

    private mutating func append(_ literal: LiteralRange) {
        append(.text, "", from: index, to: literal.end)
        tokens[tokens.count - 1].literal = literals.count
        literals.append(StringLiteral(literal, in: source))
        inner += literal.inner
        isWhole = isWhole && literal.isWhole
    }

    /// The string literal that begins here with a quote or with pounds, or nil if none does.
    private func literal(at start: Int) -> LiteralRange? {
        var result = LiteralRange()
        var index = start
        while index < source.count, source[index] == .pound {
            index += 1
        }
        result.poundCount = index - start
        guard index < source.count, source[index] == .quote else { return nil }

        result.isMultiline = startsMultilineText(index)
        index += result.isMultiline ? 3 : 1
        let first = index
        while index < source.count {
            let byte = source[index]
            if byte == .quote, let end = endOfLiteral(result, at: index) {
                result.content = first..<index
                result.end = end
                return result
            }
            if byte == .newline, !result.isMultiline {
                break
            }
            guard let letter = result.escape(at: index, in: source) else {
                index += 1
                continue
            }
            guard source[letter] == UInt8(ascii: "(") else {
                index = letter + (source[letter] == .newline ? 0 : 1)
                continue
            }
            let end = endOfBrackets(from: letter + 1, inside: &result)
            result.holes.append(index..<end)
            index = end
        }
        result.content = first..<min(index, source.count)
        result.end = result.content.upperBound
        result.isWhole = false
        return result
    }

    /// Whether there are three quotes here and nothing else in the line.
    private func startsMultilineText(_ start: Int) -> Bool {
        guard start + 3 < source.count, source[start + 1] == .quote, source[start + 2] == .quote
        else { return false }
        var index = start + 3
        while index < source.count, source[index].isBlank {
            index += 1
        }
        return index == source.count || source[index] == .newline
            || source[index] == .carriageReturn
    }

    /// The index after the literal, if it ends with the quote that is here.
    private func endOfLiteral(_ literal: LiteralRange, at quote: Int) -> Int? {
        let quoteCount = literal.isMultiline ? 3 : 1
        let end = quote + quoteCount + literal.poundCount
        guard end <= source.count else { return nil }
        for index in quote..<end {
            let wanted: UInt8 = index < quote + quoteCount ? .quote : .pound
            guard source[index] == wanted else { return nil }
        }
        return end
    }

    /// The index after the bracket that closes, from after the one that opens.
    private func endOfBrackets(from start: Int, inside outer: inout LiteralRange) -> Int {
        var index = start
        var depth = 1
        while index < source.count {
            let byte = source[index]
            if byte == .quote || byte == .pound, let literal = literal(at: index) {
                outer.inner += [index..<literal.end] + literal.inner
                index = max(literal.end, index + 1)
                continue
            }
            index += 1
            if byte == UInt8(ascii: "(") {
                depth += 1
            } else if byte == UInt8(ascii: ")") {
                depth -= 1
                if depth == 0 {
                    return index
                }
            }
        }
        return index
    }

    // MARK: Regular expressions

    private var startsExpression: Bool {
        guard index + 1 < source.count, !source[index + 1].isSpace,
            source[index + 1] != UInt8(ascii: ")"), source[index + 1] != UInt8(ascii: ",")
        else { return false }
        guard let last = tokens.last else { return true }
        switch last.kind {
        case .name: return Lexer.prefixWords.contains(last.text)
        case .opening, .sign: return last.text != "." && last.text != "?" && last.text != "!"
        default: return false
        }
    }

    /// A slash without a second one in the line is an operator.
    private mutating func scanExpression() {
        var end = index + 1
        while end < source.count, source[end] != .slash, source[end] != .newline {
            end += source[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        let isWhole = end < source.count && source[end] == .slash
        append(isWhole ? .number : .sign, "/", from: index, to: isWhole ? end + 1 : index + 1)
    }

    private mutating func scanExtendedExpression() {
        var end = index + 2
        while end + 1 < source.count, source[end] != .slash || source[end + 1] != .pound {
            end += 1
        }
        isWhole = isWhole && end + 1 < source.count
        append(.number, "", from: index, to: min(end + 2, source.count))
    }

    // MARK: Words and signs

    private mutating func scanNumber() {
        var end = index
        while end < source.count, source[end].isWord || isDecimalPoint(end) {
            end += 1
        }
        append(.number, text(index, end), from: index, to: end)
    }

    private func isDecimalPoint(_ index: Int) -> Bool {
        source[index] == UInt8(ascii: ".") && index + 1 < source.count && source[index + 1].isDigit
    }

    private mutating func scanName() {
        var end = index + 1
        while end < source.count, source[end].isWord {
            end += 1
        }
        append(.name, text(index, end), from: index, to: end)
    }

    private mutating func scanEscapedName() {
        var end = index + 1
        while end < source.count, source[end] != UInt8(ascii: "`"), source[end] != .newline {
            end += 1
        }
        append(.name, text(index + 1, end), from: index, to: min(end + 1, source.count))
    }

    private mutating func scanSign(_ byte: UInt8) {
        var kind = Token.Kind.sign
        var length = 1
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): kind = .opening
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): kind = .closing
        case UInt8(ascii: ".") where starts(with: "...") || starts(with: "..<"): length = 3
        default:
            let next = index + 1 < source.count ? source[index + 1] : 0
            length = Lexer.longSigns.contains(UInt16(byte) << 8 | UInt16(next)) ? 2 : 1
        }
        append(kind, text(index, index + length), from: index, to: index + length)
    }

    private mutating func append(_ kind: Token.Kind, _ text: String, from: Int, to end: Int) {
        let token = Token(kind: kind, text: text, range: from..<end, startsLine: startsLine)
        tokens.append(token)
        startsLine = false
        index = max(end, from + 1)
    }

    private func text(_ start: Int, _ end: Int) -> String {
        source[start..<end].withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    private func starts(with text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard index + length <= source.count else { return false }
        for offset in 0..<length where source[index + offset] != text.utf8Start[offset] {
            return false
        }
        return true
    }
}

extension StringProtocol {
    /// Without spaces at both ends.
    var trimmed: String {
        let start = drop { $0.isWhitespace }
        return String(start.reversed().drop { $0.isWhitespace }.reversed())
    }
}

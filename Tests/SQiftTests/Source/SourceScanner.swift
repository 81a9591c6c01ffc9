/// Splits Swift code into tokens: a word, a number, a text or a sign each.
///
/// It looks at one line at a time, and remembers between lines only whether it is inside of a text
/// of several lines. That is exact enough for the code that the formatter accepts.
struct SourceScanner {
    private(set) var tokens: [SourceToken] = []
    private var isInsideText = false

    mutating func scan(_ line: Substring, number: Int) -> SourceLine {
        let bytes = Array(line.utf8)
        let first = tokens.count
        let end = isInsideText ? scanText(bytes, number) : scanCode(bytes, from: 0, number)

        return SourceLine(
            number: number,
            text: String(line),
            code: String(decoding: bytes[..<end], as: UTF8.self),
            comment: String(decoding: bytes[end...], as: UTF8.self),
            tokenCount: tokens[first...].filter { $0.kind != .interpolatedName }.count
        )
    }

    /// Scans code up to the end of the line or to a comment, and returns where that is.
    private mutating func scanCode(_ bytes: [UInt8], from start: Int, _ number: Int) -> Int {
        var index = start
        while index < bytes.count {
            let rest = bytes[index...]
            let byte = bytes[index]
            if byte == .space {
                index += 1
            } else if rest.starts(with: "//".utf8) {
                return index
            } else if rest.starts(with: "\"\"\"".utf8),
                rest.dropFirst(3).allSatisfy({ $0 == .space })
            {
                append(.text, rest, number)
                isInsideText = true
                return bytes.count
            } else if byte == .quote {
                let end = endOfText(bytes, from: index)
                append(.text, bytes[index..<end], number)
                appendInterpolations(bytes[index..<end], number)
                index = end
            } else if byte.isWordByte {
                let word = rest.prefix { $0.isWordByte }
                append(byte.isDigit ? .number : .name, word, number)
                index = word.endIndex
            } else {
                append(.sign, rest.prefix(1), number)
                index += 1
            }
        }
        return bytes.count
    }

    /// Scans a line of a text of several lines, or the line that ends the text.
    private mutating func scanText(_ bytes: [UInt8], _ number: Int) -> Int {
        let content = bytes.drop { $0 == .space }
        if content.starts(with: "\"\"\"".utf8) {
            isInsideText = false
            append(.text, content.prefix(3), number)
            return scanCode(bytes, from: content.startIndex + 3, number)
        }
        for _ in content.split(separator: .space) {
            append(.text, content, number)
        }
        appendInterpolations(content, number)
        return bytes.count
    }

    /// The position after the quote that ends the text, or the end of the line.
    private func endOfText(_ bytes: [UInt8], from start: Int) -> Int {
        var index = start + 1
        var depth = 0
        while index < bytes.count {
            if bytes[index] == .backslash {
                index += 1
                if index < bytes.count, bytes[index] == .openingParenthesis {
                    depth += 1
                }
            } else if depth > 0, bytes[index] == .openingParenthesis {
                depth += 1
            } else if depth > 0, bytes[index] == .closingParenthesis {
                depth -= 1
            } else if depth == 0, bytes[index] == .quote {
                return index + 1
            }
            index += 1
        }
        return bytes.count
    }

    /// Appends the names in the `\(…)` of a text.
    private mutating func appendInterpolations(_ text: ArraySlice<UInt8>, _ number: Int) {
        var depth = 0
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            if byte == .openingParenthesis,
                depth > 0 || (index > text.startIndex && text[index - 1] == .backslash)
            {
                depth += 1
            } else if byte == .closingParenthesis, depth > 0 {
                depth -= 1
            } else if depth > 0, byte.isWordByte {
                let word = text[index...].prefix { $0.isWordByte }
                append(.interpolatedName, word, number)
                index = word.endIndex
                continue
            }
            index += 1
        }
    }

    private mutating func append(
        _ kind: SourceToken.Kind,
        _ bytes: ArraySlice<UInt8>,
        _ number: Int
    ) {
        let text = String(decoding: bytes, as: UTF8.self)
        tokens.append(SourceToken(kind: kind, text: text, line: number))
    }
}

extension UInt8 {
    fileprivate static let space = UInt8(ascii: " ")
    fileprivate static let quote = UInt8(ascii: "\"")
    fileprivate static let backslash = UInt8(ascii: "\\")
    fileprivate static let openingParenthesis = UInt8(ascii: "(")
    fileprivate static let closingParenthesis = UInt8(ascii: ")")

    fileprivate var isDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }

    /// Every byte of a character beyond ASCII is taken for a letter.
    fileprivate var isWordByte: Bool {
        isDigit || self == UInt8(ascii: "_") || self >= 128
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 32)
    }
}

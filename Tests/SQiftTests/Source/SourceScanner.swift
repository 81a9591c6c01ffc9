/// Splits Swift code into tokens: a word, a number, a string literal or a sign each.
///
/// A literal is one token, however many lines it has, and the code in its interpolations counts as
/// code. Between lines the scanner remembers the literals and interpolations that are open. That is
/// exact enough for the code that the formatter accepts.
struct SourceScanner {
    private(set) var tokens: [SourceToken] = []
    /// What the current position is inside of, the innermost last.
    private var nesting: [Nesting] = []

    private enum Nesting {
        case literal(isMultiline: Bool)
        case interpolation(openParentheses: Int)
    }

    mutating func scan(_ line: Substring, number: Int) -> SourceLine {
        let bytes = Array(line.utf8)
        let first = tokens.count
        var end = 0
        while end < bytes.count {
            let rest = bytes[end...]
            if case .literal(let isMultiline) = nesting.last {
                end = scanLiteral(rest, isMultiline)
            } else if rest.starts(with: "//".utf8) {
                break
            } else {
                end = scanCode(rest, number)
            }
        }

        return SourceLine(
            number: number,
            text: String(line),
            code: String(decoding: bytes[..<end], as: UTF8.self),
            comment: String(decoding: bytes[end...], as: UTF8.self),
            tokenCount: tokens.count - first
        )
    }

    /// Scans one token or a space of code, and returns where it ends.
    private mutating func scanCode(_ rest: ArraySlice<UInt8>, _ number: Int) -> Int {
        let byte = rest[rest.startIndex]
        if byte == .space {
            return rest.startIndex + 1
        }
        if byte == .quote {
            let isMultiline = rest.starts(with: Self.multilineQuote)
            let quote = rest.prefix(isMultiline ? 3 : 1)
            append(.text, quote, number)
            nesting.append(.literal(isMultiline: isMultiline))
            return quote.endIndex
        }
        if byte.isWordByte {
            let word = rest.prefix { $0.isWordByte }
            append(byte.isDigit ? .number : .name, word, number)
            return word.endIndex
        }
        if case .interpolation(let openParentheses) = nesting.last {
            let change = byte == .openingParenthesis ? 1 : byte == .closingParenthesis ? -1 : 0
            nesting.removeLast()
            if openParentheses + change == 0 {
                return rest.startIndex + 1
            }
            nesting.append(.interpolation(openParentheses: openParentheses + change))
        }
        append(.sign, rest.prefix(1), number)
        return rest.startIndex + 1
    }

    /// Scans a literal to its end, to an interpolation, or to the end of the line, and returns where
    /// that is.
    private mutating func scanLiteral(_ rest: ArraySlice<UInt8>, _ isMultiline: Bool) -> Int {
        var index = rest.startIndex
        while index < rest.endIndex {
            if rest[index] == .backslash {
                let escaped = rest[index...].dropFirst().first
                index += 2
                if escaped == .openingParenthesis {
                    nesting.append(.interpolation(openParentheses: 1))
                    return index
                }
            } else if rest[index...].starts(with: isMultiline ? Self.multilineQuote : [.quote]) {
                nesting.removeLast()
                return index + (isMultiline ? 3 : 1)
            } else {
                index += 1
            }
        }
        return rest.endIndex
    }

    private static let multilineQuote = [UInt8](repeating: .quote, count: 3)

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

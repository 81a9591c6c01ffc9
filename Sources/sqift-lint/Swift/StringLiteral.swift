/// A string literal in the bytes of a file.
final class StringLiteral {
    /// A byte of its text, or an interpolation, which has none; and where that is written.
    typealias Piece = (byte: UInt8?, range: Range<Int>)

    private let source: [UInt8]
    /// Its text, without the line's end before the last quotes.
    private let content: Range<Int>
    /// What begins an escape sequence: a backslash and the literal's pounds.
    private let escape: [UInt8]
    /// How many blanks each line of its text begins with in the file.
    private let indentation: Int
    /// After the last quote and its pounds.
    let end: Int
    /// Whether it has an end.
    let isWhole: Bool

    private static let escapes: [UInt8: UInt8] = [
        "n": "\n",
        "t": "\t",
        "r": "\r",
        "0": 0,
    ]

    /// Finds the literal that begins with a quote or with pounds, if one does.
    init?(in source: [UInt8], at start: Int) {
        let quote = source.index(from: start) {
            $0 != "#"
        }
        guard source[quote] == "\"" else { return nil }
        let afterQuotes = source.index(from: quote + 3) {
            !$0.isBlank && $0 != "\r"
        }
        let isMultiline =
            source.reads("\"\"\"".utf8, at: quote)
            && source[afterQuotes] == "\n"
        let pounds = source[start..<quote]
        let quotes = [UInt8](repeating: "\"", count: isMultiline ? 3 : 1) + pounds
        escape = ["\\"] + pounds

        let first = (isMultiline ? afterQuotes : quote) + 1
        var index = first
        while source[index] != 0,
            isMultiline || source[index] != "\n",
            !source.reads(quotes, at: index)
        {
            if source.reads(escape, at: index) {
                index += escape.count
                if source[index] == "(" {
                    index = source.endOfInterpolation(from: index + 1) - 1
                }
            }
            index += 1
        }
        let lineEnd = source[..<index].lastIndex(of: "\n") ?? 0
        self.source = source
        content = first..<(isMultiline ? max(first, lineEnd) : index)
        indentation = index - lineEnd - 1
        isWhole = source[index] == "\""
        end = min(index + quotes.count, source.count - 1)
    }

    var pieces: [Piece] {
        var pieces: [Piece] = []
        var index = content.lowerBound
        while true {
            if source[index - 1] == "\n" {
                let text = source.index(from: index) {
                    !$0.isBlank
                }
                index = min(index + indentation, text)
            }
            guard index < content.upperBound else { return pieces }
            let start = index
            guard source.reads(escape, at: start) else {
                index += 1
                // Swift takes the two bytes of a line's end for one.
                if source[start] != "\r" {
                    pieces.append((source[start], start..<index))
                }
                continue
            }
            let letter = start + escape.count
            index = letter + 1
            switch source[letter] {
            case "(":
                index = source.endOfInterpolation(from: index)
                pieces.append((nil, letter + 1..<index - 1))
            case "u":
                index = source.index(from: letter) { $0 == "}" } + 1
                let digits = source[letter..<index - 1].text.dropFirst(2)
                let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
                for byte in String(scalar ?? "?").utf8 {
                    pieces.append((byte, start..<index))
                }
            case "\n", " ", "\t", "\r":
                index = source.index(from: letter) { $0 == "\n" } + 1
            default:
                let byte = Self.escapes[source[letter]] ?? source[letter]
                pieces.append((byte, start..<index))
            }
        }
    }
}

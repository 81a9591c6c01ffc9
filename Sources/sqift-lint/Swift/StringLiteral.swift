/// A string literal: the bytes of its text, and where in the file each of them comes from.
final class StringLiteral {
    private(set) var bytes: [UInt8] = []
    /// For each byte its offset in the file, and at the end that of what follows.
    private(set) var offsets: [Int] = []
    /// The interpolations, each from its backslash to after its bracket.
    private(set) var holes: [Range<Int>] = []
    /// The literals in the interpolations.
    private(set) var inner: [Range<Int>] = []
    let poundCount: Int
    /// After the last quote and its pounds.
    private(set) var end: Int
    /// Whether it has an end.
    private(set) var isWhole = false

    private static let escapes: [UInt8: UInt8] = ["n": "\n", "t": "\t", "r": "\r", "0": 0]

    var string: String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// Reads the literal that begins with a quote or with pounds, if one does.
    init?(in source: [UInt8], at start: Int) {
        end = source.index(from: start) { $0 != "#" }
        poundCount = end - start
        guard source[end] == "\"" else { return nil }
        let afterQuotes = source.index(from: end + 3) {
            !$0.isBlank && $0 != "\r"
        }
        let isMultiline =
            source.reads(["\"", "\"", "\""], at: end)
            && source[afterQuotes] == "\n"
        let quotes = [UInt8](repeating: "\"", count: isMultiline ? 3 : 1)
        let pounds = [UInt8](repeating: "#", count: poundCount)
        end = isMultiline ? afterQuotes + 1 : end + 1

        var lineStart = end
        // Where each byte stands in its line.
        var columns: [Int] = []
        while source[end] != 0,
            isMultiline || source[end] != "\n"
        {
            if source[end] == "\"",
                source.reads(quotes + pounds, at: end)
            {
                isWhole = true
                break
            }
            let column = end - lineStart
            if source[end] == "\\",
                source.reads(pounds, at: end + 1)
            {
                let next = decode(end + 1 + poundCount, in: source)
                end = min(next, source.count - 1)
            } else {
                // Swift takes the two bytes of a line's end for one.
                if source[end] != "\r" {
                    append(source[end])
                }
                end += 1
            }
            while columns.count < bytes.count {
                columns.append(column)
            }
            if source[end - 1] == "\n" {
                lineStart = end
            }
        }
        offsets.append(end)
        if isMultiline {
            removeIndentation(end - lineStart, columns)
        }
        if isWhole {
            end += quotes.count + poundCount
        }
    }

    /// The position before which an interpolation stands.
    func position(of hole: Range<Int>) -> Int {
        offsets.firstIndex { $0 > hole.lowerBound } ?? bytes.count
    }

    private func append(_ byte: UInt8) {
        bytes.append(byte)
        offsets.append(end)
    }

    /// Decodes the escape sequence with this letter, and returns where it ends.
    private func decode(_ letter: Int, in source: [UInt8]) -> Int {
        switch source[letter] {
        case "(":
            let close = endOfBrackets(letter + 1, in: source)
            holes.append(end..<close)
            return close
        case "u":
            let close = source.index(from: letter) {
                $0 == "}"
            }
            let digits = String(decoding: source[letter..<close].dropFirst(2), as: UTF8.self)
            let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
            String(scalar ?? "?").utf8.forEach(append)
            return close + 1
        case "\n", " ", "\t", "\r":
            return source.index(from: letter) { $0 == "\n" } + 1
        default:
            append(Self.escapes[source[letter]] ?? source[letter])
            return letter + 1
        }
    }

    /// The index after the bracket that closes, from after the one that opens.
    private func endOfBrackets(_ start: Int, in source: [UInt8]) -> Int {
        var index = start
        var depth = 1
        while source[index] != 0, depth > 0 {
            let byte = source[index]
            if byte == "\"" || byte == "#",
                let literal = StringLiteral(in: source, at: index)
            {
                inner += [index..<literal.end] + literal.inner
                index = literal.end
                continue
            }
            depth += byte == "(" ? 1 : byte == ")" ? -1 : 0
            index += 1
        }
        return index
    }

    /// The last line has only the indentation, before the quotes.
    private func removeIndentation(_ width: Int, _ columns: [Int]) {
        let kept = columns.indices.filter {
            columns[$0] >= width || bytes[$0] == "\n"
        }
        bytes = kept.map { bytes[$0] }
        offsets = kept.map { offsets[$0] } + offsets.suffix(1)
        if !bytes.isEmpty {
            bytes.removeLast()
            offsets.removeLast()
        }
    }
}

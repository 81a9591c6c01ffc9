/// The value of a string literal, and where in the file each of its bytes comes from.
struct StringLiteral {
    /// An interpolation, which stands before the byte of this position.
    struct Hole {
        let position: Int
        /// The bytes of its expression in the file.
        let source: Range<Int>
    }

    private(set) var bytes: [UInt8] = []
    /// For each byte its offset in the file, and at the end that of what follows.
    private(set) var offsets: [Int] = []
    private(set) var holes: [Hole] = []

    var string: String { String(decoding: bytes, as: UTF8.self) }

    /// Decodes escapes, and removes the indentation of a literal of several lines.
    init(_ range: LiteralRange, in source: [UInt8]) {
        var index = range.content.lowerBound
        var end = range.content.upperBound
        var indentation = 0
        if range.isMultiline {
            index = (source[index..<end].firstIndex(of: .newline) ?? end - 1) + 1
            var lineStart = end
            while lineStart > index, source[lineStart - 1] != .newline {
                lineStart -= 1
            }
            indentation = end - lineStart
            end = max(index, lineStart - 1)
            if end > index, source[end - 1] == .carriageReturn {
                end -= 1
            }
        }

        var isAtLineStart = range.isMultiline
        var holes = range.holes[...]
        while index < end {
            if isAtLineStart {
                isAtLineStart = false
                let lineEnd = min(index + indentation, end)
                while index < lineEnd, source[index].isBlank {
                    index += 1
                }
            } else if let hole = holes.first, hole.lowerBound == index {
                holes.removeFirst()
                let expression = hole.lowerBound + 2 + range.poundCount..<hole.upperBound - 1
                self.holes.append(Hole(position: bytes.count, source: expression))
                index = hole.upperBound
            } else if let escape = range.escape(at: index, in: source) {
                (index, isAtLineStart) = decode(escape, at: index, in: source, end: end)
            } else {
                append(source[index], index)
                isAtLineStart = range.isMultiline && source[index] == .newline
                index += 1
            }
        }
        offsets.append(index)
    }

    private mutating func append(_ byte: UInt8, _ offset: Int) {
        bytes.append(byte)
        offsets.append(offset)
    }

    /// Decodes the escape sequence whose letter is at `letter`, and returns where it ends, and
    /// whether the next line begins there.
    private mutating func decode(
        _ letter: Int,
        at start: Int,
        in source: [UInt8],
        end: Int
    ) -> (next: Int, isAtLineStart: Bool) {
        switch source[letter] {
        case UInt8(ascii: "n"): append(.newline, start)
        case UInt8(ascii: "t"): append(.tab, start)
        case UInt8(ascii: "r"): append(.carriageReturn, start)
        case UInt8(ascii: "0"): append(0, start)
        case UInt8(ascii: "u"):
            guard let close = source[letter..<end].firstIndex(of: UInt8(ascii: "}")) else { break }
            let digits = String(decoding: source[letter + 1...close], as: UTF8.self)
            let value = UInt32(digits.dropFirst().dropLast(), radix: 16)
            let scalar = value.flatMap(Unicode.Scalar.init) ?? "?"
            for byte in String(scalar).utf8 {
                append(byte, start)
            }
            return (close + 1, false)
        case .newline, .space, .tab, .carriageReturn:
            let lineEnd = source[letter..<end].firstIndex(of: .newline) ?? end - 1
            return (lineEnd + 1, true)
        default: append(source[letter], start)
        }
        return (letter + 1, false)
    }
}

/// Where a string literal is in the file, and what it is made of.
struct LiteralRange {
    var poundCount = 0
    var isMultiline = false
    /// Between the quotes.
    var content = 0..<0
    /// After the last quote and its pounds.
    var end = 0
    /// The interpolations, each from its backslash to after its bracket.
    var holes: [Range<Int>] = []
    /// The literals in the interpolations.
    var inner: [Range<Int>] = []
    /// Whether it has an end.
    var isWhole = true

    /// Where the letter of the escape sequence is that begins at `index`, or nil if none does.
    func escape(at index: Int, in source: [UInt8]) -> Int? {
        guard source[index] == UInt8(ascii: "\\") else { return nil }
        let letter = index + 1 + poundCount
        guard letter < source.count else { return nil }
        for pound in index + 1..<letter where source[pound] != .pound {
            return nil
        }
        return letter
    }
}

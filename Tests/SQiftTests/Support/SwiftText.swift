/// A Swift source as bytes, with its string literals and what is code: enough to put mistakes into
/// it. It knows nothing of the tool's own lexer.
package struct SwiftText {
    package struct Literal {
        /// Its quotes included.
        package let range: Range<Int>
        package let content: Range<Int>
        package let hashCount: Int
        package let isMultiline: Bool

        package init(range: Range<Int>, content: Range<Int>, hashCount: Int, isMultiline: Bool) {
            self.range = range
            self.content = content
            self.hashCount = hashCount
            self.isMultiline = isMultiline
        }
    }

    package let bytes: [UInt8]
    package private(set) var literals: [Literal] = []
    /// Whether a byte is neither in a literal nor in a comment.
    package private(set) var isCode: [Bool]

    package init(_ text: String) {
        bytes = Array(text.utf8)
        isCode = Array(repeating: true, count: bytes.count)
        var index = 0
        while index < bytes.count {
            index = skip(at: index)
        }
        literals.sort { $0.range.lowerBound < $1.range.lowerBound }
    }

    private func has(_ text: String, at index: Int) -> Bool {
        bytes[index...].starts(with: text.utf8)
    }

    /// Returns the index after a comment, a literal, or one byte of code.
    private mutating func skip(at start: Int) -> Int {
        if has("//", at: start) {
            return exclude(start, bytes[start...].firstIndex(of: UInt8(ascii: "\n")))
        }
        if has("/*", at: start) {
            var (depth, index) = (0, start)
            repeat {
                let isOpening = has("/*", at: index)
                let isClosing = has("*/", at: index)
                depth += isOpening ? 1 : isClosing ? -1 : 0
                index += isOpening || isClosing ? 2 : 1
            } while depth > 0 && index < bytes.count
            return exclude(start, index)
        }
        let hashes = bytes[start...].prefix { $0 == UInt8(ascii: "#") }.count
        guard start + hashes < bytes.count, bytes[start + hashes] == UInt8(ascii: "\"") else {
            return start + 1
        }
        return addLiteral(at: start, hashes)
    }

    private mutating func exclude(_ start: Int, _ end: Int?) -> Int {
        let end = end ?? bytes.count
        for index in start..<end {
            isCode[index] = false
        }
        return end
    }

    private mutating func addLiteral(at start: Int, _ hashCount: Int) -> Int {
        let hashes = String(repeating: "#", count: hashCount)
        let isMultiline = has("\"\"\"", at: start + hashCount)
        let quotes = isMultiline ? "\"\"\"" : "\""
        let content = start + hashCount + quotes.utf8.count
        var index = content
        while index < bytes.count, !has(quotes + hashes, at: index) {
            if has("\\\(hashes)(", at: index) {
                index = skipInterpolation(at: index + hashCount + 1)
            } else {
                index += has("\\" + hashes, at: index) ? hashCount + 2 : 1
            }
        }
        let end = min(index + quotes.utf8.count + hashCount, bytes.count)
        literals.append(
            Literal(
                range: start..<end,
                content: content..<min(index, bytes.count),
                hashCount: hashCount,
                isMultiline: isMultiline
            )
        )
        return exclude(start, end)
    }

    /// - Parameter start: The bracket that opens it.
    private mutating func skipInterpolation(at start: Int) -> Int {
        var depth = 0
        var index = start
        repeat {
            let byte = bytes[index]
            depth += byte == UInt8(ascii: "(") ? 1 : byte == UInt8(ascii: ")") ? -1 : 0
            index = skip(at: index)
        } while depth > 0 && index < bytes.count
        return index
    }

    // MARK: Places

    package func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// The line of a byte, from 1.
    package func line(of index: Int) -> Int {
        bytes[..<index].count { $0 == UInt8(ascii: "\n") } + 1
    }

    /// The bracket that encloses a byte of code, and the one that closes it.
    package func brackets(around index: Int) -> (opening: Int, closing: Int)? {
        var depth = 0
        var opening = index - 1
        while opening >= 0 {
            if isCode[opening] {
                depth += ")]}".utf8.contains(bytes[opening]) ? 1 : 0
                depth -= "([{".utf8.contains(bytes[opening]) ? 1 : 0
            }
            if depth < 0 {
                return closing(of: opening).map { (opening, $0) }
            }
            opening -= 1
        }
        return nil
    }

    package func closing(of opening: Int) -> Int? {
        var depth = 0
        for index in opening..<bytes.count where isCode[index] {
            depth += "([{".utf8.contains(bytes[index]) ? 1 : 0
            depth -= ")]}".utf8.contains(bytes[index]) ? 1 : 0
            if depth == 0 {
                return index
            }
        }
        return nil
    }

    /// The ranges between a range's commas that no bracket encloses, without blanks around them.
    package func elements(_ range: Range<Int>) -> [Range<Int>] {
        var depth = 0
        var start = range.lowerBound
        var parts: [Range<Int>] = []
        for index in range where isCode[index] {
            depth += "([{".utf8.contains(bytes[index]) ? 1 : 0
            depth -= ")]}".utf8.contains(bytes[index]) ? 1 : 0
            if depth == 0, bytes[index] == UInt8(ascii: ",") {
                parts.append(start..<index)
                start = index + 1
            }
        }
        parts.append(start..<range.upperBound)
        return parts.map(trimmed).filter { !$0.isEmpty }
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        let blanks = " \n\t".utf8
        let start = range.first { !blanks.contains(bytes[$0]) } ?? range.upperBound
        let end = range.last { !blanks.contains(bytes[$0]) }.map { $0 + 1 } ?? start
        return start..<max(start, end)
    }
}

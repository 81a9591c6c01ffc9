internal import CSQift
import Foundation

/// SQL text, which SQLite parses. SQift looks only for where a statement begins.
public typealias SQL = String

// The text of SQL, and names in it, as SQLite sees them: byte by byte.
extension String {
    // MARK: Quoting

    /// The string as an SQL literal: in single quotes, with the quotes inside it doubled.
    var quotedAsLiteral: String { quoted(with: "'") }

    /// The string as an SQL identifier: in double quotes, with the quotes inside it doubled.
    var quotedAsIdentifier: String { quoted(with: "\"") }

    /// Works on bytes: a quote with a combining character after it is another `Character`, but
    /// still SQLite's quote.
    private func quoted(with quote: Unicode.Scalar) -> String {
        let doubled = utf8.flatMap { $0 == quote ? [$0, $0] : [$0] }
        return "\(quote)\(String(decoding: doubled, as: UTF8.self))\(quote)"
    }

    // MARK: Comparing

    /// Equal as SQLite sees it: the same UTF-8 bytes.
    @inline(__always) func hasSameBytes(as other: String) -> Bool {
        bits == other.bits || hasSameBytesElsewhere(as: other)
    }

    // Apart, so that looking a column up is short enough to be inlined.
    @inline(never) private func hasSameBytesElsewhere(as other: String) -> Bool {
        utf8.count == other.utf8.count
            && withCString { one in other.withCString { memcmp(one, $0, utf8.count) } } == 0
    }

    /// The bits of the `String` itself: a short text, or a reference to a long one.
    ///
    /// Equal bits mean equal strings only while the first string is kept: otherwise another text
    /// may get its address. Equal strings can have different bits.
    @inline(__always) private var bits: (start: UInt64, end: UInt64) {
        // On 32-bit systems, where a `String` itself has only 12 bytes, the two halves overlap.
        let offset = MemoryLayout<String>.size - MemoryLayout<UInt64>.size
        return withUnsafeBytes(of: self) {
            (
                $0.loadUnaligned(as: UInt64.self),
                $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            )
        }
    }

    /// Equal as SQLite compares names: byte by byte, case-insensitively for ASCII letters.
    func equalsIgnoringASCIICase(_ other: String) -> Bool {
        utf8.count == other.utf8.count
            && withCString { one in other.withCString { sqlite3_stricmp(one, $0) } } == 0
    }

    /// Whether SQLite, which takes names as C strings, would cut this one.
    var containsNUL: Bool { utf8.contains(0) }

    // MARK: Printing

    /// At most 200 bytes of the string around the byte at `offset`, in one line. Where it was cut,
    /// there is "…".
    func excerpt(around offset: Int) -> String {
        let length = 200
        let start = Swift.max(0, Swift.min(offset - length / 4, utf8.count - length))
        let cut = String(decoding: utf8.dropFirst(start).prefix(length), as: UTF8.self)
        return (start > 0 ? "…" : "") + cut.inOneLine + (start + length < utf8.count ? "…" : "")
    }

    /// The string with one space for each run of white space and control characters, and none at
    /// the ends.
    var inOneLine: String {
        unicodeScalars.split {
            $0.properties.isWhitespace || $0.properties.generalCategory == .control
        }.map {
            String($0)
        }.joined(separator: " ")
    }
}

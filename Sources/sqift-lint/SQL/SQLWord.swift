/// A piece of SQL, as far as this tool looks at it. SQLite itself does the parsing.
struct SQLWord: Equatable {
    enum Kind {
        /// A keyword or a name, in lower case.
        case word
        /// A name in brackets, backticks or double quotes.
        case quoted
        case text
        case number
        case parameter
        case sign
    }

    let kind: Kind
    /// Without quotes.
    let text: String
    let start: Int
    let end: Int

    /// The first words of statements.
    static let verbs: Set<String> = [
        "select", "insert", "update", "delete", "replace", "with", "values", "create", "alter",
        "drop", "explain", "pragma", "attach", "detach", "begin", "commit", "end", "rollback",
        "savepoint", "release", "vacuum", "analyze", "reindex",
    ]
    /// Those that are about the connection. Some act while they are compiled.
    static let connectionVerbs: Set<String> = [
        "pragma", "attach", "detach", "begin", "commit", "end", "rollback", "savepoint", "release",
        "vacuum", "analyze", "reindex",
    ]
    static let definitionVerbs: Set<String> = ["create", "alter", "drop"]

    /// Splits SQL up to a byte, or to its end.
    static func words(_ bytes: [UInt8], from start: Int = 0, upTo end: Int? = nil) -> [SQLWord] {
        var result: [SQLWord] = []
        var index = start
        let end = end ?? bytes.count
        while index < end {
            let byte = bytes[index]
            let next = index + 1 < end ? bytes[index + 1] : 0
            if byte.isSpace {
                index += 1
            } else if byte == UInt8(ascii: "-"), next == byte {
                index = bytes[index..<end].firstIndex(of: .newline) ?? end
            } else if byte == .slash, next == .star {
                index += 2
                while index < end, bytes[index] != .slash || bytes[index - 1] != .star {
                    index += 1
                }
                index += 1
            } else {
                let word = word(bytes, at: index, upTo: end)
                result.append(word)
                index = word.end
            }
        }
        return result
    }

    /// The words of each statement, as far as semicolons outside of triggers divide them.
    static func statements(_ bytes: [UInt8]) -> [[SQLWord]] {
        words(bytes).split { $0.kind == .sign && $0.text == ";" }.map(Array.init)
    }

    private static let quotes: [UInt8: UInt8] = [
        UInt8(ascii: "'"): UInt8(ascii: "'"), .quote: .quote,
        UInt8(ascii: "`"): UInt8(ascii: "`"), UInt8(ascii: "["): UInt8(ascii: "]"),
    ]

    private static func word(_ bytes: [UInt8], at start: Int, upTo end: Int) -> SQLWord {
        let byte = bytes[start]
        if let quote = quotes[byte] {
            return quotedWord(bytes, at: start, upTo: end, quote)
        }
        let isParameter = "?:@$".utf8.contains(byte)
        guard byte.isWord || isParameter else {
            return SQLWord(bytes, start, start + 1, .sign)
        }
        var index = start + 1
        while index < end, bytes[index].isWord {
            index += 1
        }
        return SQLWord(
            bytes,
            start,
            index,
            isParameter ? .parameter : byte.isDigit ? .number : .word
        )
    }

    private static func quotedWord(
        _ bytes: [UInt8],
        at start: Int,
        upTo end: Int,
        _ quote: UInt8
    ) -> SQLWord {
        var text: [UInt8] = []
        var index = start + 1
        while index < end {
            if bytes[index] == quote {
                let isDoubled = index + 1 < end && bytes[index + 1] == quote
                guard isDoubled, quote != UInt8(ascii: "]") else { break }
                index += 1
            }
            text.append(bytes[index])
            index += 1
        }
        return SQLWord(
            kind: quote == UInt8(ascii: "'") ? .text : .quoted,
            text: String(decoding: text, as: UTF8.self),
            start: start,
            end: min(index + 1, end)
        )
    }

    private init(kind: Kind, text: String, start: Int, end: Int) {
        self.kind = kind
        self.text = text
        self.start = start
        self.end = end
    }

    private init(_ bytes: [UInt8], _ start: Int, _ end: Int, _ kind: Kind) {
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        self.init(
            kind: kind,
            text: kind == .word ? text.lowercased() : text,
            start: start,
            end: end
        )
    }

    var isName: Bool { kind == .word || kind == .quoted }
}

extension [SQLWord] {
    /// The first word of a statement, or an empty text.
    var verb: String { first?.kind == .word ? self[0].text : "" }

    /// Whether somebody who passes this text means SQL.
    var looksLikeSQL: Bool {
        if SQLWord.verbs.contains(verb) {
            return count > 1 || ["vacuum", "begin", "commit", "rollback"].contains(verb)
        }
        guard count > 2, first?.kind == .word else { return false }
        return SQLWord.verbs.contains { $0.count > 3 && verb.distance(to: $0) == 1 }
            && dropFirst().contains {
                ["from", "into", "set", "table", "index", "view", "values"].contains($0.text)
            }
    }

    /// What CREATE, ALTER or DROP is about, such as `table cars`; nil for another statement.
    var definition: (kind: String, schema: String?, name: SQLWord)? {
        guard SQLWord.definitionVerbs.contains(verb) else { return nil }
        let extra = ["temp", "temporary", "if", "not", "exists", "virtual", "unique"]
        let rest = dropFirst().prefix(10).filter { $0.kind == .quoted || !extra.contains($0.text) }
        guard rest.count > 1, rest[1].isName else { return nil }
        let isQualified = rest.count > 3 && rest[2].text == "."
        return (rest[0].text, isQualified ? rest[1].text : nil, isQualified ? rest[3] : rest[1])
    }
}

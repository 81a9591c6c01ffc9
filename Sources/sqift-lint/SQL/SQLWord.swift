/// A piece of SQL, as far as this tool looks at it. SQLite itself does the parsing.
struct SQLWord {
    enum Kind {
        /// A keyword or a name, in lower case.
        case plain
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
    let range: Range<Int>

    /// What a name means, in lower case, or nil for what isn't one.
    var name: String? {
        kind == .plain || kind == .quoted
            ? text.lowercased()
            : nil
    }

    /// The first words of statements.
    static let verbs = changeVerbs.union(connectionVerbs).union(definitionVerbs)
        .union(["select", "with", "values", "explain"])
    static let changeVerbs: Set<String> = ["insert", "update", "delete", "replace"]
    /// Those that are about the connection. Some act while they are compiled.
    static let connectionVerbs: Set<String> = [
        "pragma", "attach", "detach", "begin", "commit", "end", "rollback", "savepoint", "release",
        "vacuum", "analyze", "reindex",
    ]
    static let definitionVerbs: Set<String> = ["create", "alter", "drop"]
}

extension Array where Element == SQLWord {
    private static let quotes: [UInt8: UInt8] = ["'": "'", "\"": "\"", "`": "`", "[": "]"]

    /// Splits SQL, or a part of it.
    init(_ sql: [UInt8], in range: Range<Int>? = nil) {
        self.init()
        let range = range ?? 0..<sql.count
        let bytes = sql[..<range.upperBound] + [0]
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            if byte.isSpace {
                index += 1
            } else if byte == "-",
                bytes[index + 1] == "-"
            {
                index = bytes[index...].firstIndex(of: "\n") ?? range.upperBound
            } else if byte == "/",
                bytes[index + 1] == "*"
            {
                index += 2
                while bytes[index] != 0,
                    bytes[index] != "/" || bytes[index - 1] != "*"
                {
                    index += 1
                }
                index += 1
            } else {
                append(Array.first(in: bytes, at: index))
                index = self[count - 1].range.upperBound
            }
        }
    }

    private static func first(in bytes: ArraySlice<UInt8>, at start: Int) -> SQLWord {
        let byte = bytes[start]
        if let quote = quotes[byte] {
            return quoted(in: bytes, at: start, quote)
        }
        let isParameter = "?:@$".utf8.contains(byte)
        var end = start + 1
        while byte.isWord || isParameter, bytes[end].isWord {
            end += 1
        }
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        let kind: SQLWord.Kind =
            isParameter ? .parameter : byte.isDigit ? .number : byte.isWord ? .plain : .sign
        return SQLWord(
            kind: kind,
            text: kind == .plain ? text.lowercased() : text,
            range: start..<end
        )
    }

    private static func quoted(
        in bytes: ArraySlice<UInt8>,
        at start: Int,
        _ quote: UInt8
    ) -> SQLWord {
        var text: [UInt8] = []
        var end = start + 1
        while bytes[end] != 0 {
            if bytes[end] == quote {
                guard bytes[end + 1] == quote,
                    quote != "]"
                else { break }
                end += 1
            }
            text.append(bytes[end])
            end += 1
        }
        return SQLWord(
            kind: quote == "'" ? .text : .quoted,
            text: String(decoding: text, as: UTF8.self),
            range: start..<Swift.min(end + 1, bytes.endIndex - 1)
        )
    }

    /// The words of each statement, as far as semicolons outside of triggers divide them.
    var statements: [[SQLWord]] {
        split { $0.kind == .sign && $0.text == ";" }.map([SQLWord].init)
    }

    func contains(anyOf texts: String...) -> Bool {
        contains { texts.contains($0.text) }
    }

    var names: Set<String> {
        Set(compactMap(\.name))
    }

    /// The first word of a statement, or an empty text.
    var verb: String {
        first?.kind == .plain ? self[0].text : ""
    }

    var isDefinition: Bool { SQLWord.definitionVerbs.contains(verb) }

    /// Whether somebody who passes this text means SQL.
    var looksLikeSQL: Bool {
        if SQLWord.verbs.contains(verb) {
            return count > 1
                || ["vacuum", "begin", "commit", "rollback"].contains(verb)
        }
        return count > 2
            && SQLWord.verbs.contains { $0.count > 3 && verb[...].isNear($0[...], 1) }
            && contains(anyOf: "from", "into", "set", "table", "index", "view", "values")
    }

    /// The table, view or index that CREATE, ALTER or DROP is about; nil for another statement.
    var definition: SQLWord? {
        guard isDefinition else { return nil }
        let extra = ["temp", "temporary", "if", "not", "exists", "virtual", "unique"]
        let rest = dropFirst().prefix(10).filter {
            $0.kind == .quoted || !extra.contains($0.text)
        }
        guard rest.count > 1,
            rest[1].name != nil
        else { return nil }
        return rest.count > 3 && rest[2].text == "."
            ? rest[3]
            : rest[1]
    }
}

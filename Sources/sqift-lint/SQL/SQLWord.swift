/// A piece of SQL, as far as this tool looks at it. SQLite itself does the parsing.
struct SQLWord {
    /// A keyword or a name in lower case. All else is as it is written, in its quotes.
    let text: String
    /// Its first byte in the text.
    let start: Int
    /// The byte after it.
    let end: Int
    private let first: UInt8

    private static let quotes: [UInt8: UInt8] = ["'": "'", "\"": "\"", "`": "`", "[": "]"]

    /// The piece that begins at an index, which is moved to the piece's end.
    init(in bytes: ArraySlice<UInt8>, at index: inout Int) {
        start = index
        first = bytes[start]
        index += 1
        if let quote = SQLWord.quotes[first] {
            var isInside = true
            while isInside {
                index = bytes[index...].firstIndex(of: quote).map { $0 + 1 } ?? bytes.endIndex - 1
                // A quote that stands twice is one of the text.
                isInside = quote == first && index < bytes.endIndex && bytes[index] == quote
                index += isInside ? 1 : 0
            }
        } else if first.isWord || "?:@".utf8.contains(first) {
            index += bytes[index...].prefix { $0.isWord }.count
        }
        end = index
        let written = bytes[start..<index].text
        text =
            first.isLetter
            ? written.lowercased()
            : written
    }

    /// A value that is bound.
    var isParameter: Bool { "?:@$".utf8.contains(first) }

    /// The name of a value that is bound, without its prefix.
    var nameOfParameter: String { String(text.dropFirst()) }

    /// What a name means, in lower case, or nil for what isn't one. SQLite takes a string for a
    /// name where it needs one.
    var name: String? {
        if SQLWord.quotes[first] != nil {
            let quote = String(text.prefix(1))
            return text.dropFirst().dropLast().lowercased()
                .replacing(quote + quote, with: quote)
        }
        return first.isLetter ? text : nil
    }

    /// The first words of statements.
    static let verbs = dataVerbs.union(connectionVerbs).union(definitionVerbs)
    /// The statements with parameters.
    static let dataVerbs = "select with values explain insert update delete replace".words
    /// Those that are about the connection. Some act while they are compiled.
    static let connectionVerbs =
        "pragma attach detach begin commit end rollback savepoint release vacuum analyze reindex"
        .words
    static let definitionVerbs: Set = ["create", "alter", "drop"]
}

extension Array where Element == SQLWord {
    /// Splits SQL, or a part of it.
    init(_ sql: ArraySlice<UInt8>) {
        self.init()
        let bytes = sql + [0]
        var index = sql.startIndex
        while index < sql.endIndex {
            switch (bytes[index], bytes[index + 1]) {
            case ("-", "-"):
                index = bytes[index...].firstIndex(of: "\n") ?? sql.endIndex
            case ("/", "*"):
                let end = bytes[(index + 2)...].firstRange(of: "*/".utf8)
                index = end?.upperBound ?? sql.endIndex
            case (let byte, _) where byte.isSpace: index += 1
            default: append(SQLWord(in: bytes, at: &index))
            }
        }
    }

    /// The first statement. A trigger ends with an END after a semicolon.
    var firstStatement: [SQLWord] {
        let isTrigger =
            verb == "create"
            && prefix(4).contains { $0.text == "trigger" }
        let end = indices.first { index in
            let isEnd =
                index > 1
                && self[index - 1].text == "end"
                && self[index - 2].text == ";"
            return self[index].text == ";"
                && (!isTrigger || isEnd)
        }
        return Array(prefix(upTo: end ?? endIndex))
    }

    /// The words of each statement, as far as semicolons outside of triggers divide them.
    var statements: [[SQLWord]] {
        split { $0.text == ";" }.map(Array.init)
    }

    func contains(anyOf texts: String...) -> Bool {
        contains { texts.contains($0.text) }
    }

    /// The word after the first one of this text.
    func first(after text: String) -> SQLWord? {
        drop { $0.text != text }.dropFirst().first
    }

    /// The first word of a statement, or an empty text.
    var verb: String {
        first?.text ?? ""
    }

    /// The tables and views that the statements make, in lower case.
    var madeNames: [String] {
        statements.filter { $0.verb == "create" }
            .compactMap(\.definition?.table)
    }

    /// The new names that the statements give to tables, in lower case.
    var renamedNames: [String] {
        statements
            .filter { $0.verb == "alter" && $0.suffix(2).first?.text == "to" }
            .compactMap(\.last?.name)
    }

    /// Whether a statement makes or drops an index or a trigger.
    var definesIndexOrTrigger: Bool {
        SQLWord.definitionVerbs.contains(verb)
            && definition?.table == nil
            && contains(anyOf: "index", "trigger")
    }

    /// Whether arguments follow a name in lower case.
    func callsFunction(named name: String) -> Bool {
        zip(self, dropFirst()).contains { $0.name == name && $1.text == "(" }
    }

    /// Whether a string means SQL, wherever it is.
    var looksLikeSQL: Bool {
        SQLWord.verbs.contains(verb) && count > 1
    }

    /// What CREATE, ALTER or DROP is about, in lower case: the database that it names, and the
    /// table or the view if it is one.
    var definition: (database: String?, table: String?)? {
        guard SQLWord.definitionVerbs.contains(verb) else { return nil }
        let rest = drop {
            !["table", "index", "view", "trigger"].contains($0.text)
        }
        let path = rest.dropFirst().drop {
            ["if", "not", "exists"].contains($0.text)
        }
        let hasDatabase = path.dropFirst().first?.text == "."
        guard let kind = rest.first?.text else { return nil }
        // A name that is still to come is computed.
        let last = (hasDatabase ? path.dropFirst(2) : path).first
        let name = last?.name ?? "\u{FFFD}"
        let isTable = ["table", "view"].contains(kind)
        return (hasDatabase ? path.first?.name : nil, isTable ? name : nil)
    }
}

extension ArraySlice<UInt8> {
    /// What follows the first of some statements.
    var afterFirstStatement: ArraySlice<UInt8> {
        let end = [SQLWord](self).firstStatement.last?.end ?? endIndex
        return self[end...].drop { $0 == ";" || $0.isSpace }
    }
}

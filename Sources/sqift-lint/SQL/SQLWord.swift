/// A piece of SQL, as far as this tool looks at it. SQLite itself does the parsing.
struct SQLWord {
    enum Kind {
        /// A keyword or a name, in lower case.
        case plain
        /// A name in brackets, backticks or double quotes.
        case quoted
        case parameter
        /// A string in its quotes, a number or a sign.
        case other
    }

    let kind: Kind
    /// A name is without quotes.
    let text: String
    /// Its first byte in the text.
    let start: Int

    private static let quotes: [UInt8: UInt8] = ["'": "'", "\"": "\"", "`": "`", "[": "]"]

    /// The piece that begins at an index, which is moved to the piece's end. A quote that stands
    /// twice ends one and begins another.
    init(in bytes: ArraySlice<UInt8>, at index: inout Int) {
        start = index
        index += 1
        let byte = bytes[start]
        var kind = Kind.other
        if let quote = SQLWord.quotes[byte] {
            kind = byte == "'" ? .other : .quoted
            index += bytes[index...].prefix { $0 != quote && $0 != 0 }.count
            index = min(index + 1, bytes.endIndex - 1)
        } else if byte.isWord || "?:@".utf8.contains(byte) {
            let isName = byte.isWord && byte != "$"
            kind = byte.isDigit ? .other : isName ? .plain : .parameter
            index += bytes[index...].prefix(while: \.isWord).count
        }
        let piece = bytes[start..<index]
        let content = kind == .quoted ? piece.dropFirst().dropLast() : piece
        text = kind == .plain ? content.text.lowercased() : content.text
        self.kind = kind
    }

    /// What a name means, in lower case, or nil for what isn't one.
    var name: String? {
        kind == .plain || kind == .quoted
            ? text.lowercased()
            : nil
    }

    /// The first words of statements.
    static let verbs = dataVerbs.union(connectionVerbs).union(definitionVerbs)
    /// The statements with parameters.
    static let dataVerbs = changeVerbs.union("select with values explain".words)
    static let changeVerbs = "insert update delete replace".words
    /// Those that are about the connection. Some act while they are compiled.
    static let connectionVerbs =
        "pragma attach detach begin commit end rollback savepoint release vacuum analyze reindex"
        .words
    static let definitionVerbs = "create alter drop".words
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
                index += 2
                while bytes[index] != 0,
                    bytes[index] != "/" || bytes[index - 1] != "*"
                {
                    index += 1
                }
                index += 1
            case (let byte, _) where byte.isSpace: index += 1
            default: append(SQLWord(in: bytes, at: &index))
            }
        }
    }

    /// The words of each statement, as far as semicolons outside of triggers divide them.
    var statements: [[SQLWord]] {
        split { $0.text == ";" }.map(Array.init)
    }

    func contains(anyOf texts: String...) -> Bool {
        contains { texts.contains($0.text) }
    }

    /// The first word of a statement, or an empty text.
    var verb: String {
        first?.kind == .plain ? self[0].text : ""
    }

    /// The tables and views that the statements make, in lower case.
    var madeNames: [String] {
        statements.filter { $0.verb == "create" }.compactMap(\.definition?.table)
    }

    /// The tables and other things that the statements make, change or remove, in lower case.
    var definedNames: [String] {
        statements.flatMap { statement in
            let renamed = statement.suffix(2).first?.text == "to" ? statement.last : nil
            let names = [statement.definition?.token, renamed].compactMap {
                $0?.name
            }
            return statement.verb == "alter"
                ? names
                : names.filter {
                    !$0.isComputed
                }
        }
    }

    /// Whether code that passes this string means SQL.
    var looksLikeSQL: Bool {
        if SQLWord.verbs.contains(verb) {
            return count > 1 || SQLWord.connectionVerbs.contains(verb)
        }
        return count > 2
            && SQLWord.verbs.contains {
                $0.count > 3 && verb.isNear($0)
            }
            && !"from into set table index view values".words.isDisjoint(with: map(\.text))
    }

    /// What CREATE, ALTER or DROP is about: its name, and that of a table or a view.
    var definition: (token: SQLWord, table: String?)? {
        guard SQLWord.definitionVerbs.contains(verb) else { return nil }
        let rest = drop {
            !["table", "index", "view", "trigger"].contains($0.text)
        }
        let name = rest.dropFirst().drop {
            $0.kind == .plain && ["if", "not", "exists"].contains($0.text)
        }
        let hasDatabase = name.dropFirst().first?.text == "."
        guard let token = (hasDatabase ? name.dropFirst(2) : name).first else { return nil }
        return (token, ["table", "view"].contains(rest.first?.text) ? token.name : nil)
    }
}

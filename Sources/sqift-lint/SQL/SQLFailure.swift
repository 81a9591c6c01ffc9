/// Why SQLite doesn't compile a statement.
struct SQLFailure: Error {
    /// What it is about, by the words of SQLite's messages, which bars divide.
    enum Kind: String, CaseIterable {
        /// The grammar: no table changes that.
        case syntax = "syntax error|incomplete input|unrecognized token"
        case table = "no such table: "
        case column = "no such column: | has no column named "
        case function = "no such function: "
        /// A function that is known, with another number of arguments.
        case arguments = "wrong number of arguments to function "
        case collation = "no such collation sequence: "
        case database = "unknown database "
        case module = "no such module|no such tokenizer|tokenizer constructor|unrecognized option"
        /// Everything else. The tables may matter.
        case other = ""
    }

    let message: String
    /// The name that was probably meant.
    var suggestion: String?
    /// The byte of the text that is wrong, or that of the word that the error is about.
    var position = 0

    var kind: Kind {
        Kind.allCases.first { kind in
            kind.rawValue.split(separator: "|").contains { message.contains($0) }
        } ?? .other
    }

    /// The last word of the message, with what qualifies it, in lower case.
    var name: String {
        let text = message.lowercased().replacing(" main.", with: " ")
        let last = text.split(separator: " ").last ?? ""
        return last.filter {
            !"\"'`[]()".contains($0)
        }
    }
}

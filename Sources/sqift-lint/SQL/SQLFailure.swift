/// Why SQLite doesn't compile a statement.
struct SQLFailure: Error {
    /// What it is about.
    enum Kind: CaseIterable {
        /// The grammar: no table changes that.
        case syntax
        case table
        case column
        case function
        /// A function that is known, with another number of arguments.
        case arguments
        case collation
        case database
        /// A module or a tokenizer, which may come with the app.
        case module
        /// The statement itself, whatever the columns of its tables are.
        case statement
        /// Everything else. The tables may matter.
        case other

        /// Parts of SQLite's messages about it.
        fileprivate var phrases: [String] {
            switch self {
            case .syntax: ["syntax error", "incomplete input", "unrecognized token"]
            case .table: ["no such table: "]
            case .column: ["no such column: ", " has no column named "]
            case .function: ["no such function: "]
            case .arguments: ["wrong number of arguments to function "]
            case .collation: ["no such collation sequence: "]
            case .database: ["unknown database "]
            case .module:
                [
                    "no such module", "no such tokenizer", "unknown tokenizer",
                    "tokenizer constructor", "unrecognized option",
                ]
            case .statement: ["misuse of ", " values for "]
            case .other: []
            }
        }
    }

    let message: String
    /// The byte of the text that is wrong, or that of the word that the error is about.
    var position = 0

    var kind: Kind {
        Kind.allCases.first { $0.phrases.contains(where: message.contains) } ?? .other
    }

    /// Whether it made what is there already.
    var isRepetition: Bool {
        message.hasPrefix("duplicate column name")
            || message.hasSuffix("already exists")
    }

    /// Whether an index or a trigger that isn't known may be why.
    var mayBeOfIndexOrTrigger: Bool {
        [
            "no such index", "no such trigger", "ON CONFLICT clause", "cannot modify",
            "error in index", "error in trigger", "index ", "trigger ",
        ].contains(where: message.hasPrefix)
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

/// Why SQLite doesn't compile a statement.
struct SQLFailure: Error {
    enum Kind {
        /// The grammar: no table changes that.
        case syntax
        case table, column, function, collation, database, module
        /// A function that is known, with another number of arguments.
        case arguments
        /// Everything else. The tables may matter.
        case other
    }

    let message: String
    /// The byte in the text, or where the statement begins.
    let position: Int
    /// Whether SQLite knows the byte.
    var isExact = true

    private static let kinds: KeyValuePairs<String, Kind> = [
        "syntax error": .syntax,
        "incomplete input": .syntax,
        "unrecognized token": .syntax,
        "no such table: ": .table,
        "no such column: ": .column,
        " has no column named ": .column,
        "no such function: ": .function,
        "wrong number of arguments to function ": .arguments,
        "no such collation sequence: ": .collation,
        "unknown database ": .database,
        "no such module: ": .module,
        "no such tokenizer: ": .module,
        "tokenizer constructor": .module,
        "unrecognized option: ": .module,
    ]

    /// SQLite's words tell what the error is about.
    var kind: Kind {
        SQLFailure.kinds.first { message.contains($0.key) }?.value ?? .other
    }

    /// The last word of the message, with what qualifies it, in lower case.
    var name: String {
        let last = message.lowercased().split(separator: " ").last ?? ""
        let name = last.filter {
            !"\"'`[]()".contains($0)
        }
        return name.hasPrefix("main.") ? name.lastPart : name
    }

    /// The byte of the word that the error is about.
    func start(in sql: [UInt8]) -> Int {
        if isExact {
            return position
        }
        let words = [SQLWord](sql[position...])
        let named = words.first {
            $0.name == name.lastPart
        }
        return (named ?? words.first)?.start ?? position
    }

    /// The name that was probably meant.
    func suggestion(in database: ScratchDatabase) -> String? {
        name.lastPart.nearest(in: database.names(of: kind))
    }
}

/// Why SQLite doesn't compile a statement.
struct SQLFailure: Error {
    enum Kind {
        /// The grammar: no table changes that.
        case syntax
        case table(String)
        case column(String)
        case function(String)
        case collation(String)
        case database(String)
        case module
        /// Everything else. The tables may matter.
        case other
    }

    let message: String
    /// The byte in the text, or where the statement begins.
    let position: Int
    /// Whether SQLite knows the byte.
    var isExact = true

    /// SQLite's words tell what the error is about.
    var kind: Kind {
        let syntax = ["syntax error", "incomplete input", "unrecognized token"]
        if syntax.contains(where: message.contains) {
            return .syntax
        }
        if message.hasPrefix("no such table: ") {
            return .table(name.hasPrefix("main.") ? String(name.dropFirst(5)) : name)
        }
        if message.hasPrefix("no such column: ") || message.contains(" has no column named ") {
            return .column(name)
        }
        if message.hasPrefix("no such function: ") {
            return .function(name)
        }
        if message.hasPrefix("wrong number of arguments to function ") {
            return .function(String(name.prefix { $0 != "(" }))
        }
        if message.hasPrefix("no such collation sequence: ") {
            return .collation(name)
        }
        if message.hasPrefix("unknown database ") {
            return .database(name)
        }
        return message.hasPrefix("no such module: ") ? .module : .other
    }

    /// The last word of the message, with what qualifies it.
    private var name: String {
        let words = message.split(separator: " ")
        return words.last.map { $0.filter { !"\"'`[]".contains($0) } } ?? ""
    }

    /// The byte of the word that the error is about.
    func start(in sql: [UInt8]) -> Int {
        let words = SQLWord.words(sql, from: min(position, sql.count))
        if isExact {
            return position
        }
        let last = name.split(separator: ".").last.map { $0.lowercased() }
        let named = words.first { $0.isName && $0.text.lowercased() == last }
        return (named ?? words.first)?.start ?? position
    }
}

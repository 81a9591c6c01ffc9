/// A call of SQift's API with SQL.
struct Call {
    let name: Cursor
    let arguments: [Argument]
    /// The SQL, or nil if it isn't known.
    let sql: SQLText?
    let words: [SQLWord]
    /// Whether the code expects an error.
    let expectsError: Bool

    var method: String { name.text }

    /// The last token, a trailing closure included.
    var end: Cursor {
        trailingClosure?.partner ?? (name + 1).partner
    }

    private var trailingClosure: Cursor? {
        let next = (name + 1).next
        let isClosure =
            next.block?.kind == .closure
            && !next.startsLine
        return isClosure ? next : nil
    }

    /// From the beginning of its line, or of the line in which `let … =` stands.
    var lines: ClosedRange<Int> {
        var first = name.chainStart
        while !first.startsLine || first[-1] == "=" {
            first -= 1
        }
        return first.line...end.line
    }

    /// The brace of the closure that gets rows.
    var closure: Cursor? {
        trailingClosure ?? arguments.last { $0.start == "{" }?.start
    }

    /// The arguments with values for parameters.
    var values: [Argument] {
        arguments.dropFirst().filter { argument in
            let isValue = argument.label == nil || argument.label == "parameters"
            return isValue && argument.start != "{"
        }
    }

    func argument(_ label: String) -> Argument? {
        arguments.first { $0.label == label }
    }

    /// Whether it takes one statement.
    var takesOneStatement: Bool { method != "execute" }

    var returnsRows: Bool {
        ["query", "forEachRow", "cursor", "queryFirst"].contains(method)
    }

    /// Whether the receiver is only a name.
    var isDirect: Bool { name.chainStart == name - 2 }
}

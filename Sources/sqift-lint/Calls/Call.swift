/// A call of SQift's API with SQL.
struct Call {
    let declarations: Declarations
    /// The token of its name.
    let token: Int
    let arguments: [Argument]
    /// The SQL, or nil if it isn't known.
    let sql: SQLText?
    /// Whether the code expects an error.
    let expectsError: Bool

    var file: SourceFile { declarations.file }
    var name: String { file[token] }
    private var opening: Int { token + 1 }

    /// The last token, a trailing closure included.
    var end: Int {
        let close = file.partners[opening]
        return hasTrailingClosure ? file.partners[close + 1] : close
    }

    /// From the beginning of its line, or of the line in which `let … =` stands.
    var lines: ClosedRange<Int> {
        var first = file.chainStart(token)
        while first > 0, !file.startsLine(first) || file[first - 1] == "=" {
            first -= 1
        }
        let start = file.tokens[first].range.lowerBound
        return file.line(of: start)...file.line(of: file.tokens[end].range.lowerBound)
    }

    private var hasTrailingClosure: Bool {
        let next = file.partners[opening] + 1
        return file[next] == "{" && !file.startsLine(next)
            && declarations.blocks[next]?.kind == .closure
    }

    /// The brace of the closure that gets rows.
    var closure: Int? {
        if hasTrailingClosure {
            return file.partners[opening] + 1
        }
        let argument = arguments.last { file[$0.first] == "{" }
        return argument?.first
    }

    /// The arguments with values for parameters.
    var values: [Argument] {
        arguments.dropFirst().filter { argument in
            let isValue = argument.label == nil || argument.label == "parameters"
            return isValue && file[argument.first] != "{"
        }
    }

    func argument(_ label: String) -> Argument? {
        arguments.first { $0.label == label }
    }

    /// Whether it takes one statement.
    var takesOneStatement: Bool { name != "execute" }

    var returnsRows: Bool { ["query", "forEachRow", "cursor", "queryFirst"].contains(name) }

    /// The first word of the SQL, in lower case.
    var verb: String {
        sql.map { SQLWord.words($0.bytes, upTo: min($0.bytes.count, 200)).verb } ?? ""
    }

    var isDefinition: Bool { SQLWord.definitionVerbs.contains(verb) }
}

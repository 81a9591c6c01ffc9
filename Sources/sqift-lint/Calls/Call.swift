/// A call of SQift's API with SQL.
struct Call {
    let name: Cursor
    /// The function that gets the SQL: for `bind` it is `prepare`.
    let method: String
    /// Without the SQL.
    let arguments: [Argument]
    /// The SQL, or nil if it isn't known.
    let sql: SQLText?
    let words: [SQLWord]
    /// Whether a migration runs it.
    let isInMigration: Bool
    /// Whether other SQL may run in its place: `isFull ? "SELECT …" : "SELECT …"`.
    let isAlternative: Bool
    /// Whether the type whose method it may be isn't written in the sources.
    var isOfUnknownType = false

    /// The token after it, a trailing closure included.
    var end: Cursor { name.operandEnd }

    var lines: ClosedRange<Int> { name.chainStart.line...(end - 1).line }

    /// The arguments with values for parameters.
    var values: [Argument] {
        arguments.filter {
            [nil, "parameters"].contains($0.label)
                && ($0.start != "{" || $0.start.next != $0.end)
        }
    }

    /// Whether it may be a call of SQift's own method, and not of an overload.
    var isPlain: Bool {
        arguments.allSatisfy {
            [nil, "parameters", "encoding", "as", "body", "to"].contains($0.label)
        }
    }

    /// Whether it takes one statement.
    var takesOneStatement: Bool { method != "execute" }

    /// Whether its type or its function may run a part of the migrations, as tests of them do.
    var isBetweenMigrations: Bool {
        name.braces.last?.runsUpToMigration == true
            || name.function?.choosesMigrations == true
    }
}

extension Cursor {
    /// Whether what is in this brace migrates up to a name.
    fileprivate var runsUpToMigration: Bool {
        file.remember(\.migratingTypes, index) {
            content.contains { $0 == "upTo" }
        }
    }

    /// Whether what is in this brace takes a part of a list of migrations.
    fileprivate var choosesMigrations: Bool {
        file.remember(\.migratingFunctions, index) {
            let names = Set(content.map(\.text))
            return !names.isDisjoint(with: ["prefix", "dropFirst", "dropLast", "filter"])
                && names.contains { $0.contains("igrat") }
        }
    }
}

/// Checks one call against one schema.
struct CallCheck {
    let call: Call
    let sql: SQLText
    let schema: Schema
    let index: Index
    let options: Options
    var report = Report()
    /// Where messages about the call stand: at its name, or at the tuple that it makes.
    lazy var location = call.name.location
    /// The last that was compiled.
    var statement = CompiledStatement()
    var database: ScratchDatabase { schema.database }
    /// Whether the columns of its tables may be others.
    var isOpen: Bool { schema.columnsDoubt(of: call.words) != nil }

    /// The names of the parameters. SQLite numbers them in another statement, which needs no
    /// tables, and which has those of a whole script.
    lazy var parameters: [String] = {
        let list = call.words
            .filter { $0.isParameter }
            .map(\.text)
            .joined(separator: ", ")
        let other = try? database.compile([UInt8]("SELECT 1 IN (\(list))".utf8)[...])
        // A name such as `$a::b` isn't one word here.
        return (other ?? statement).parameters
    }()

    /// The names of the columns, in lower case.
    var names: [String] {
        statement.columns.map { $0.name.lowercased() }
    }

    /// Compiles the statements, and checks what goes in and what comes out.
    mutating func run() {
        try? database.execute("SAVEPOINT sqift_lint")
        defer {
            try? database.execute("ROLLBACK TO sqift_lint; RELEASE sqift_lint")
        }
        report.messages += schema.warning(about: sql)
        guard compile() else { return }
        let second = call.words.first {
            $0.start >= statement.sql.endIndex
                && $0.text != ";"
        }
        if call.takesOneStatement {
            if statement.sql.isEmpty {
                return add("the SQL holds no statement")
            }
            if let second {
                return add(
                    "\(call.method) takes one statement, and this is a second; use execute",
                    at: sql.location(of: second.start)
                )
            }
        }
        checkWriteInRead()
        if let doubt = schema.columnsDoubt(of: call.words),
            !call.isInMigration
        {
            report.extent = .part(doubt)
        }
        if call.isPlain {
            checkArguments()
            if call.takesOneStatement {
                checkValues()
            }
            if ["query", "forEachRow", "cursor"].contains(call.method) {
                checkResult()
            }
        }
    }

    /// Compiles the statement, or those of a script until one of them is wrong. Returns whether
    /// nothing failed.
    private mutating func compile() -> Bool {
        var rest = sql.bytes[...]
        var isWhole = true
        while true {
            let words = [SQLWord](rest).firstStatement
            if SQLWord.connectionVerbs.contains(words.verb) {
                report.extent = .part(Doubt("statements about the connection"))
                rest = rest.afterFirstStatement
                continue
            }
            do throws(SQLFailure) {
                guard let next = try database.compile(rest) else { return isWhole }
                statement = next
                rest = sql.bytes[next.sql.endIndex...]
                warnOfDoubleQuotes()
                if call.takesOneStatement {
                    return isWhole
                }
                try? database.runDefinition(next)
            } catch {
                isWhole = false
                judge(error)
                guard !call.takesOneStatement,
                    !report.isError
                else { return false }
                rest = rest.afterFirstStatement
            }
        }
    }

    /// Adds a message, about the whole call if it is about nothing smaller.
    mutating func add(
        _ text: String,
        _ severity: Message.Severity = .error,
        at location: Location? = nil
    ) {
        report.messages.append(Message(severity, text, at: location ?? self.location))
    }

    /// A reader's connection refuses to write.
    private mutating func checkWriteInRead() {
        if !statement.isReadOnly,
            !call.words.contains(anyOf: "explain", "temp", "temporary"),
            call.name.hasDirectReceiver,
            !index.isForeign("read"),
            let body = index.block(ofParameter: call.name - 2),
            (body - 2).reads(".", "read")
        {
            add("this statement writes, which read refuses; use write")
        }
    }

    // MARK: Warnings

    /// SQLite takes what is no name for a string, unless it is told not to.
    private mutating func warnOfDoubleQuotes() {
        guard statement.sql.contains("\""),
            !isOpen
        else { return }
        database.setDoubleQuotedTexts(false)
        defer { database.setDoubleQuotedTexts(true) }
        do throws(SQLFailure) {
            _ = try database.compile(statement.sql)
        } catch {
            let name = call.words.first {
                $0.start == error.position
                    && $0.text.hasPrefix("\"")
            }
            guard let name else { return }
            let literal = name.text.replacing("\"", with: "'")
            let text = "\(name.text) is no column, so SQLite takes it for a string"
            add("\(text); write \(literal)", .warning, at: sql.location(of: name.start))
        }
    }

    // MARK: Failures

    /// Reports a failure, unless something that isn't known may be why.
    private mutating func judge(_ failure: SQLFailure) {
        if failure.kind != .syntax,
            call.isPlain
        {
            checkArguments()
        }
        // The schema has reported a definition's syntax.
        if call.isInMigration,
            failure.kind == .syntax,
            SQLWord.definitionVerbs.contains(call.words.verb)
        {
            return
        }
        guard let doubt = schema.doubt(about: failure, in: call.words) else {
            return report.messages.append(schema.message(about: failure, in: sql))
        }
        // A migration is compiled where the schema is made.
        if !call.isInMigration {
            report.extent = .part(doubt)
            report.lacksTables =
                failure.kind == .table
                && !failure.name.contains(".")
        }
    }
}

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
    var isOpen: Bool { schema.isOpen(call.words) }

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
        var count = 0
        var parameters: [String?] = []
        do throws(SQLFailure) {
            while count < 2 || !call.takesOneStatement,
                let next = try database.compile(sql.bytes, from: statement.sql.endIndex)
            {
                statement = next
                count += 1
                parameters += next.parameters
                warnOfDoubleQuotes()
                if !call.takesOneStatement {
                    try? database.runDefinition(statement)
                }
            }
        } catch {
            return judge(error)
        }
        warnOfNewerFeature()
        if call.takesOneStatement, count != 1 {
            return checkCount(count)
        }
        // The statements of a script share their values.
        statement.parameters = parameters
        checkStatement()
    }

    private mutating func checkStatement() {
        checkWriteInRead()
        guard call.isPlain else { return }
        checkArguments()
        if call.takesOneStatement, options.showsPlans {
            noteScans()
        }
        if call.returnsRows {
            checkResult()
        }
    }

    /// Adds a message, about the whole call if it is about nothing smaller.
    mutating func add(
        _ text: String,
        at location: Location? = nil,
        _ severity: Message.Severity = .error
    ) {
        report.messages.append(Message(severity, text, at: location ?? self.location))
    }

    private mutating func checkCount(_ count: Int) {
        guard count > 0 else {
            return add("the SQL holds no statement")
        }
        let second = [SQLWord](statement.sql).first?.start ?? 0
        let text = "\(call.method) takes one statement, and this is a second; use execute"
        add(text, at: sql.location(of: second))
    }

    /// A reader's connection refuses to write.
    private mutating func checkWriteInRead() {
        guard !statement.isReadOnly,
            !call.words.contains(anyOf: "explain", "temp", "temporary"),
            call.name.hasDirectReceiver,
            !index.isForeign("read"),
            let body = index.block(ofParameter: call.name - 2),
            body[-1] == "read",
            body[-2] == "."
        else { return }
        add("this statement writes, which read refuses; use write")
    }

    // MARK: Warnings and notes

    /// SQLite takes what is no name for a string, unless it is told not to.
    private mutating func warnOfDoubleQuotes() {
        guard statement.sql.contains("\""),
            !isOpen
        else { return }
        database.setDoubleQuotedTexts(false)
        defer { database.setDoubleQuotedTexts(true) }
        do throws(SQLFailure) {
            _ = try database.compile(sql.bytes, from: statement.sql.startIndex)
        } catch {
            let name = call.words.first {
                sql.bytes[$0.start] == "\""
                    && (error.message.hasSuffix(" \($0.content)")
                        || error.message.contains($0.text))
            }
            guard let name else { return }
            let text = "\(name.text) is no column, so SQLite takes it for a string"
            let location = sql.location(of: name.start)
            add("\(text); write '\(name.content)'", at: location, .warning)
        }
    }

    private mutating func warnOfNewerFeature() {
        if let oldest = options.oldest,
            let newer = NewerFeature.all(in: call.words, after: oldest, schema.registered).first
        {
            add(newer.description, at: sql.location(of: newer.start), .warning)
        }
    }

    private mutating func noteScans() {
        let harmless = ["USING", "VIRTUAL", "CONSTANT"]
        for detail in database.texts("EXPLAIN QUERY PLAN \(sql.bytes.text)", column: 3) {
            let isScan =
                detail.hasPrefix("SCAN ")
                && !harmless.contains(where: detail.contains)
            if isScan || detail.hasPrefix("USE TEMP B-TREE") {
                add("SQLite's plan: \(detail)", at: sql.location(of: 0), .note)
            }
        }
    }

    // MARK: Failures

    /// Reports a failure, unless something that isn't known may be why.
    private mutating func judge(_ failure: SQLFailure) {
        if failure.kind != .syntax {
            checkText()
        }
        guard let reason = schema.doubt(about: failure, in: call.words) else {
            return report.messages.append(schema.message(about: failure, in: sql))
        }
        // A migration is compiled where the schema is made.
        if !call.isInMigration {
            report.isPartial = true
            report.reason = reason
            report.isForeign = failure.kind == .table
        }
    }

    /// Checks what the text alone says: SQLite numbers the parameters in another statement.
    private mutating func checkText() {
        let list = call.words
            .filter(\.isParameter)
            .map(\.text)
            .joined(separator: ", ")
        let other = "DELETE FROM sqift_migrations WHERE name IN (\(list))"
        guard call.isPlain,
            call.takesOneStatement,
            let statement = try? database.compile([UInt8](other.utf8))
        else { return }
        self.statement = statement
        checkArguments()
        if SQLWord.changeVerbs.contains(call.words.verb),
            call.returnsRows,
            !call.words.contains(anyOf: "returning")
        {
            checkResult()
        }
    }
}

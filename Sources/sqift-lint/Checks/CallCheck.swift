/// Checks one call against one schema.
struct CallCheck {
    let call: Call
    let sql: SQLText
    let schema: Schema
    let sources: Sources
    let options: Options
    private(set) var report = Report()
    private var database: ScratchDatabase { schema.database }
    private var registered: RegisteredNames { sources.registered }

    /// Compiles the statements, and checks what goes in and what comes out.
    mutating func run() {
        var statements: [CompiledStatement] = []
        var quoted: SQLFailure?
        do throws(SQLFailure) {
            try database.withoutTrace { () throws(SQLFailure) in
                var start = 0
                while let statement = try compile(start, &quoted) {
                    start = statement.range.upperBound
                    statements.append(statement)
                    if !call.takesOneStatement {
                        runDefinition(statement)
                    } else if statements.count > 1 {
                        break
                    }
                }
            }
        } catch {
            return judge(error)
        }
        if let quoted {
            warnOfDoubleQuotes(quoted)
        }
        if call.takesOneStatement {
            checkCount(of: statements)
        }
        if let oldest = options.oldest,
            let newer = newerFeature(after: oldest)
        {
            add(.warning, newer.description, at: newer.start)
        }
        guard statements.count == 1 else { return }
        if options.showsPlans, call.takesOneStatement {
            noteScans()
        }
        check(statements[0])
    }

    private func statementCheck(_ statement: CompiledStatement) -> StatementCheck {
        StatementCheck(call: call, statement: statement, schema: schema, sources: sources)
    }

    private mutating func check(_ statement: CompiledStatement) {
        var check = statementCheck(statement)
        check.checkWriteInRead()
        if call.takesOneStatement || call.argument("parameters") == nil {
            check.checkArguments()
        }
        if call.takesOneStatement, call.returnsRows {
            check.checkResult()
        }
        report.messages += check.messages.filter {
            options.warnsOfNull || $0.severity != .warning
        }
    }

    private mutating func add(_ severity: Message.Severity, _ text: String, at position: Int) {
        report.messages.append(Message(severity, text, at: sql.location(of: position)))
    }

    /// Compiles a statement, as SQLite does by default only if it must.
    private func compile(
        _ start: Int,
        _ quoted: inout SQLFailure?
    ) throws(SQLFailure) -> CompiledStatement? {
        database.setDoubleQuotedTexts(false)
        do throws(SQLFailure) {
            return try database.compile(sql.bytes, from: start)
        } catch {
            guard sql.bytes[start...].contains("\"") else { throw error }
            database.setDoubleQuotedTexts(true)
            let statement = try database.compile(sql.bytes, from: start)
            quoted = error
            return statement
        }
    }

    /// Later statements of a script may use what it makes.
    private func runDefinition(_ statement: CompiledStatement) {
        if [SQLWord](sql.bytes, in: statement.range).isDefinition {
            try? database.execute(String(decoding: sql.bytes[statement.range], as: UTF8.self))
        }
    }

    private mutating func checkCount(of statements: [CompiledStatement]) {
        if statements.isEmpty {
            let text = "the SQL holds no statement"
            report.messages.append(Message(.error, text, at: call.name.location))
        } else if statements.count > 1 {
            let start = statements[1].range.lowerBound
            let second = call.words.first {
                $0.range.lowerBound >= start
            }
            let text = "\(call.method) takes one statement, and this is a second; use execute"
            add(.error, text, at: second?.range.lowerBound ?? 0)
        }
    }

    private mutating func warnOfDoubleQuotes(_ failure: SQLFailure) {
        let name = call.words.first {
            sql.bytes[$0.range.lowerBound] == "\""
                && failure.message.contains($0.text)
        }
        guard let name, !database.isPartial else { return }
        let text = "\"\(name.text)\" is no column, so SQLite takes it for a text"
        add(.warning, "\(text); write '\(name.text)'", at: name.range.lowerBound)
    }

    private mutating func noteScans() {
        let harmless = ["USING", "VIRTUAL", "CONSTANT"]
        for detail in database.texts("EXPLAIN QUERY PLAN " + sql.string, column: 3) {
            let isScan =
                detail.hasPrefix("SCAN ")
                && !harmless.contains(where: detail.contains)
            if isScan || detail.hasPrefix("USE TEMP B-TREE") {
                add(.note, "SQLite's plan: \(detail)", at: 0)
            }
        }
    }

    // MARK: Failures

    /// Reports a failure, unless something that isn't known may be why.
    private mutating func judge(_ failure: SQLFailure) {
        if failure.kind != .syntax {
            checkText()
        }
        if let reason = doubt(about: failure) {
            report.extent = .part
            report.reason = reason
            return
        }
        var severity = Message.Severity.error
        var text = failure.explained(by: database)
        let isKnown =
            failure.suggestion(in: database) != nil
            || schema.definedTables.contains(failure.name.lowercased())
        let newer = newerFeature(after: ScratchDatabase.version)
        let causes: [SQLFailure.Kind] =
            newer?.isFunction == true
            ? [.function]
            : [.syntax, .other]
        let isCause = causes.contains(failure.kind)
        if let newer, isCause {
            severity = .note
            text += "; \(newer.description)"
        } else if failure.kind == .table, !isKnown {
            severity = .warning
            text += "; no migration makes it"
        } else if failure.kind == .function, !isKnown {
            // The app's SQLite may have it.
            severity = .warning
        }
        add(severity, text, at: failure.start(in: sql.bytes))
    }

    /// What an SQLite doesn't have, unless the sources register it.
    private func newerFeature(after version: Int) -> NewerFeature? {
        NewerFeature.first(in: call.words, after: version) {
            !$0.isFunction
                || registered.functions[$0.name] == nil
        }
    }

    /// Checks what the text alone says.
    mutating func checkText() {
        guard call.takesOneStatement else { return }
        let statement = CompiledStatement(call.words)
        var check = statementCheck(statement)
        check.checkArguments()
        let isChange = SQLWord.changeVerbs.contains(call.words.verb)
        if isChange,
            call.returnsRows,
            !call.words.contains(anyOf: "returning")
        {
            check.checkResult()
        }
        report.messages += check.messages
    }

    private func doubt(about failure: SQLFailure) -> String? {
        let name = failure.name.lowercased()
        switch failure.kind {
        case .syntax: return nil
        case .function, .arguments:
            let isOpen = registered.areOpen || registered.functions[name] != nil
            return isOpen ? "functions that aren't known" : nil
        case .collation where registered.areOpen: return "collations that aren't known"
        case .module: return "a module that this SQLite lacks"
        case .database where !registered.databases.isEmpty: return "an attached database"
        case _ where database.isPartial: return "a schema that isn't known whole"
        case .table: return doubt(aboutTable: name, failure)
        case .column, .other: return doubtAboutTables
        default: return nil
        }
    }

    private func doubt(aboutTable name: String, _ failure: SQLFailure) -> String? {
        if name.hasPrefix("sqlite_") || name.hasPrefix("dbstat") {
            return "a table of SQLite's"
        }
        let isForeign =
            name.contains(".")
            || failure.suggestion(in: database) == nil
        if isForeign, !registered.databases.isEmpty {
            return "an attached database"
        }
        let isLoose = sources.looseTables.contains(name.lastPart)
        return isLoose ? "a table that is made elsewhere" : nil
    }

    /// The tables that the statement mentions may be others than the migrations say.
    private var doubtAboutTables: String? {
        // What only the script itself makes is known.
        let own = call.words.statements.filter {
            $0.verb == "create"
                && !$0.contains(anyOf: "exists")
        }
        let new = Set(own.compactMap(\.definition?.name)).subtracting(schema.definedTables)
        let names = call.words.names.subtracting(new)
        if !schema.openTables.isDisjoint(with: names) {
            return "a table that computed SQL changes"
        }
        let isLoose = !sources.looseTables.isDisjoint(with: names)
        return isLoose ? "a table that is made elsewhere" : nil
    }
}

/// Checks one call against one schema.
struct StatementCheck {
    let call: Call
    let sql: SQLText
    let schema: Schema
    let index: Index
    let registered: RegisteredNames
    /// The names of what is defined outside the migrations.
    let looseNames: Set<String>
    let options: Options
    private(set) var report = CallReport()
    private var database: ScratchDatabase { schema.database }

    init(_ call: Call, _ sql: SQLText, _ schema: Schema, in sources: Sources, _ options: Options) {
        self.call = call
        self.sql = sql
        self.schema = schema
        index = sources.index
        registered = sources.registered
        looseNames = sources.looseNames
        self.options = options
    }

    /// Compiles the statements, and checks what goes in and what comes out.
    mutating func run() {
        var statements: [CompiledStatement] = []
        var failure: SQLFailure?
        let call = call
        let sql = sql
        let database = database
        var quoted: SQLFailure?
        database.withoutTrace {
            do throws(SQLFailure) {
                var start = 0
                while let statement = try compile(sql.bytes, start, &quoted) {
                    start = statement.range.upperBound
                    statements.append(statement)
                    if !call.takesOneStatement {
                        runDefinition(statement)
                    } else if statements.count > 1 {
                        break
                    }
                }
            } catch {
                failure = error
            }
        }
        if let failure {
            return judge(failure)
        }
        if let quoted {
            warnOfDoubleQuotes(quoted)
        }
        if call.takesOneStatement {
            checkCount(of: statements)
        }
        if let version = options.oldest,
            let feature = NewerFeature.first(in: sql.bytes, after: version)
        {
            let text = "\(feature.name) needs SQLite \(feature.versionText)"
            report.add(.warning, text, at: sql.place(feature.start))
        }
        guard statements.count == 1, let statement = statements.first else { return }
        if options.showsPlans, call.takesOneStatement {
            noteScans()
        }
        checkWriteInRead(statement)
        let hasAll = call.takesOneStatement || call.argument("parameters") == nil
        if hasAll {
            report.messages += ArgumentCheck(call, statement, index).messages
        }
        if call.takesOneStatement {
            report.messages += ResultCheck(self, statement).messages
        }
    }

    /// Compiles a statement, as SQLite does by default only if it must.
    private func compile(
        _ sql: [UInt8],
        _ start: Int,
        _ quoted: inout SQLFailure?
    ) throws(SQLFailure) -> CompiledStatement? {
        database.setDoubleQuotedTexts(false)
        do throws(SQLFailure) {
            return try database.compile(sql, from: start)
        } catch {
            guard sql[start...].contains(.quote) else { throw error }
            database.setDoubleQuotedTexts(true)
            let statement = try database.compile(sql, from: start)
            quoted = error
            return statement
        }
    }

    /// Later statements of a script may use what it makes.
    private func runDefinition(_ statement: CompiledStatement) {
        let words = SQLWord.words(
            sql.bytes,
            from: statement.range.lowerBound,
            upTo: statement.range.upperBound
        )
        if SQLWord.definitionVerbs.contains(words.verb) {
            try? database.execute(String(decoding: sql.bytes[statement.range], as: UTF8.self))
        }
    }

    private mutating func checkCount(of statements: [CompiledStatement]) {
        if statements.isEmpty {
            report.add(.error, "the SQL holds no statement", at: place(of: call.token))
        } else if statements.count > 1 {
            let text = "\(call.name) takes one statement, and this is a second; use execute"
            let words = SQLWord.words(sql.bytes, from: statements[1].range.lowerBound)
            report.add(.error, text, at: sql.place(words.first?.start ?? 0))
        }
    }

    private mutating func warnOfDoubleQuotes(_ failure: SQLFailure) {
        let words = SQLWord.words(sql.bytes)
        let word = words.first {
            sql.bytes[$0.start] == .quote && failure.message.contains($0.text)
        }
        guard let word, !database.isPartial else { return }
        let text = "\"\(word.text)\" is no column, so SQLite takes it for a text; "
        report.add(.warning, text + "write '\(word.text)'", at: sql.place(word.start))
    }

    private mutating func noteScans() {
        let details = database.texts("EXPLAIN QUERY PLAN " + sql.string, column: 3)
        for detail in details {
            let isScan =
                detail.hasPrefix("SCAN ") && !detail.contains("USING")
                && !detail.contains("VIRTUAL") && !detail.contains("CONSTANT")
            if isScan || detail.hasPrefix("USE TEMP B-TREE") {
                report.add(.note, "SQLite's plan: \(detail)", at: sql.place(0))
            }
        }
    }

    func place(of token: Int) -> Place {
        Place(file: call.file, offset: call.file.tokens[token].range.lowerBound)
    }

    // MARK: Failures

    /// Reports a failure, unless something that isn't known may be why.
    private mutating func judge(_ failure: SQLFailure) {
        if !failure.isSyntax, call.takesOneStatement {
            checkText()
        }
        if let reason = doubt(about: failure) {
            report.verdict = .inPart(reason)
            return
        }
        var severity = Message.Severity.error
        var text = failure.explained(by: database)
        if let feature = NewerFeature.first(in: sql.bytes, after: ScratchDatabase.version) {
            severity = .note
            text += "; \(feature.name) needs SQLite \(feature.versionText)"
        } else if case .table(let name) = failure.kind, !isKnown(name) {
            severity = .warning
            text += "; no migration makes it"
        }
        if case .function = failure.kind, failure.suggestion(in: database) == nil {
            // The app's SQLite may have it.
            severity = .warning
        }
        report.add(severity, text, at: sql.place(failure.start(in: sql.bytes)))
    }

    /// Checks what the text alone says.
    private mutating func checkText() {
        let words = SQLWord.words(sql.bytes)
        let statement = CompiledStatement(words)
        report.messages += ArgumentCheck(call, statement, index).messages
        let isChange = ["insert", "update", "delete", "replace"].contains(words.verb)
        if isChange, call.returnsRows, !words.contains(where: { $0.text == "returning" }) {
            let text = "the statement returns no columns; use run"
            report.add(.error, text, at: place(of: call.token))
        }
    }

    /// Whether a missing table is one that the migrations know, or nearly.
    private func isKnown(_ table: String) -> Bool {
        let name = table.lowercased()
        return schema.definedTables.contains(name)
            || name.nearest(in: schema.definedTables) != nil
            || suggestion(for: name) != nil
    }

    private func doubt(about failure: SQLFailure) -> String? {
        switch failure.kind {
        case .syntax: return nil
        case .function(let name):
            let isRegistered = registered.functions[name.lowercased()] != nil
            return registered.areOpen || isRegistered ? "functions that aren't known" : nil
        case .collation: return registered.areOpen ? "collations that aren't known" : schemaDoubt
        case .module: return "a module that this SQLite lacks"
        case .database: return registered.databases.isEmpty ? schemaDoubt : "an attached database"
        case .table(let name): return schemaDoubt ?? doubt(aboutTable: name.lowercased())
        case .column, .other: return schemaDoubt ?? doubtAboutTables
        }
    }

    private var schemaDoubt: String? {
        database.isPartial ? "a schema that isn't known whole" : nil
    }

    private func doubt(aboutTable name: String) -> String? {
        let parts = name.split(separator: ".").map(String.init)
        if parts.count > 1, parts[0] != "main", !registered.databases.isEmpty {
            return "an attached database"
        }
        if name.hasPrefix("sqlite_") || name.hasPrefix("dbstat") {
            return "a table of SQLite's"
        }
        if !registered.databases.isEmpty, suggestion(for: name) == nil {
            return "an attached database"
        }
        return looseNames.contains(parts.last ?? name) ? "a table that is made elsewhere" : nil
    }

    private func suggestion(for table: String) -> String? {
        table.nearest(in: database.tables + database.modules)
    }

    /// The tables that the statement mentions may be others than the migrations say.
    private var doubtAboutTables: String? {
        let words = SQLWord.words(sql.bytes).filter(\.isName).map { $0.text.lowercased() }
        let names = Set(words)
        if !schema.openTables.isDisjoint(with: names) {
            return "a table that computed SQL changes"
        }
        return looseNames.isDisjoint(with: names) ? nil : "a table that is made elsewhere"
    }

    // MARK: Writes

    /// A reader's connection refuses to write.
    private mutating func checkWriteInRead(_ statement: CompiledStatement) {
        let file = call.file
        guard !statement.isReadOnly, !SQLWord.connectionVerbs.contains(call.verb),
            file.chainStart(call.token) == call.token - 2
        else { return }
        let closure = call.declarations.block(around: call.token) { block in
            block.kind == .closure || block.functionName != nil
        }
        guard let closure, file[closure - 1] == "read", file[closure - 2] == ".",
            let block = call.declarations.blocks[closure], block.kind == .closure
        else { return }
        let receiver = file[call.token - 2]
        guard receiver == "$0" || block.parameters[receiver] != nil else { return }
        let text = "this statement writes, which read refuses; use write"
        report.add(.error, text, at: place(of: call.token))
    }
}

/// Checks all calls of a target.
struct Checker {
    let sources: Sources
    var messages: [Message] = []
    private var reports: [Report] = []

    init(_ sources: Sources) {
        self.sources = sources
        // A test may expect mistakes in its migrations.
        let schemas = sources.schemas.filter { schema in
            let names = schema.start?.function?.content.filter(\.isName) ?? []
            return !sources.index.hasTests
                || !names.contains(where: sources.index.expectsError)
        }
        // A test may make tables without all that they refer to.
        let aboutSchemas = schemas.flatMap(\.messages).filter {
            $0.severity == .error
                || $0.file.imports.isDisjoint(with: ["Testing", "XCTest"])
        }
        // Nothing is said of the files of other targets.
        var found = aboutSchemas.filter {
            sources.targetFiles.contains($0.file)
                || !$0.file.path.hasSuffix(".swift")
        }

        for call in sources.calls where sources.targetFiles.contains(call.name.file) {
            var report = report(on: call)
            if let comment = call.name.file.comment(about: call.lines) {
                // What is in doubt may be wrong.
                if !report.messages.isEmpty || report.doubt != nil {
                    comment.isNeeded = true
                }
                report = Report("unchecked by a comment")
            }
            if sources.options.listsCalls {
                let text = "\(call.name.text): \(report.extent)"
                messages.append(Message(.note, text, at: call.name.location))
            }
            found += report.messages + report.messages.compactMap { repeated($0, at: call) }
            reports.append(report)
        }

        for message in found {
            if let comment = message.file.comment(about: message.line...message.line) {
                comment.isNeeded = true
            } else {
                messages.append(message)
            }
        }

        for file in sources.targetFiles {
            if let flaw = file.code.flaw {
                reports.append(Report("in \(file.path), \(flaw)"))
                continue
            }
            for comment in file.code.comments where comment.schemaFile == nil && !comment.isNeeded {
                messages.append(
                    Message(
                        .warning,
                        "this comment isn't needed; known are sqift: unchecked, sqift: schema FILE",
                        at: Location(file: file, offset: comment.offset)
                    )
                )
            }
        }
    }

    /// The same message at the call, if its place is in a constant that many calls may use.
    private func repeated(_ message: Message, at call: Call) -> Message? {
        let body = call.name.function.map { $0.line...$0.partner.line } ?? call.lines
        let isNear =
            message.file == call.name.file
            && (body.contains(message.line) || call.lines.contains(message.line))
        return isNear
            ? nil
            : Message(message.severity, message.text, at: call.name.location)
    }

    private func report(on call: Call) -> Report {
        if call.isOfUnknownType {
            return Report("a method of a type that isn't written")
        }
        guard let sql = call.sql else {
            return Report("SQL that is put together at run time")
        }
        if sources.index.expectsError(call.name) {
            return Report("an error is expected")
        }
        let statements = call.words.statements
        let isAboutConnection = statements.allSatisfy { SQLWord.connectionVerbs.contains($0.verb) }
        if !statements.isEmpty,
            isAboutConnection
        {
            return Report("statements about the connection")
        }
        var best: Report?
        for schema in sources.schemas(for: call) {
            var check = CallCheck(
                call: call,
                sql: sql,
                schema: schema,
                index: sources.index,
                options: sources.options
            )
            if sql.isConstant {
                check.run()
            } else if SQLWord.dataVerbs.contains(call.words.verb) {
                check.runWithStandIns()
            } else {
                check.report = Report("SQL with interpolations")
            }
            if best.map({ check.report.fit < $0.fit }) ?? true {
                best = check.report
            }
            // Of several schemas, the one that fits.
            if best?.fit == .whole {
                break
            }
        }
        if best?.isError == true,
            call.isBetweenMigrations
        {
            return Report("between migrations")
        }
        var report = best ?? Report()
        report.messages += warningsOfSplicedText(call, sql)
        return report
    }

    /// Warns of a string where parameters may be, and of no constant such as `Kind.old.rawValue`.
    private func warningsOfSplicedText(_ call: Call, _ sql: SQLText) -> [Message] {
        guard SQLWord.dataVerbs.contains(call.words.verb) else { return [] }
        // After these a name stands, and no value.
        let wordsBeforeNames = "from join update into as table .".words
        return zip(call.words.prefix(1) + call.words, call.words)
            .filter { $1.text == "'\u{FFFD}'" && !wordsBeforeNames.contains($0.text) }
            .map { sql.location(of: $1.start + 1) }
            .filter { $0.text.first?.isUppercase == false && $0.text.first?.isNumber == false }
            .map {
                Message(
                    .warning,
                    "\($0.text) becomes part of the SQL; bind it as a parameter: ?",
                    at: $0
                )
            }
    }

    /// `checked 61 statements, 7 in part, 3 not (an attached database 2, …)`
    var summary: String {
        let reasons = reports.compactMap { $0.doubt?.reason }
        let checked = "checked \((reports.count - reasons.count).counted("statement"))"
        guard !reasons.isEmpty else { return checked }
        let parts = reports.count { $0.isInPart }
        let details = Dictionary(grouping: reasons, by: \.self)
            .mapValues(\.count)
            .sorted {
                ($1.value, $0.key) < ($0.value, $1.key)
            }
            .map { "\($0.key) \($0.value)" }
            .joined(separator: ", ")
        return "\(checked), \(parts) in part, \(reasons.count - parts) not (\(details))"
    }
}

extension Int {
    /// `1 value` or `3 values`
    func counted(_ noun: String) -> String {
        "\(self) \(noun)\(self == 1 ? "" : "s")"
    }
}

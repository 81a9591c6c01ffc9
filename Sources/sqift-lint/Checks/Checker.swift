/// Checks all calls of a target.
struct Checker {
    private let sources: Sources
    private let options: Options
    private let unknownSchema: Schema
    private(set) var messages: [Message] = []
    private(set) var summary = Summary()

    init(_ sources: Sources, _ options: Options) {
        self.sources = sources
        self.options = options
        unknownSchema = Schema(unknownWith: sources.registered)
    }

    mutating func run() {
        let calls = Dictionary(grouping: sources.calls, by: \.file.path)
        let found = sources.schemas.filter(isJudged).flatMap(\.messages)
        var migrations = Dictionary(grouping: found, by: \.path)
        for file in sources.index.files.map(\.file) where sources.targetPaths.contains(file.path) {
            if file.isWhole {
                let own = migrations.removeValue(forKey: file.path) ?? []
                check(file, calls[file.path] ?? [], own)
            } else {
                summary.skip("in \(file.path), whose brackets or quotes don't match")
            }
        }
        // Those in files of SQL.
        messages += migrations.values.joined()
    }

    private mutating func check(_ file: SourceFile, _ calls: [Call], _ migrations: [Message]) {
        var comments = UncheckedComments(file)
        for call in calls {
            let report = report(on: call)
            if comments.skip(call.lines, isRight: report.messages.isEmpty) {
                summary.skip("unchecked by a comment")
                continue
            }
            messages += report.messages.filter { message in
                !comments.skip(message.line...message.line, isRight: false)
            }
            summary.add(report.verdict)
            if options.listsCalls {
                list(call, report.verdict)
            }
        }
        for message in migrations {
            if !comments.skip(message.line...message.line, isRight: false) {
                messages.append(message)
            }
        }
        messages += comments.messages
    }

    private mutating func list(_ call: Call, _ verdict: Verdict) {
        let offset = call.file.tokens[call.token].range.lowerBound
        let text = "\(call.name): \(verdict)"
        messages.append(Message(.note, text, at: Place(file: call.file, offset: offset)))
    }

    /// Whether mistakes in the migrations are the target's, and no test expects them.
    private func isJudged(_ schema: Schema) -> Bool {
        guard let (declarations, token) = schema.location else { return true }
        let file = declarations.file
        guard sources.targetPaths.contains(file.path) else { return false }
        let function = declarations.block(around: token) { $0.functionName != nil }
        guard let function, sources.index.hasTests else { return true }
        return !file.content(of: function).contains { token in
            Expectation(declarations, sources.index).isAround(token)
        }
    }

    private func report(on call: Call) -> CallReport {
        var report = CallReport()
        guard !call.expectsError else {
            report.verdict = .skipped("an error is expected")
            return report
        }
        guard let sql = call.sql else {
            report.verdict = .skipped("SQL that is put together at run time")
            return report
        }
        for hole in sql.holes where isInText(hole, of: sql) {
            let text = "\(hole.expression) becomes part of the SQL; bind it as a parameter: ?"
            report.add(.warning, text, at: sql.place(hole.position))
        }
        if !sql.isConstant {
            report.verdict = .skipped("SQL with interpolations")
        } else if SQLWord.connectionVerbs.contains(call.verb) {
            report.verdict = .skipped("statements about the connection")
        } else if sources.isInMigration(call) {
            report.verdict = .checked
        } else {
            return best(sources.schemas(for: call).map { self.report(on: call, sql, $0) })
                ?? self.report(on: call, sql, unknownSchema)
        }
        return report
    }

    private func report(on call: Call, _ sql: SQLText, _ schema: Schema) -> CallReport {
        var check = StatementCheck(call, sql, schema, in: sources, options)
        check.run()
        return check.report
    }

    /// Of several schemas, the one that fits.
    private func best(_ reports: [CallReport]) -> CallReport? {
        let right = reports.first { !$0.hasErrors && $0.isWhole }
        return right ?? reports.first { !$0.hasErrors } ?? reports.first
    }

    /// Whether quotes stand around the hole.
    private func isInText(_ hole: SQLText.Hole, of sql: SQLText) -> Bool {
        let quote = UInt8(ascii: "'")
        let next = hole.position < sql.bytes.count ? sql.bytes[hole.position] : quote
        return hole.position > 0 && sql.bytes[hole.position - 1] == quote && next == quote
    }
}

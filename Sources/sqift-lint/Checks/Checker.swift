/// Checks all calls of a target.
struct Checker {
    let sources: Sources
    let options: Options
    private(set) var messages: [Message] = []
    private(set) var summary = Summary()

    mutating func run() {
        let calls = Dictionary(grouping: sources.calls, by: \.name.file)
        let found = sources.schemas.filter(isJudged).flatMap(\.messages)
        var migrations = Dictionary(grouping: found, by: \.path)
        for file in sources.index.files where sources.targetPaths.contains(file.path) {
            if file.isWhole {
                let own = migrations.removeValue(forKey: file.path) ?? []
                check(file, calls[file] ?? [], own)
            } else {
                summary.add(.none, "in \(file.path), whose brackets or quotes don't match")
            }
        }
        // Those in files of SQL.
        messages += migrations.values.joined()
    }

    private mutating func check(_ file: SourceFile, _ calls: [Call], _ migrations: [Message]) {
        var comments = UncheckedComments(file)
        var found = migrations
        for call in calls {
            let report = report(on: call)
            if comments.skip(call.lines, isRight: report.messages.isEmpty) {
                summary.add(.none, "unchecked by a comment")
                continue
            }
            found += report.messages
            summary.add(report.extent, report.reason)
            if options.listsCalls {
                let text = "\(call.method): \(report.description)"
                messages.append(Message(.note, text, at: call.name.location))
            }
        }
        for message in found {
            if !comments.skip(message.line...message.line, isRight: false) {
                messages.append(message)
            }
        }
        messages += comments.messages
    }

    /// Whether mistakes in the migrations are the target's, and no test expects them.
    private func isJudged(_ schema: Schema) -> Bool {
        guard let start = schema.start else { return true }
        guard sources.targetPaths.contains(start.file.path) else { return false }
        let function = start.braces.first {
            $0.block?.kind == .function
        }
        guard let function, sources.index.hasTests else { return true }
        return !function.content.contains(where: sources.index.expectsError)
    }

    private func report(on call: Call) -> Report {
        var report = Report(extent: .none)
        guard !call.expectsError else {
            report.reason = "an error is expected"
            return report
        }
        guard let sql = call.sql else {
            report.reason = "SQL that is put together at run time"
            return report
        }
        for hole in sql.holes where isInText(hole, of: sql) {
            let text = "\(hole.expression) becomes part of the SQL; bind it as a parameter: ?"
            let location = sql.location(of: hole.position)
            report.messages.append(Message(.warning, text, at: location))
        }
        if !sql.isConstant {
            report.reason = "SQL with interpolations"
        } else if SQLWord.connectionVerbs.contains(call.words.verb) {
            report.reason = "statements about the connection"
        } else {
            let isInList = sources.isInList(call)
            let reports = sources.schemas(for: call).map { schema in
                var check = CallCheck(
                    call: call,
                    sql: sql,
                    schema: schema,
                    sources: sources,
                    options: options
                )
                isInList ? check.checkText() : check.run()
                return check.report
            }
            return best(reports)
        }
        return report
    }

    /// Of several schemas, the one that fits.
    private func best(_ reports: [Report]) -> Report {
        let right = reports.filter { !$0.hasErrors }
        return right.first { $0.extent == .whole }
            ?? right.first
            ?? reports[0]
    }

    /// Whether quotes stand around the hole.
    private func isInText(_ hole: SQLText.Hole, of sql: SQLText) -> Bool {
        let before = sql.bytes[..<hole.position].last
        let after = sql.bytes[hole.position...].first ?? "'"
        return before == "'" && after == "'"
    }
}

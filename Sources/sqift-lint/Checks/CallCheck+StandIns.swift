// SQL with parts that are known only when the program runs.
extension CallCheck {
    private static let reason = "parts that are put in when the program runs"

    /// Compiles the statement with a stand-in for each part, and judges the names outside of them.
    mutating func runWithStandIns() {
        let doubt = Doubt(CallCheck.reason)
        report.extent = .none(doubt)
        guard call.takesOneStatement || call.words.statements.count == 1 else { return }
        try? database.execute("SAVEPOINT sqift_lint")
        defer {
            try? database.execute("ROLLBACK TO sqift_lint; RELEASE sqift_lint")
        }
        for bytes in sql.withStandIns {
            do throws(SQLFailure) {
                _ = try database.compile(bytes[...])
                report.extent = .part(schema.columnsDoubt(of: call.words) ?? doubt)
                return
            } catch {
                // Another stand-in may fit here.
                if error.kind != .syntax {
                    return judgeName(error)
                }
            }
        }
    }

    private mutating func judgeName(_ failure: SQLFailure) {
        let wrong = call.words.last { $0.start <= failure.position }
        if let doubt = schema.doubt(about: failure, in: call.words) {
            report.extent = .part(doubt)
            report.lacksTables = failure.kind == .table
        } else if [.table, .column, .function].contains(failure.kind),
            wrong?.text.isComputed == false,
            failure.kind == .function || hasAllTables
        {
            report.messages.append(schema.message(about: failure, in: sql))
            report.extent = .part(Doubt(CallCheck.reason))
        }
    }

    /// Whether no part that isn't known may be a table, or a column's new name: each is an operand
    /// in a clause of values.
    private var hasAllTables: Bool {
        let words = call.words
        return words.indices.filter { words[$0].text.isComputed }
            .allSatisfy { index in
                let isOperand =
                    index > 0
                    && CallCheck.signsBeforeOperands.contains(words[index - 1].text)
                return isOperand
                    && clause(before: index).map(CallCheck.clausesOfValues.contains) == true
            }
    }

    /// The word that begins the clause in which a word stands, without those in other brackets.
    private func clause(before index: Int) -> String? {
        var depth = 0
        for text in call.words[..<index].reversed().map(\.text) {
            depth += text == ")" ? 1 : text == "(" ? -1 : 0
            if depth <= 0,
                CallCheck.clauses.contains(text)
            {
                return text
            }
            // What is in brackets before may be around the word.
            depth = max(depth, 0)
        }
        return nil
    }

    private static let clauses = clausesOfValues.union(["select", "from", "join", "with", "into"])
    private static let clausesOfValues = "where set values on having by limit offset".words
    private static let signsBeforeOperands = """
        = < > + - * / % | ( , and or not like glob in between is where having by limit offset
        then else when
        """.words
}

extension SQLText {
    /// How many parts are replaced in all combinations.
    private static let mostCombined = 4

    /// The SQL in which a part that isn't known is a value, or a clause that is left out. A
    /// stand-in takes one byte, as the part does here.
    fileprivate var withStandIns: [[UInt8]] {
        let parts = bytes.indices.filter { index in
            let neighbours = [bytes[..<index].last, bytes[(index + 1)...].first]
            return bytes[index] == 0xFF
                && !neighbours.contains(".")
        }
        var combinations = [Set<Int>(), Set(parts)]
        if parts.count <= SQLText.mostCombined {
            combinations = (0..<1 << parts.count).map { number in
                Set(parts.indices.filter { number >> $0 & 1 == 1 }.map { parts[$0] })
            }
        }
        return combinations.sorted { $0.count < $1.count }
            .map { leftOut in
                bytes.indices.map { index in
                    let standIn: UInt8 =
                        leftOut.contains(index)
                        ? " "
                        : "1"
                    return bytes[index] == 0xFF
                        ? standIn
                        : bytes[index]
                }
            }
    }
}

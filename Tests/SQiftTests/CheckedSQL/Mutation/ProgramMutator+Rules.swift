import SQift
import SQiftTestSupport

extension ProgramMutator {
    /// What is SQL, but not allowed where it is.
    func rules(_ kind: ProgramMistake) -> [ProgramChange] {
        program.statements.flatMap { statement -> [ProgramChange] in
            switch kind {
            case .insertColumnCount: return lists(in: statement, after: /INTO \S+?\(([^()]*)\)/)
            case .insertValueCount: return lists(in: statement, after: /VALUES\(([^()]*)\)/)
            case .onConflictWithoutUnique: return targets(of: statement)
            case .aggregateInWhere:
                return statement.raw.matches(of: /\bWHERE\s/).flatMap { match in
                    let end = offset(match.range.upperBound, statement)
                    return ["count(*) > 0 AND ", "max(1) = 1 AND sum(1) > 0 AND "].map { new in
                        change(statement, end..<end, new)
                    }
                }
            case .wrongArgumentCount:
                return statement.raw.matches(of: /\b[a-z_]+\((?=[^)*])/).map { match in
                    let end = offset(match.range.upperBound, statement)
                    return change(statement, end..<end, "1, 2, 3, 4, 5, 6, ")
                }
            case .writeInRead: return readingWrites(statement)
            default: return []
            }
        }
    }

    func offset(_ index: String.Index, _ statement: SampleProgram.Statement) -> Int {
        statement.start + statement.raw[..<index].utf8.count
    }

    /// One element more and one less in a list in brackets.
    private func lists(
        in statement: SampleProgram.Statement,
        after pattern: Regex<(Substring, Substring)>
    ) -> [ProgramChange] {
        statement.raw.matches(of: pattern).flatMap { match -> [ProgramChange] in
            let end = offset(match.1.endIndex, statement)
            let first = match.1.split(separator: ",").first ?? ""
            var result = [change(statement, end..<end, ", \(first)")]
            if let comma = match.1.lastIndex(of: ",") {
                result.append(change(statement, offset(comma, statement)..<end, ""))
            }
            return result
        }
    }

    /// `ON CONFLICT` names a column that isn't unique.
    private func targets(of statement: SampleProgram.Statement) -> [ProgramChange] {
        let raw = statement.raw
        let list = raw.firstMatch(of: /INTO \S+?\(([^()]*)\)/)?.1 ?? ""
        let names = list.split(separator: ",").map { String($0).filter { $0 != " " } }
        return raw.matches(of: /ON CONFLICT\(([^()]*)\)/).flatMap { match in
            names.map { name in
                let end = offset(match.1.endIndex, statement)
                return change(statement, offset(match.1.startIndex, statement)..<end, name)
            }
        }
    }

    /// A closure of `write` becomes one of `read`.
    private func readingWrites(_ statement: SampleProgram.Statement) -> [ProgramChange] {
        guard let source = program.sources[statement.path], isWriting(statement) else { return [] }
        let before = source.text(0..<statement.call.opening)
        let head = before.components(separatedBy: "func ").last ?? ""
        let start = before.utf8.count - head.utf8.count
        guard let match = head.matches(of: /\.(executeWrite|write) \{/).last else { return [] }
        let name = start + head[..<match.1.startIndex].utf8.count
        let range = name..<name + match.1.utf8.count
        let closing = source.closing(of: start + head[..<match.range.upperBound].utf8.count - 1)
        guard let closing, closing > statement.call.opening else { return [] }
        let places = [(statement.path, source.lines(range.lowerBound, closing))]
        let new = match.1 == "write" ? "read" : "executeRead"
        return [ProgramChange(path: statement.path, range: range, new: new) { places }]
    }

    private func isWriting(_ statement: SampleProgram.Statement) -> Bool {
        let sql = program.resolved(statement.raw) ?? ""
        return (try? program.connection.prepare(sql).isReadOnly) == false
    }
}

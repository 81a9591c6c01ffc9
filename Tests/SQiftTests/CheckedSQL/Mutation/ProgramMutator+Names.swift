import SQift
import SQiftTestSupport

extension ProgramMutator {
    /// Names that are misspelt, and a column that two tables have without its table.
    func names(
        _ kind: ProgramMistake,
        using generator: inout SeededGenerator
    ) -> [ProgramChange] {
        var result: [ProgramChange] = []
        for statement in program.statements {
            for word in words(of: statement.raw, at: statement.start) where !word.isKeyword {
                let isQualifier = word.next == UInt8(ascii: ".")
                if kind == .ambiguousColumn {
                    if isQualifier {
                        let range = word.range.lowerBound..<word.range.upperBound + 1
                        result.append(change(statement, range, ""))
                    }
                } else if isMeant(word, by: kind, in: statement) {
                    let new = misspelt(word.text, using: &generator)
                    result.append(change(statement, word.range, new))
                }
            }
        }
        return result
    }

    private func isMeant(
        _ word: Word,
        by kind: ProgramMistake,
        in statement: SampleProgram.Statement
    ) -> Bool {
        let isColumn = columns.contains(word.text.lowercased()) && !word.isCalled
        let isQualifier = word.next == UInt8(ascii: ".")
        switch kind {
        case .columnTypo:
            return isColumn && !isQualifier && !["GROUP", "HAVING", "ORDER"].contains(word.clause)
        case .tableTypo:
            return tables.contains(word.text) && ["FROM", "INTO", "UPDATE"].contains(word.clause)
        case .aliasTypo: return isQualifier && !["main", "archive"].contains(word.text)
        case .functionTypo: return word.isCalled && !tables.contains(word.text)
        case .groupByTypo: return word.clause == "GROUP" && !word.isCalled
        case .havingUnknown: return word.clause == "HAVING" && !word.isCalled
        case .orderByUnknown: return word.clause == "ORDER" && !word.isCalled
        case .updateSetWrong:
            let after = program.sources[statement.path].map { source in
                source.text(word.range.upperBound..<word.range.upperBound + 3)
            }
            return word.clause == "SET" && after == " = "
        default: return false
        }
    }
}

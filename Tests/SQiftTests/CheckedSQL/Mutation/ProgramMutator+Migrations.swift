import SQift
import SQiftTestSupport

extension ProgramMutator {
    /// Words of migrations that are misspelt, so that a step fails or statements don't fit.
    func migrations(
        _ kind: ProgramMistake,
        using generator: inout SeededGenerator
    ) -> [ProgramChange] {
        var result: [ProgramChange] = []
        for (number, step) in program.steps.enumerated() where !step.isTried {
            let start = step.literal.content.lowerBound
            for word in words(of: step.raw, at: start) where isMeant(word, by: kind) {
                let new = misspelt(word.text, using: &generator)
                result.append(
                    ProgramChange(path: step.path, range: word.range, new: new) {
                        broken(by: (number, edited(step.raw, start, word.range, new)))
                    }
                )
            }
        }
        return result
    }

    private func isMeant(_ word: Word, by kind: ProgramMistake) -> Bool {
        let isTable = tables.contains(word.text)
        switch kind {
        case .migrationColumnTypo: return columns.contains(word.text) && !word.isCalled
        case .migrationTableTypo: return isTable
        case .migrationKeywordTypo: return word.isKeyword && word.text.count > 3
        case .migrationFunctionTypo: return word.isCalled && !word.isKeyword && !isTable
        default: return false
        }
    }

    /// The steps that fail, and the statements that don't compile any more or have other columns.
    private func broken(by edit: (number: Int, raw: String)) -> [SourceLines] {
        guard let before = try? program.migrated(),
            let (connection, failures) = try? program.migrated(with: edit)
        else { return [] }
        let new = failures.subtracting(before.failures)
        var result = new.sorted().map { program.steps[$0].lines }
        for statement in program.statements {
            let sql = program.resolved(statement.raw) ?? ""
            let columns = try? connection.prepare(sql).resultColumns.map(\.name)
            if columns != program.resultColumns(of: statement).map(\.name) {
                result += statement.lines
            }
        }
        let step = program.steps[edit.number]
        // A table that isn't there any more is missed where others refer to it.
        let children = program.steps.filter { $0.raw.contains("REFERENCES") }.map(\.lines)
        return result.isEmpty ? [] : result + children + [step.lines]
    }
}

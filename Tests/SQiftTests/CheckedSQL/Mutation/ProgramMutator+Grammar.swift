import SQift
import SQiftTestSupport

extension ProgramMutator {
    /// What isn't SQL any more.
    func grammar(
        _ kind: ProgramMistake,
        using generator: inout SeededGenerator
    ) -> [ProgramChange] {
        program.statements.flatMap { statement -> [ProgramChange] in
            switch kind {
            case .keywordTypo, .doubledKeyword, .reservedWord, .extraParenthesis:
                return words(of: statement.raw, at: statement.start).compactMap { word in
                    changed(word, kind, using: &generator).map { new in
                        change(statement, word.range, new)
                    }
                }
            case .missingComma: return signs(",", of: statement, replacedBy: "")
            case .extraComma: return signs(",", of: statement, replacedBy: ",,")
            case .missingParenthesis:
                return signs("(", of: statement, replacedBy: " ")
                    + signs(")", of: statement, replacedBy: " ")
            case .unterminatedString:
                return statement.raw.matches(of: /'[^'\\]*(')/).map { match in
                    let end = statement.start + statement.raw[..<match.1.startIndex].utf8.count
                    return change(statement, end..<end + 1, "")
                }
            case .twoStatements:
                let end = statement.literal.content.upperBound
                let start = end - trailingBlanks(of: statement.raw)
                return ["; DELETE FROM \(tables.min() ?? "")", "; SELECT 1"].map { new in
                    change(statement, start..<start, new)
                }
            default: return []
            }
        }
    }

    private func changed(
        _ word: Word,
        _ kind: ProgramMistake,
        using generator: inout SeededGenerator
    ) -> String? {
        switch kind {
        case .keywordTypo where word.isKeyword && word.text.count > 3:
            return misspelt(word.text, using: &generator)
        case .doubledKeyword where word.isKeyword && word.text.count > 1:
            return "\(word.text) \(word.text)"
        case .reservedWord where !word.isKeyword && !word.isCalled:
            let words = ["order", "group", "table", "select", "where", "index", "join", "to"]
            return words.randomElement(using: &generator)
        case .extraParenthesis: return Bool.random(using: &generator) ? "\(word.text))" : nil
        default: return nil
        }
    }

    private func trailingBlanks(of raw: String) -> Int {
        raw.reversed().prefix { $0.isWhitespace }.count
    }

    /// A sign outside quotes and interpolations is replaced.
    private func signs(
        _ sign: Character,
        of statement: SampleProgram.Statement,
        replacedBy new: String
    ) -> [ProgramChange] {
        let raw = statement.raw
        let pattern = /'[^']*'|\\\([^)]*\)|[,()]/
        return raw.matches(of: pattern).filter { $0.0 == String(sign) }.map { match in
            let start = statement.start + raw[..<match.range.lowerBound].utf8.count
            return change(statement, start..<start + 1, new)
        }
    }
}

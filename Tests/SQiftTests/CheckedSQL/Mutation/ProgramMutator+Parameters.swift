import SQift
import SQiftTestSupport

extension ProgramMutator {
    /// The values of a call, or of the `bind` after a `prepare`.
    private struct Values {
        /// Where they are written one by one; where the brackets of a list are empty, one place.
        let ranges: [Range<Int>]
        /// Where another value can be written.
        let end: Int
        /// Whether they are the elements of an array.
        let isList: Bool
    }

    /// Parameters and values that don't match.
    func parameters(
        _ kind: ProgramMistake,
        using generator: inout SeededGenerator
    ) -> [ProgramChange] {
        var result: [ProgramChange] = []
        for statement in program.statements {
            switch kind {
            case .wrongNamedParameter where isNamed(statement):
                for match in statement.raw.matches(of: /[:$]([a-z]\w*)/) {
                    let start = offset(match.1.startIndex, statement)
                    let range = start..<start + match.1.utf8.count
                    let new = misspelt(String(match.1), using: &generator)
                    result.append(certain(statement, range, new))
                }
            case .wrongDictionaryKey:
                for key in keys(of: statement) {
                    let name = program.sources[statement.path]?.text(key) ?? ""
                    // A name is the same with and without its sign.
                    let sign = name.prefix { ":@$".contains($0) }
                    let key = key.lowerBound + sign.utf8.count..<key.upperBound
                    let new = misspelt(String(name.dropFirst(sign.count)), using: &generator)
                    result.append(certain(statement, key, new))
                }
            default: result += counts(kind, statement)
            }
        }
        return result
    }

    private func counts(
        _ kind: ProgramMistake,
        _ statement: SampleProgram.Statement
    ) -> [ProgramChange] {
        guard !isNamed(statement), let values = values(of: statement) else { return [] }
        switch kind {
        case .valueExtra:
            let new = values.isList && values.ranges.isEmpty ? "0" : ", 0"
            return [certain(statement, values.end..<values.end, new)]
        case .valueMissing:
            return values.ranges.indices.map { index in
                let ranges = values.ranges
                var range = ranges[index]
                if index > 0 {
                    range = ranges[index - 1].upperBound..<range.upperBound
                } else if ranges.count > 1 {
                    range = range.lowerBound..<ranges[1].lowerBound
                } else if let before = elementBefore(range, statement) {
                    range = before..<range.upperBound
                }
                return certain(statement, range, "")
            }
        case .parameterMissing where !values.ranges.isEmpty:
            return statement.raw.matches(of: /\?(?!\d)/).map { match in
                let start = offset(match.range.lowerBound, statement)
                return certain(statement, start..<start + 1, "7")
            }
        // A `?` after `?1` is the second parameter, which the statement may have already.
        case .parameterExtra where !statement.raw.contains("?1"):
            let conditions = statement.raw.matches(of: /\bWHERE\s/).map { match in
                let end = offset(match.range.upperBound, statement)
                return certain(statement, end..<end, "? = 1 AND ")
            }
            return conditions
                + statement.raw.matches(of: /LIMIT (\d+)/).map { match in
                    let end = offset(match.1.endIndex, statement)
                    return certain(statement, offset(match.1.startIndex, statement)..<end, "?")
                }
        default: return []
        }
    }

    // MARK: Where the values are

    /// The elements between the brackets of the call that gets the values, without the SQL.
    private func arguments(of statement: SampleProgram.Statement) -> [Range<Int>] {
        guard let source = program.sources[statement.path] else { return [] }
        if let binding = statement.binding {
            return source.elements(binding.opening + 1..<binding.closing)
        }
        let call = statement.call.opening + 1..<statement.call.closing
        return Array(source.elements(call).dropFirst())
    }

    /// Nil if a variable has them.
    private func values(of statement: SampleProgram.Statement) -> Values? {
        guard let source = program.sources[statement.path] else { return nil }
        if statement.method == "prepare", statement.binding == nil {
            return nil
        }
        let plain = arguments(of: statement).filter { !source.text($0).contains(/^\w+:\s/) }
        let texts = plain.map(source.text)
        let all = source.text(0..<source.bytes.count)
        guard !texts.contains(where: { all.contains("\($0): [(any Bindable)?]") }) else {
            return nil
        }
        if let list = plain.first, texts.count == 1, texts[0].hasPrefix("[") {
            let elements = source.elements(list.lowerBound + 1..<list.upperBound - 1)
            return Values(ranges: elements, end: list.upperBound - 1, isList: true)
        }
        let call = statement.call.opening + 1..<statement.call.closing
        let sql = source.elements(call).first?.upperBound ?? call.upperBound
        let end = plain.last?.upperBound ?? statement.binding.map { $0.opening + 1 } ?? sql
        return Values(ranges: plain, end: end, isList: false)
    }

    /// Where the comma begins before the only value of a call.
    private func elementBefore(
        _ range: Range<Int>,
        _ statement: SampleProgram.Statement
    ) -> Int? {
        guard let source = program.sources[statement.path], statement.binding == nil else {
            return nil
        }
        let call = statement.call.opening + 1..<statement.call.closing
        let elements = source.elements(call)
        return elements.contains(range) ? elements.first?.upperBound : nil
    }

    /// Whether the values have names: in the literal of a dictionary, or by `encoding:`.
    private func isNamed(_ statement: SampleProgram.Statement) -> Bool {
        guard let source = program.sources[statement.path] else { return false }
        let isEncoded = arguments(of: statement).contains {
            source.text($0).hasPrefix("encoding:")
        }
        return isEncoded || !keys(of: statement).isEmpty
    }

    /// The keys of the dictionary with the values.
    private func keys(of statement: SampleProgram.Statement) -> [Range<Int>] {
        guard let source = program.sources[statement.path] else { return [] }
        return arguments(of: statement).flatMap { argument in
            source.literals.filter { literal in
                argument.contains(literal.range.lowerBound)
                    && literal.range.upperBound < argument.upperBound
                    && source.bytes[literal.range.upperBound] == UInt8(ascii: ":")
            }.map(\.content)
        }
    }
}

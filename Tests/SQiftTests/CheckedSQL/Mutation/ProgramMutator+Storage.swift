import SQift
import SQiftTestSupport

// What sqlx, SQLDelight and Room find.
extension ProgramMutator {
    /// An INSERT with its columns and its values, one by one.
    private struct Insert {
        let table: String
        let columns: [Range<Int>]
        let names: [String]
        let values: [Range<Int>]
    }

    // MARK: Values

    /// Values that the columns don't take, or that compare wrongly.
    func storedValues(_ kind: ProgramMistake) -> [ProgramChange] {
        program.statements.flatMap { statement -> [ProgramChange] in
            switch kind {
            case .listInBrackets: return listsInBrackets(statement)
            case .neededColumnLeftOut:
                return insert(statement).map { withoutColumn($0, statement) } ?? []
            case .nullForNeededColumn:
                guard let insert = insert(statement) else { return [] }
                let needed = needed(insert.table)
                return zip(insert.names, insert.values)
                    .filter { needed.contains($0.0) }
                    .map { certain(statement, $0.1, "NULL") }
            case .dateForNumber:
                return insert(statement).map { withDates($0, statement) } ?? []
            default: return []
            }
        }
    }

    private func insert(_ statement: SampleProgram.Statement) -> Insert? {
        let pattern = /^\s*INSERT INTO (\w+)\(([^()]*)\)\s+VALUES\(([^()]*)\)/
        guard let match = statement.raw.firstMatch(of: pattern) else { return nil }
        let ranges = { (list: Substring) in
            list.split(separator: ",").map { element in
                let name = element.drop { $0.isWhitespace }
                let start = offset(name.startIndex, statement)
                return start..<start + name.utf8.count
            }
        }
        let columns = ranges(match.2)
        let names = match.2.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
        let values = ranges(match.3)
        guard columns.count == values.count, tables.contains(String(match.1)) else { return nil }
        return Insert(
            table: String(match.1),
            columns: columns,
            names: names,
            values: values
        )
    }

    private func needed(_ table: String) -> [String] {
        let sql = """
            SELECT name FROM pragma_table_info(?)
            WHERE "notnull" = 1 AND dflt_value IS NULL AND pk = 0
            """
        return (try? program.connection.query(sql, table)) ?? []
    }

    private func withoutColumn(
        _ insert: Insert,
        _ statement: SampleProgram.Statement
    ) -> [ProgramChange] {
        let needed = needed(insert.table)
        guard let source = program.sources[statement.path], insert.columns.count > 1 else {
            return []
        }
        return insert.names.indices.filter { needed.contains(insert.names[$0]) }.map { index in
            let range = insert.columns[0].lowerBound..<insert.values.last!.upperBound
            let list = { (ranges: [Range<Int>]) in
                ranges.indices.filter { $0 != index }.map { source.text(ranges[$0]) }
                    .joined(separator: ", ")
            }
            let between = insert.columns.last!.upperBound..<insert.values[0].lowerBound
            let new = list(insert.columns) + source.text(between) + list(insert.values)
            return certain(statement, range, new)
        }
    }

    /// A value is a `Date` whose column has numbers.
    private func withDates(
        _ insert: Insert,
        _ statement: SampleProgram.Statement
    ) -> [ProgramChange] {
        guard let source = program.sources[statement.path], statement.binding == nil else {
            return []
        }
        let call = statement.call.opening + 1..<statement.call.closing
        let arguments = Array(source.elements(call).dropFirst())
        let isPlain = insert.values.allSatisfy { source.text($0) == "?" }
        guard isPlain, arguments.count == insert.values.count else { return [] }
        return zip(insert.names, arguments).compactMap { name, argument in
            let sql = "SELECT type FROM pragma_table_info(?) WHERE name = ?"
            let type: String? = try? program.connection.query(sql, insert.table, name)
            let isNumber = type == "REAL" || type == "INTEGER"
            return isNumber ? certain(statement, argument, "Date()") : nil
        }
    }

    private func listsInBrackets(_ statement: SampleProgram.Statement) -> [ProgramChange] {
        guard let source = program.sources[statement.path],
            let condition = statement.raw.firstMatch(of: /\bWHERE\s/),
            !statement.raw.contains(/[?:$]/),
            statement.binding == nil
        else { return [] }
        let call = statement.call.opening + 1..<statement.call.closing
        let elements = source.elements(call)
        guard let sql = elements.first, sql == statement.literal.range else { return [] }
        let start = offset(condition.range.upperBound, statement)
        let rest = source.text(start..<sql.upperBound)
        let new = "1 IN (?) AND \(rest), ArrayBinding(elements: [1])"
        return [certain(statement, start..<sql.upperBound, new)]
    }

    // MARK: Results

    /// Results that are NULL, or that nothing reads.
    func unreadResults(
        _ kind: ProgramMistake,
        using generator: inout SeededGenerator
    ) -> [ProgramChange] {
        var result: [ProgramChange] = []
        if kind == .optionalPropertyTypo {
            for type in ProgramRowType.all(in: program) where type.isDecodable {
                result += optionalTypos(type, using: &generator)
            }
            return result
        }
        for statement in program.statements {
            let types = program.tupleTypes(of: statement)
            let columns = program.resultColumns(of: statement)
            let name = program.resultType(of: statement)?.name ?? ""
            let isScalar = name.contains(/^\[?(String|Int|Int64|Double)\]?\??$/)
            switch kind {
            case .emptyAggregate where isScalar && !name.contains(/[?\[]/):
                let isAlone = !statement.raw.contains("GROUP")
                for match in statement.raw.matches(of: /^\s*SELECT (count\(\*\))/) where isAlone {
                    let start = offset(match.1.startIndex, statement)
                    result.append(certain(statement, start..<start + 8, "max(1)"))
                }
            case .lostColumn where isScalar && columns.count == 1:
                for match in statement.raw.matches(of: /^\s*SELECT (?!DISTINCT)/) {
                    let end = offset(match.range.upperBound, statement)
                    let rest = statement.raw[match.range.upperBound...]
                    guard let from = rest.firstRange(of: " FROM") ?? rest.firstRange(of: "\n")
                    else { continue }
                    let position = end + rest[..<from.lowerBound].utf8.count
                    result.append(certain(statement, position..<position, ", 1"))
                }
            case .tupleTooNarrow where types.count > 2:
                let last = types[types.count - 2].upperBound..<types[types.count - 1].upperBound
                result.append(certain(statement, last, ""))
            default: break
            }
        }
        return result
    }

    private func optionalTypos(
        _ type: ProgramRowType,
        using generator: inout SeededGenerator
    ) -> [ProgramChange] {
        let readers = program.readers(of: type)
        guard let source = program.sources[type.path],
            !type.hasCodingKeys,
            !readers.isEmpty,
            readers.allSatisfy({ !$0.raw.contains("*") })
        else { return [] }
        return type.properties.filter(\.isOptional).compactMap { property in
            let name = source.text(property.name)
            let hasColumn = readers.allSatisfy { reader in
                program.resultColumns(of: reader).contains { $0.name == property.column }
            }
            guard hasColumn, name.count > 3 else { return nil }
            let new = misspelt(name, using: &generator)
            return ProgramChange(path: type.path, range: property.name, new: new) {
                readers.flatMap(\.lines)
            }
        }
    }

    // MARK: Definitions

    /// Views, triggers and tables that are wrong although each step runs.
    func unusedDefinitions(
        _ kind: ProgramMistake,
        using generator: inout SeededGenerator
    ) -> [ProgramChange] {
        var result: [ProgramChange] = []
        for step in program.steps where !step.isTried {
            let start = step.literal.content.lowerBound
            let certain = { (range: Range<Int>, new: String) in
                ProgramChange(path: step.path, range: range, new: new) {
                    // Each INSERT needs a value for a new column.
                    [step.lines]
                        + program.statements.filter { $0.verb != "SELECT" }.flatMap(\.lines)
                }
            }
            let position = { (index: String.Index) in start + step.raw[..<index].utf8.count }
            switch kind {
            case .parentTypo:
                for match in step.raw.matches(of: /REFERENCES (\w+)/) {
                    let range = position(match.1.startIndex)..<position(match.1.endIndex)
                    result.append(certain(range, misspelt(String(match.1), using: &generator)))
                }
            case .addedColumnNotNull:
                for match in step.raw.matches(of: /ADD COLUMN \w+ (?:TEXT|INTEGER|REAL)(?=;|$)/) {
                    let end = position(match.range.upperBound)
                    result.append(certain(end..<end, " NOT NULL"))
                }
            case .unusedDefinitionTypo:
                for match in step.raw.matches(of: /CREATE (?:VIEW|TRIGGER) \w+\s(?:AS|AFTER)\s/) {
                    let first = position(match.range.upperBound)
                    for word in words(of: step.raw, at: start)
                    where word.range.lowerBound > first && columns.contains(word.text)
                        && !tables.contains(word.text)
                    {
                        let new = misspelt(word.text, using: &generator)
                        let edit = edited(step.raw, start, word.range, new)
                        result.append(
                            ProgramChange(path: step.path, range: word.range, new: new) {
                                breaks(edit, step)
                                    ? [step.lines] + program.statements.flatMap(\.lines)
                                    : []
                            }
                        )
                    }
                }
            default: break
            }
        }
        return result
    }

    /// Whether a view or a trigger can't be used after a step has another text.
    private func breaks(_ edit: String, _ step: SampleProgram.Step) -> Bool {
        let number = program.steps.firstIndex {
            $0.path == step.path && $0.literal.range == step.literal.range
        }
        guard let number,
            let (connection, _) = try? program.migrated(with: (number, edit)),
            let names: [String] = try? connection.query(
                "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"
            )
        else { return false }
        return names.contains { name in
            let isView = (try? connection.prepare("SELECT * FROM \"\(name)\"")) == nil
            let event = "DELETE FROM \"\(name)\""
            let isSound = (try? program.connection.prepare(event)) == nil
            return isView || !isSound && (try? connection.prepare(event)) == nil
        }
    }
}

import SQift
import SQiftTestSupport

extension ProgramMutator {
    /// Results that the code can't read.
    func results(
        _ kind: ProgramMistake,
        using generator: inout SeededGenerator
    ) -> [ProgramChange] {
        switch kind {
        case .closureColumnTypo, .closureIndexTooLarge, .tupleTooWide, .scalarOfWrongType,
            .selectColumnDropped:
            var result: [ProgramChange] = []
            for statement in program.statements {
                switch kind {
                case .scalarOfWrongType: result += wrongScalars(statement)
                case .selectColumnDropped: result += shortened(statement)
                case .tupleTooWide:
                    if let end = program.tupleTypes(of: statement).last?.upperBound {
                        result.append(certain(statement, end..<end, ", Int"))
                    }
                default: result += closures(kind, statement, using: &generator)
                }
            }
            return result
        default:
            var result: [ProgramChange] = []
            for type in ProgramRowType.all(in: program) {
                let readers = program.readers(of: type)
                result += changes(kind, of: type, readers, using: &generator)
            }
            return result + (kind == .nullIntoNonOptional ? nonOptionalTuples : [])
        }
    }

    // MARK: Types of rows

    private func changes(
        _ kind: ProgramMistake,
        of type: ProgramRowType,
        _ readers: [SampleProgram.Statement],
        using generator: inout SeededGenerator
    ) -> [ProgramChange] {
        var result: [ProgramChange] = []
        let source = program.sources[type.path]
        let change = { (range: Range<Int>, new: String, places: [SampleProgram.Statement]) in
            ProgramChange(path: type.path, range: range, new: new) { places.flatMap(\.lines) }
        }
        switch kind {
        case .initRowTypo where !type.isDecodable:
            for range in type.columnNames {
                let new = misspelt(source?.text(range) ?? "", using: &generator)
                result.append(change(range, new, readers))
            }
        case .propertyWithoutColumn where type.hasCodingKeys:
            for range in type.columnNames {
                let new = misspelt(source?.text(range) ?? "", using: &generator)
                result.append(change(range, new, readers))
            }
        case .propertyWithoutColumn where type.isDecodable:
            for property in type.properties where !property.isOptional {
                let new = (source?.text(property.name) ?? "") + "Text"
                result.append(change(property.name, new, readers))
            }
        case .wrongPropertyType:
            for property in type.properties {
                let types = readers.map { declaredType(of: property.column, $0) }
                guard let first = types.first, types.allSatisfy({ $0 == first }),
                    let new = unfit(property.typeName, first)
                else { continue }
                result.append(change(property.type, new, readers))
            }
        case .nullIntoNonOptional:
            for property in type.properties where property.isOptional {
                let end = property.type.upperBound
                let places = readers.filter { mayBeNull(property.column, $0) }
                result.append(change(end - 1..<end, "", places))
            }
        default: break
        }
        return result
    }

    private func declaredType(
        of column: String,
        _ statement: SampleProgram.Statement
    ) -> String? {
        program.resultColumns(of: statement).first { $0.name == column }?.declaredType
    }

    /// A type that values of a column never fit, instead of the one that they do.
    private func unfit(_ type: String, _ declared: String?) -> String? {
        switch (type, declared) {
        case ("String", "TEXT"): "Int"
        case ("Int", "INTEGER"), ("Int64", "INTEGER"), ("Double", "REAL"): "String"
        default: nil
        }
    }

    /// Whether SQLite says that a column may be NULL, and no condition is about it.
    private func mayBeNull(_ name: String, _ statement: SampleProgram.Statement) -> Bool {
        let columns = program.resultColumns(of: statement)
        guard let column = columns.first(where: { $0.name == name }),
            let table = column.table, let origin = column.origin,
            statement.verb == "SELECT", program.resolved(statement.raw)?.contains(table) == true
        else { return false }
        let conditions = statement.raw.components(separatedBy: "WHERE").dropFirst().joined()
        let isFree: Bool? = try? program.connection.query(
            "SELECT \"notnull\" = 0 AND pk = 0 FROM pragma_table_info(?) WHERE name = ?",
            table,
            origin
        )
        return isFree == true && !conditions.contains(name)
    }

    private var nonOptionalTuples: [ProgramChange] {
        program.statements.flatMap { statement -> [ProgramChange] in
            let columns = program.resultColumns(of: statement)
            let types = program.tupleTypes(of: statement)
            return zip(types, columns).compactMap { type, column in
                let isOptional =
                    program.sources[statement.path]?.text(type).hasSuffix("?") ?? false
                guard isOptional, mayBeNull(column.name, statement) else { return nil }
                return certain(statement, type.upperBound - 1..<type.upperBound, "")
            }
        }
    }

    // MARK: Scalars

    private func wrongScalars(_ statement: SampleProgram.Statement) -> [ProgramChange] {
        guard let source = program.sources[statement.path] else { return [] }
        let columns = program.resultColumns(of: statement)
        let types = program.tupleTypes(of: statement)
        guard types.isEmpty else {
            return zip(types, columns).compactMap { type, column in
                let name = source.text(type).filter { $0 != "?" }
                let end = type.lowerBound + name.utf8.count
                return unfit(name, column.declaredType).map { new in
                    certain(statement, type.lowerBound..<end, new)
                }
            }
        }
        guard let (name, range) = program.resultType(of: statement), columns.count == 1,
            let match = name.firstMatch(of: /^\[?(\w+)\]?\??$/)
        else { return [] }
        let isCount = columns[0].name == "count(*)"
        let start = range.lowerBound + name[..<match.1.startIndex].utf8.count
        let declared = isCount ? "INTEGER" : columns[0].declaredType
        guard let new = unfit(String(match.1), declared) else { return [] }
        let rest = source.text(statement.call.closing + 1..<statement.call.closing + 4)
        guard rest != " ??" else { return [] }
        return [certain(statement, start..<start + match.1.utf8.count, new)]
    }

    // MARK: Columns

    private func closures(
        _ kind: ProgramMistake,
        _ statement: SampleProgram.Statement,
        using generator: inout SeededGenerator
    ) -> [ProgramChange] {
        guard let source = program.sources[statement.path],
            let (opening, closing) = program.closure(of: statement)
        else { return [] }
        let text = source.text(opening..<closing)
        let count = program.resultColumns(of: statement).count
        var result: [ProgramChange] = []
        let pattern =
            kind == .closureColumnTypo ? /row(?:\.get\(|\[)"(\w+)"/ : /row(?:\.get\(|\[)(\d+)/
        for match in text.matches(of: pattern) {
            let start = opening + text[..<match.1.startIndex].utf8.count
            let range = start..<start + match.1.utf8.count
            let isName = kind == .closureColumnTypo
            let new = isName ? misspelt(String(match.1), using: &generator) : "\(count)"
            result.append(certain(statement, range, new))
        }
        return result
    }

    /// The statement without one of the columns that are read.
    private func shortened(_ statement: SampleProgram.Statement) -> [ProgramChange] {
        guard let source = program.sources[statement.path],
            let list = statement.raw.firstMatch(of: /^\s*SELECT ((?s:.*?))\sFROM\s/)?.1
        else { return [] }
        let first = offset(list.startIndex, statement)
        let text = SwiftText(String(list))
        let elements = text.elements(0..<text.bytes.count)
        let names = program.resultColumns(of: statement).map(\.name)
        guard elements.count == names.count, names.count > 1 else { return [] }
        let needed = neededColumns(of: statement, source)
        // The closure that reads the column is where it is missed.
        let closure =
            program.closure(of: statement).map { brackets in
                [(statement.path, source.lines(brackets.opening, brackets.closing))]
            } ?? []
        return elements.indices.compactMap { index in
            guard needed?.contains(names[index]) ?? !program.tupleTypes(of: statement).isEmpty
            else {
                return nil
            }
            let range =
                index > 0
                ? elements[index - 1].upperBound..<elements[index].upperBound
                : elements[0].lowerBound..<elements[1].lowerBound
            let bytes = first + range.lowerBound..<first + range.upperBound
            return ProgramChange(path: statement.path, range: bytes, new: "") {
                statement.lines + closure
            }
        }
    }

    /// The names of the columns that the code reads; nil if it doesn't read by names.
    private func neededColumns(
        of statement: SampleProgram.Statement,
        _ source: SwiftText
    ) -> [String]? {
        if let (opening, closing) = program.closure(of: statement) {
            let text = source.text(opening..<closing)
            return text.matches(of: /row\.get\("(\w+)"/).map { String($0.1) }
        }
        let name = program.resultType(of: statement)?.name.filter { $0.isLetter }
        return ProgramRowType.all(in: program).first { $0.name == name }.map { type in
            let isNeeded = { (property: ProgramRowType.Property) in !property.isOptional }
            return type.properties.filter(isNeeded).map(\.column)
        }
    }
}

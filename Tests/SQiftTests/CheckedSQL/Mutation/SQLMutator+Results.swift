import SQift
import SQiftTestSupport

extension SQLMutator {
    /// A struct that is made of rows.
    private struct RowType {
        struct Property {
            let name: String
            let type: Range<Int>
            let nameRange: Range<Int>
            let isOptional: Bool
        }

        let name: String
        let path: String
        let body: Range<Int>
        let isDecodable: Bool
        let properties: [Property]
    }

    private var rowTypes: [RowType] {
        corpus.sources.sorted { $0.key < $1.key }.flatMap { path, source in
            let text = source.text(0..<source.bytes.count)
            return text.matches(of: /struct (\w+): ([^{]*)\{/).compactMap { match -> RowType? in
                guard match.2.contains("ExpressibleByRow") else { return nil }
                let opening = text[..<match.range.upperBound].utf8.count - 1
                guard let closing = source.closing(of: opening) else { return nil }
                let body = opening..<closing
                let bodyText = source.text(body)
                let properties = bodyText.matches(of: /let (\w+): (\S+)\n/).map { match in
                    let name = opening + bodyText[..<match.1.startIndex].utf8.count
                    let type = opening + bodyText[..<match.2.startIndex].utf8.count
                    return RowType.Property(
                        name: String(match.1),
                        type: type..<type + match.2.utf8.count,
                        nameRange: name..<name + match.1.utf8.count,
                        isOptional: match.2.hasSuffix("?")
                    )
                }
                return RowType(
                    name: String(match.1),
                    path: path,
                    body: body,
                    isDecodable: match.2.contains("Decodable"),
                    properties: properties
                )
            }
        }
    }

    /// The statements in functions that return a type, an array or an optional of it.
    private func statements(returning type: String) -> [SQLCorpus.Statement] {
        corpus.statements.filter { statement in
            guard let source = corpus.sources[statement.path] else { return false }
            let before = source.text(0..<statement.call.opening)
            let head = before.components(separatedBy: "func ").last ?? ""
            let result = head.components(separatedBy: "-> ").dropFirst().first ?? ""
            let name = result.prefix { $0 != "{" }.filter { $0.isLetter }
            return name == type && !corpus.columns(of: statement.sql).isEmpty
        }
    }

    private func places(_ type: RowType) -> [(path: String, lines: ClosedRange<Int>)] {
        statements(returning: type.name).map { ($0.path, $0.lines) }
    }

    // MARK: Columns of structs

    /// A property gets a name that no result has, or a result loses a column.
    var missingColumns: [MistakenSource] {
        var result: [MistakenSource?] = []
        for type in rowTypes {
            let places = places(type)
            guard let source = corpus.sources[type.path], !places.isEmpty else { continue }
            if type.isDecodable {
                for property in type.properties where !property.isOptional {
                    result.append(
                        mistake(type.path, [(property.nameRange, "\(property.name)Text")], places)
                    )
                }
            } else {
                let text = source.text(type.body)
                for match in text.matches(of: /row\.get\("(\w+)"/) {
                    let start = type.body.lowerBound + text[..<match.1.startIndex].utf8.count
                    let range = start..<start + match.1.utf8.count
                    result.append(mistake(type.path, [(range, "\(match.1)_2")], places))
                }
            }
            for statement in statements(returning: type.name) {
                result += shortened(statement, type)
            }
        }
        return result.compactMap { $0 }
    }

    /// The statement without one of the columns that the type needs.
    private func shortened(
        _ statement: SQLCorpus.Statement,
        _ type: RowType
    ) -> [MistakenSource?] {
        let needed = type.properties.filter { !$0.isOptional || !type.isDecodable }.map(\.name)
        let start = statement.literal.content.lowerBound
        // An element of a list, with the comma before or after it.
        let pattern = #/, (?:\w+\.)?(\w+)(?=,|\s)|(?:\w+\.)?(\w+), /#
        return statement.sql.matches(of: pattern).map { match -> MistakenSource? in
            var new = statement.sql
            new.removeSubrange(match.range)
            let name = match.1 ?? match.2 ?? ""
            let columns = corpus.columns(of: statement.sql)
            let isNeeded = needed.contains { $0.lowercased() == name.filter { $0 != "_" } }
            guard isNeeded, corpus.columns(of: new) == columns.filter({ $0 != name }) else {
                return nil
            }
            let first = start + statement.sql[..<match.range.lowerBound].utf8.count
            return mistake(statement, first..<first + match.0.utf8.count, "")
        }
    }

    // MARK: NULL

    /// What is read as optional becomes non-optional, or a column that is read loses its NOT NULL.
    var nonOptionals: [MistakenSource] {
        var result: [MistakenSource?] = []
        for type in rowTypes where type.isDecodable {
            let hasOrigins = statements(returning: type.name).contains(where: \.isQuery)
            for property in type.properties where property.isOptional && hasOrigins {
                let end = property.type.upperBound
                result.append(mistake(type.path, [(end - 1..<end, "")], places(type)))
            }
        }
        for statement in corpus.statements {
            result += nonOptionalTuples(statement)
        }
        return (result + nullableColumns).compactMap { $0 }
    }

    private func nonOptionalTuples(_ statement: SQLCorpus.Statement) -> [MistakenSource?] {
        guard let source = corpus.sources[statement.path] else { return [] }
        let range = statement.literal.range.upperBound..<statement.call.closing
        let text = source.text(range)
        guard text.contains("as: (") else { return [] }
        return text.indices.filter { text[$0] == "?" }.map { index in
            let start = range.lowerBound + text[..<index].utf8.count
            return mistake(statement, start..<start + 1, "")
        }
    }

    /// Columns without their NOT NULL, which a result has and no condition mentions.
    private var nullableColumns: [MistakenSource?] {
        corpus.sources.sorted { $0.key < $1.key }.flatMap { path, source in
            source.literals.flatMap { literal -> [MistakenSource?] in
                let text = source.text(literal.content)
                return text.matches(of: /CREATE TABLE (\w+)\([^;]*/).flatMap { definition in
                    text[definition.range].matches(of: /(\w+) \w+( NOT NULL)/).map { match in
                        // The key of a table without rowid is never NULL.
                        let key = definition.0.components(separatedBy: "PRIMARY KEY(").dropFirst()
                        guard !key.joined().contains(match.1) else { return nil }
                        let start = text[..<match.2.startIndex].utf8.count
                        return nullable(
                            "\(match.1)",
                            of: "\(definition.1)",
                            (path, literal.content.lowerBound + start),
                            match.2.utf8.count
                        )
                    }
                }
            }
        }
    }

    private func nullable(
        _ column: String,
        of table: String,
        _ place: (path: String, start: Int),
        _ count: Int
    ) -> MistakenSource? {
        let readers = readers(of: column, table)
        // A table that is made anew later isn't this one any more.
        guard readers.contains(where: { shows(column, $0) }),
            corpus.places(where: { $0 == table }).isEmpty
        else { return nil }
        let places = readers.map { (path: $0.path, lines: linesWithClosure($0)) }
        return mistake(place.path, [(place.start..<place.start + count, "")], places)
    }

    /// The lines of a call, with those of the closure that reads its rows.
    private func linesWithClosure(_ statement: SQLCorpus.Statement) -> ClosedRange<Int> {
        guard let source = corpus.sources[statement.path] else { return statement.lines }
        let rest = source.text(statement.call.closing..<source.bytes.count)
        guard rest.hasPrefix(") {") else { return statement.lines }
        var depth = 0
        let closure = rest.prefix { character in
            let wasInside = depth > 0
            depth += character == "{" ? 1 : character == "}" ? -1 : 0
            return depth > 0 || !wasInside
        }
        let count = closure.count { $0.isNewline }
        return statement.lines.lowerBound...statement.lines.upperBound + count
    }

    /// The statements that have a table's column in their results.
    private func readers(of column: String, _ table: String) -> [SQLCorpus.Statement] {
        corpus.statements.filter { statement in
            let columns = try? corpus.connection?.prepare(statement.sql).resultColumns
            return columns?.contains { $0.table == table && $0.origin == column } ?? false
        }
    }

    /// Whether the code says that a statement's column isn't read as an optional.
    private func shows(_ column: String, _ statement: SQLCorpus.Statement) -> Bool {
        guard let source = corpus.sources[statement.path], statement.isQuery else {
            return false
        }
        let conditions = statement.sql.components(separatedBy: "WHERE").dropFirst().joined()
        guard !conditions.contains(column), !statement.sql.contains("LEFT JOIN") else {
            return false
        }
        let after = source.text(statement.literal.range.upperBound..<statement.call.closing)
        let before = source.text(0..<statement.call.opening).suffix(300)
        let result = before.components(separatedBy: "-> ").last?.prefix { $0 != "{" } ?? ""
        if after.contains("as: (") || result.hasPrefix("[String") || result.hasPrefix("[Int64") {
            return true
        }
        return rowTypes.contains { type in
            let names = type.properties.filter { !$0.isOptional }.map { $0.name.lowercased() }
            return type.isDecodable && names.contains(column.filter { $0 != "_" })
                && statements(returning: type.name).contains {
                    $0.literal.range == statement.literal.range
                }
        }
    }
}

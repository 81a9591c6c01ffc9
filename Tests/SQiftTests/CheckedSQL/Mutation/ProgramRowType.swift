import SQift
import SQiftTestSupport

/// A struct of a sample program that is made of rows.
struct ProgramRowType {
    struct Property {
        let name: Range<Int>
        let type: Range<Int>
        let typeName: String
        /// The column that it is read from.
        let column: String

        var isOptional: Bool { typeName.hasSuffix("?") }
    }

    let name: String
    let path: String
    let isDecodable: Bool
    let properties: [Property]
    /// The names of columns that its own code has: in `init(row:)`, or as values of coding keys.
    let columnNames: [Range<Int>]
    let hasCodingKeys: Bool

    static func all(in program: SampleProgram) -> [ProgramRowType] {
        program.sources.sorted { $0.key < $1.key }.flatMap { path, source in
            let text = source.text(0..<source.bytes.count)
            return text.matches(of: /struct (\w+): ([^{]*ExpressibleByRow[^{]*)\{/).compactMap {
                match in
                let opening = text[..<match.range.upperBound].utf8.count - 1
                return source.closing(of: opening).map { closing in
                    ProgramRowType(
                        String(match.1),
                        path,
                        isDecodable: match.2.contains("Decodable"),
                        opening,
                        source.text(opening..<closing)
                    )
                }
            }
        }
    }

    private init(
        _ name: String,
        _ path: String,
        isDecodable: Bool,
        _ start: Int,
        _ body: String
    ) {
        self.name = name
        self.path = path
        self.isDecodable = isDecodable
        let range = { (part: Substring) -> Range<Int> in
            let first = start + body[..<part.startIndex].utf8.count
            return first..<first + part.utf8.count
        }
        var columns: [String: String] = [:]
        let pattern =
            isDecodable ? /(\w+) = "(\w+)"/ : /(\w+) = try row\.get\("(\w+)"\)/
        let matches = body.matches(of: pattern)
        for match in matches {
            columns[String(match.1)] = String(match.2)
        }
        columnNames = matches.map { range($0.2) }
        hasCodingKeys = body.contains("CodingKeys")
        let isSnakeCase = body.contains("columnNamesAreSnakeCase = true")
        properties = body.matches(of: /\n +let (\w+): (\S+)(?=\n)/).map { match in
            let name = String(match.1)
            let column = columns[name] ?? (isSnakeCase ? name.snakeCase : name)
            return Property(
                name: range(match.1),
                type: range(match.2),
                typeName: String(match.2),
                column: column
            )
        }
    }
}

extension String {
    fileprivate var snakeCase: String {
        map { $0.isUppercase ? "_\($0.lowercased())" : String($0) }.joined()
    }
}

extension SampleProgram {
    /// The type of a query's result as it is written, and where.
    func resultType(of statement: Statement) -> (name: String, range: Range<Int>)? {
        guard let source = sources[statement.path],
            ["query", "prepare"].contains(statement.method), closure(of: statement) == nil
        else { return nil }
        let end = statement.call.opening - statement.method.utf8.count - 1
        let before = source.text(0..<end)
        let head = before.components(separatedBy: "func ").last ?? ""
        let start = end - head.utf8.count
        let place = { (part: Substring, offset: Int, text: String) in
            let first = offset + text[..<part.startIndex].utf8.count
            return (String(part), first..<first + part.utf8.count)
        }
        if let match = head.firstMatch(of: /(?:let|var) \w+: ([^=\n]+) = try [\w.$]+$/) {
            return place(match.1, start, head)
        }
        let assignment =
            /\n +(\w+) = try (?:await )?(?:[\w.]+ \{ (?:try \$0|connection in\s+try \w+))?[\w.]*$/
        if let name = head.firstMatch(of: assignment)?.1 {
            let all = source.text(0..<source.bytes.count)
            let declaration = all.matches(of: /var (\w+): ([^=\n]+?)(?= = |\n)/)
            return declaration.first { $0.1 == name }.map { place($0.2, 0, all) }
        }
        guard !head.contains(/(let|var) \w+ = try [\w.]+ \{[^}]*$/) else { return nil }
        return head.firstMatch(of: /-> ([^{\n]+) \{/).map { place($0.1, start, head) }
    }

    /// The brackets of the closure that follows a call.
    func closure(of statement: Statement) -> (opening: Int, closing: Int)? {
        guard let source = sources[statement.path] else { return nil }
        let opening = statement.call.closing + 2
        guard source.bytes[opening] == UInt8(ascii: "{") else { return nil }
        return source.closing(of: opening).map { (opening, $0) }
    }

    /// The types in a call's `as: (…).self`.
    func tupleTypes(of statement: Statement) -> [Range<Int>] {
        guard let source = sources[statement.path] else { return [] }
        let call = statement.call.opening + 1..<statement.call.closing
        guard
            let argument = source.elements(call).first(where: { source.text($0).hasPrefix("as: (") }
            )
        else { return [] }
        let opening = argument.lowerBound + 4
        return source.closing(of: opening).map { source.elements(opening + 1..<$0) } ?? []
    }

    /// The statements whose result is a type, an array or an optional of it.
    func readers(of type: ProgramRowType) -> [Statement] {
        statements.filter { statement in
            resultType(of: statement)?.name.filter { $0.isLetter } == type.name
                && !resultColumns(of: statement).isEmpty
        }
    }
}

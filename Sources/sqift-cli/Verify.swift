import RegexBuilder
import SQift

/// Compares two databases: their schemas, and their tables row by row and value by value.
struct Verify {
    private let paths: [String]
    private let one: Connection
    private let other: Connection

    init(_ path: String, _ otherPath: String) throws {
        paths = [path, otherPath]
        one = try openToRead(path)
        other = try openToRead(otherPath)
    }

    /// Prints what it finds, and returns whether they are equal.
    func run() throws -> Bool {
        // A transaction each: neither changes meanwhile.
        try one.transaction { try other.transaction { try compare() } }
    }

    private func compare() throws -> Bool {
        print("A: \(paths[0])\nB: \(paths[1])")
        var problems = try settingsThatDiffer() + objectsThatDiffer()
        let comparison = RowCopy(source: one, copy: other)
        let common = Set(try tableNames(of: other)).intersection(try tableNames(of: one))
        var lines = [["table", "rows in A", "rows in B", "differences"]]
        for name in common.sorted() {
            let table = try RowCopy.Table(named: name, in: one)
            let counts: [Int] = try [one, other].map {
                try $0.query("SELECT count(*) FROM \(table.quotedName)")
            }
            // Other columns have been reported.
            let isComparable = try table == RowCopy.Table(named: name, in: other)
            let difference = try isComparable ? comparison.countDifferences(in: table) : nil
            lines.append(
                [
                    name, "\(counts[0])", "\(counts[1])",
                    difference.map { "\($0)" } ?? "not compared",
                ]
            )
            if let difference, difference > 0 {
                let verb = difference == 1 ? "differs" : "differ"
                problems.append("\(counted(difference, "row")) of \(name) \(verb)")
            }
        }
        printTable(lines)
        for problem in problems {
            print(problem)
        }
        print(problems.isEmpty ? "equal" : "different")
        return problems.isEmpty
    }

    private func settingsThatDiffer() throws -> [String] {
        try ["user_version", "application_id", "encoding"].compactMap { pragma in
            let values: [BindingValue] = try [one, other].map { try $0.query("PRAGMA \(pragma)") }
            guard values[0] != values[1] else { return nil }
            return "\(pragma): \(values[0]) in A, \(values[1]) in B"
        }
    }

    private func tableNames(of connection: Connection) throws -> [String] {
        try connection.query(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage <> 0"
        )
    }

    // MARK: Schema

    /// The tables, indexes, views and triggers that only one of them has, or that differ in more
    /// than white space.
    private func objectsThatDiffer() throws -> [String] {
        let schemas = try [one, other].map(schema)
        let names = Set(schemas[0].keys).union(schemas[1].keys).sorted()
        return names.compactMap { name in
            guard let sql = schemas[0][name] else { return "only in B: \(name)" }
            guard let otherSQL = schemas[1][name] else { return "only in A: \(name)" }
            let tokens = [sql, otherSQL].map(Verify.tokens)
            guard tokens[0] != tokens[1] else { return nil }
            let excerpts = Verify.excerpts(tokens[0], tokens[1])
            return "\(name) differs\n  A: \(excerpts[0])\n  B: \(excerpts[1])"
        }
    }

    private func schema(of connection: Connection) throws -> [String: String] {
        try connection.query("SELECT type || ' ' || name, ifnull(sql, '') FROM sqlite_schema")
    }

    /// What SQL consists of but for the white space between it, and in comments.
    static func tokens(of sql: String) -> [[UInt8]] {
        let quoted = /[xX]?'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/
        let comment = /--[^\r\n]*|\/\*(?:[^*]|\*+[^*\/])*\*+\//
        let token = Regex {
            ChoiceOf {
                quoted
                Capture(comment)
                /[\w$]+|\S/
            }
        }
        return sql.matches(of: token.matchingSemantics(.unicodeScalar)).map { match in
            guard let comment = match.1 else { return Array(match.0.utf8) }
            return Array(comment.split(whereSeparator: \.isWhitespace).joined(separator: " ").utf8)
        }
    }

    /// Where two texts differ, with a few words around it.
    private static func excerpts(_ one: [[UInt8]], _ other: [[UInt8]]) -> [String] {
        let start = zip(one, other).prefix { $0 == $1 }.count
        let rests = [one, other].map { $0.dropFirst(start).reversed() }
        let end = zip(rests[0], rests[1]).prefix { $0 == $1 }.count
        return [one, other].map { tokens in
            let first = max(start - 4, 0)
            let last = min(tokens.count - end + 4, tokens.count)
            let words = tokens[first..<last].map { String(decoding: $0, as: UTF8.self) }
            let excerpt = words.joined(separator: " ")
            return (first > 0 ? "… " : "") + excerpt + (last < tokens.count ? " …" : "")
        }
    }
}

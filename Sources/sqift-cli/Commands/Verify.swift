import RegexBuilder
import SQift

/// Compares two databases: their schemas, and their tables row by row and value by value.
struct Verify {
    struct TableReport: Encodable {
        let name: String
        let rowsInA: Int
        let rowsInB: Int
        /// Nil if the rows weren't compared, since the columns differ.
        let differingRows: Int?
    }

    struct Report: CommandReport {
        let a: String
        let b: String
        var tables: [TableReport] = []
        var differences: [String] = []
        /// Virtual tables, of which only the tables that they keep are compared.
        var uncomparedTables: [String] = []
        var exitCode = ExitCode.done
    }

    private let paths: [String]
    private let one: Connection
    private let other: Connection

    init(_ path: String, _ otherPath: String) throws {
        paths = [path, otherPath]
        one = try DatabaseFile(path).openToRead()
        other = try DatabaseFile(otherPath).openToRead()
    }

    func run() throws -> Report {
        // In a transaction each, so that neither database changes meanwhile.
        try one.transaction { try other.transaction { try compare() } }
    }

    private func compare() throws -> Report {
        var report = Report(a: paths[0], b: paths[1])
        report.differences = try differingSettings() + differingObjects()

        let names = Set(try Table.names(in: one)).intersection(try Table.names(in: other))
        for name in names.sorted() {
            let table = try Table(named: name, in: one)
            let difference = try countDifferences(in: table)
            report.tables.append(
                TableReport(
                    name: name,
                    rowsInA: try table.rowCount(in: one),
                    rowsInB: try table.rowCount(in: other),
                    differingRows: difference
                )
            )
            if let difference, difference > 0 {
                let verb = difference == 1 ? "differs" : "differ"
                report.differences.append("\(counted(difference, "row")) of \(name) \(verb)")
            }
        }
        report.uncomparedTables = try Set([one, other].flatMap(Table.virtualNames)).sorted()
        report.exitCode = report.differences.isEmpty ? .done : .failed
        return report
    }

    /// Returns nil if the columns differ: that is reported as a difference of the schemas.
    private func countDifferences(in table: Table) throws -> Int? {
        guard try table == Table(named: table.name, in: other) else { return nil }
        return try RowComparison(of: table, in: one, other).countDifferences()
    }

    private func differingSettings() throws -> [String] {
        try ["user_version", "application_id", "encoding"].compactMap { pragma in
            let values: [BindingValue] = try [one, other].map { connection in
                try connection.namingFile { try $0.query("PRAGMA \(pragma)") }
            }
            guard values[0] != values[1] else { return nil }
            return "\(pragma): \(values[0]) in A, \(values[1]) in B"
        }
    }

    // MARK: Schema

    /// The tables, indexes, views and triggers that only one database has, or that differ in more
    /// than white space.
    private func differingObjects() throws -> [String] {
        let schemas = try [one, other].map(schema)
        let names = Set(schemas[0].keys).union(schemas[1].keys)
        return names.sorted().compactMap { name in
            guard let sql = schemas[0][name] else { return "only in B: \(name)" }
            guard let otherSQL = schemas[1][name] else { return "only in A: \(name)" }
            let tokens = [sql, otherSQL].map(Verify.tokens)
            guard tokens[0] != tokens[1] else { return nil }
            let excerpts = Verify.excerpts(tokens[0], tokens[1])
            return "\(name) differs\n  A: \(excerpts[0])\n  B: \(excerpts[1])"
        }
    }

    private func schema(of connection: Connection) throws -> [String: String] {
        try connection.namingFile {
            try $0.query("SELECT type || ' ' || name, ifnull(sql, '') FROM sqlite_schema")
        }
    }

    /// The tokens of SQL as bytes. White space between tokens is left out, and white space in a
    /// comment is one space.
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
            let words = comment.split(whereSeparator: \.isWhitespace)
            return Array(words.joined(separator: " ").utf8)
        }
    }

    /// The tokens that differ in two strings, with a few tokens around them.
    private static func excerpts(_ one: [[UInt8]], _ other: [[UInt8]]) -> [String] {
        let equalAtStart = zip(one, other).prefix { $0 == $1 }.count
        let ends = [one, other].map { $0.dropFirst(equalAtStart).reversed() }
        let equalAtEnd = zip(ends[0], ends[1]).prefix { $0 == $1 }.count

        return [one, other].map { tokens in
            let first = max(equalAtStart - 4, 0)
            let last = min(tokens.count - equalAtEnd + 4, tokens.count)
            let words = tokens[first..<last].map { String(decoding: $0, as: UTF8.self) }
            let excerpt = words.joined(separator: " ")
            return (first > 0 ? "… " : "") + excerpt + (last < tokens.count ? " …" : "")
        }
    }
}

extension Verify.Report {
    func printText() {
        print("A: \(a)\nB: \(b)")
        let lines = tables.map { table in
            let difference = table.differingRows.map { "\($0)" } ?? "not compared"
            return [table.name, "\(table.rowsInA)", "\(table.rowsInB)", difference]
        }
        printTable([["table", "rows in A", "rows in B", "differences"]] + lines)
        for difference in differences {
            print(difference)
        }
        for name in uncomparedTables {
            print("not compared: the virtual table \(name); the tables that it keeps are")
        }
        print(differences.isEmpty ? "equal" : "different")
    }
}

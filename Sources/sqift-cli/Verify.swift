import SQift

/// Compares two databases: their schemas, and their tables row by row and value by value.
struct Verify {
    private let one: Connection
    private let other: Connection

    init(_ path: String, _ otherPath: String) throws {
        (one, other) = try (openToRead(path), openToRead(otherPath))
    }

    /// Prints what it finds, and answers whether they are equal.
    func run() throws -> Bool {
        // A transaction each: neither changes meanwhile.
        try one.transaction { try other.transaction { try compare() } }
    }

    private func compare() throws -> Bool {
        var problems: [String] = []
        for pragma in ["user_version", "application_id", "encoding"] {
            let values: [BindingValue] = try [one, other].map { try $0.query("PRAGMA \(pragma)") }
            if values[0] != values[1] {
                problems.append("\(pragma): \(values[0]) and \(values[1])")
            }
        }
        let schemas = try [schema(of: one), schema(of: other)]
        for key in Set(schemas[0].keys).union(schemas[1].keys).sorted()
        where schemas[0][key] != schemas[1][key] {
            let isMissing = schemas[0][key] == nil || schemas[1][key] == nil
            problems.append(
                isMissing
                    ? "only in the \(schemas[0][key] == nil ? "second" : "first"): \(key)"
                    : "\(key) differs"
            )
        }
        let comparison = RowCopy(source: one, copy: other)
        let names: [String] = try one.query(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage <> 0 ORDER BY 1"
        )
        let tables = try names.filter { schemas[1]["table \($0)"] != nil }.map(comparison.table)
        var lines = [["table", "rows", "rows", "differences"]]
        for table in tables
        where schemas[0]["table \(table.name)"] == schemas[1]["table \(table.name)"] {
            let difference = try comparison.countDifferences(in: table)
            let counts: [Int] = try [one, other].map {
                try $0.query("SELECT count(*) FROM \(table.quotedName)")
            }
            lines.append([table.name, "\(counts[0])", "\(counts[1])", "\(difference)"])
            if difference > 0 { problems.append("\(difference) rows of \(table.name) differ") }
        }
        printTable(lines)
        for problem in problems { print(problem) }
        print(problems.isEmpty ? "equal" : "different")
        return problems.isEmpty
    }

    private func schema(of connection: Connection) throws -> [String: String] {
        try connection.query("SELECT type || ' ' || name, ifnull(sql, '') FROM sqlite_schema")
    }
}

import Foundation
import SQift

/// Copies a database table by table through values and bound parameters.
struct RowCopy {
    let source: Connection
    let copy: Connection

    /// Copies the database at `path` to a temporary file, compares the copy, and prints a line for
    /// each table.
    ///
    /// - Returns: Whether nothing differs.
    static func run(from path: String) throws -> Bool {
        let source = try DatabaseFile(path).openToRead()
        let folder = try makeTemporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }

        var configuration = DatabaseFile.configuration
        configuration.foreignKeys = false
        let copy = try Connection(
            path: folder.appendingPathComponent("copy.sqlite").path,
            configuration: configuration
        )
        copy.stopWhenCancelled()

        // In a transaction, so that the source doesn't change meanwhile.
        return try source.transaction { try RowCopy(source: source, copy: copy).run() }
    }

    private func run() throws -> Bool {
        let tables = try timeStep("create the tables") { try createTables() }
        // Without a transaction around it, each row would be a transaction of its own.
        try timeStep("copy the rows") {
            try copy.transaction { try tables.forEach(copyRows) }
        }
        try timeStep("create indexes, views and triggers") { try createOtherObjects() }
        let comparison = RowComparison(source: source, copy: copy)
        let differences = try timeStep("compare") {
            try copy.transaction { try tables.map(comparison.countDifferences) }
        }

        let counts = try tables.map { try $0.rowCount(in: copy) }
        var lines = [["table", "rows copied", "differences"]]
        for (index, table) in tables.enumerated() {
            lines.append([table.name, "\(counts[index])", "\(differences[index])"])
        }
        let total = differences.reduce(0, +)
        lines.append(["total", "\(counts.reduce(0, +))", "\(total)"])
        print()
        printTable(lines)
        return total == 0
    }

    // MARK: Schema

    func createTables() throws -> [Table] {
        for pragma in ["encoding", "application_id", "user_version"] {
            let value: BindingValue = try source.query("PRAGMA \(pragma)")
            try copy.execute("PRAGMA \(pragma) = \(value)")
        }
        // A stored row may violate a CHECK constraint that was added, or that changed its result,
        // afterwards.
        try copy.execute("PRAGMA ignore_check_constraints = ON")
        // A virtual table creates its shadow tables. Their rows are then copied like any others.
        try create("type = 'table' AND rootpage = 0")
        try create(
            "type = 'table' AND rootpage <> 0 AND name NOT GLOB 'sqlite_*' ORDER BY rowid"
        )

        let names = try Table.names(in: source)
        if names.contains("sqlite_stat1") {
            try copy.execute("ANALYZE sqlite_schema")
        }
        return try names.map { try Table(named: $0, in: source) }
    }

    /// Creates the rest of the schema. This comes after the rows, so that no trigger fires and each
    /// index is built in one go.
    func createOtherObjects() throws {
        try create("type <> 'table' AND sql IS NOT NULL ORDER BY type = 'trigger', rowid")
    }

    /// Creates those objects of the source's schema that the copy doesn't have yet.
    private func create(_ condition: String) throws {
        let objects: [(name: String, sql: String)] = try source.query(
            "SELECT name, sql FROM sqlite_schema WHERE \(condition)"
        ) { row in
            (try row.get(0), try row.get(1))
        }
        for object in objects {
            let exists: Bool = try copy.query(
                "SELECT EXISTS(SELECT 1 FROM sqlite_schema WHERE name = ?)",
                object.name
            )
            if !exists {
                try copy.execute(object.sql)
            }
        }
    }

    // MARK: Rows

    func copyRows(of table: Table) throws {
        // SQLite fills its own tables, and a virtual table its shadow tables, with a few rows.
        try copy.execute("DELETE FROM \(table.quotedName)")

        let columns = table.selected.joined(separator: ", ")
        let parameters = table.selected.map { _ in "?" }.joined(separator: ", ")
        let insert = try copy.prepare(
            "INSERT INTO \(table.quotedName)(\(columns)) VALUES(\(parameters))"
        )
        try source.forEachRow(table.selection) { row in
            try insert.bind(Cell.cells(of: row)).run()
        }
    }
}

import Foundation
import SQift

/// Copies a database table by table through values and bound parameters, and compares the copy
/// value by value.
struct RowCopy {
    let source: Connection
    let copy: Connection

    /// Copies the database at `path`, prints a line for each table, and returns whether nothing
    /// differs.
    static func run(from path: String) throws -> Bool {
        let source = try openToRead(path)
        let folder = try makeTemporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        var writing = Connection.Configuration()
        writing.foreignKeys = false
        let copy = try Connection(
            path: folder.appendingPathComponent("copy.sqlite").path,
            configuration: writing
        )
        copy.stopWhenCancelled()
        // The source doesn't change meanwhile.
        return try source.transaction { try RowCopy(source: source, copy: copy).run() }
    }

    private func run() throws -> Bool {
        let tables = try step("create the tables") { try createTables() }
        // In a transaction: else each row would be one, with its locks.
        try step("copy the rows") { try copy.transaction { try tables.forEach(copyRows) } }
        try step("create indexes, views and triggers") { try createTheRest() }
        let differences = try step("compare") {
            try copy.transaction { try tables.map(countDifferences) }
        }

        let counts: [Int] = try tables.map {
            try copy.query("SELECT count(*) FROM \($0.quotedName)")
        }
        let lines = zip(tables, zip(counts, differences)).map { [$0.name, "\($1.0)", "\($1.1)"] }
        let total = differences.reduce(0, +)
        print()
        printTable(
            [["table", "rows copied", "differences"]] + lines + [
                ["total", "\(counts.reduce(0, +))", "\(total)"]
            ]
        )
        return total == 0
    }

    // MARK: Schema

    /// A table with rows of its own, and how they are told apart.
    struct Table: Equatable {
        let name: String
        let columns: [String]
        let key: [String]

        init(named name: String, in connection: Connection) throws {
            self.name = name
            // Generated columns (hidden 2 and 3) are computed, not stored.
            columns = try connection.query(
                "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid",
                name
            )
            let taken = Set(columns.map { $0.lowercased() })
            let rowID = ["rowid", "_rowid_", "oid"].first { alias in
                let sql = "SELECT \(alias) FROM \(name.sqift.quotedIdentifier)"
                return !taken.contains(alias) && (try? connection.prepare(sql)) != nil
            }
            let primaryKey: [String] = try connection.query(
                "SELECT name FROM pragma_table_xinfo(?) WHERE pk > 0 ORDER BY pk",
                name
            )
            key = rowID.map { [$0] } ?? primaryKey
        }

        var quotedName: String { name.sqift.quotedIdentifier }
        /// The rowid where there is one, then the columns; the key first, so that its values have
        /// known places.
        var selected: [String] {
            (key + columns.filter { !key.contains($0) }).map(\.sqift.quotedIdentifier)
        }
    }

    func createTables() throws -> [Table] {
        for pragma in ["encoding", "application_id", "user_version"] {
            let value: BindingValue = try source.query("PRAGMA \(pragma)")
            try copy.execute("PRAGMA \(pragma) = \(value)")
        }
        // CHECK constraints may have been added, or have changed their result, after a row was
        // stored.
        try copy.execute("PRAGMA ignore_check_constraints = ON")
        // A virtual table makes its shadow tables, whose rows are then copied like any others.
        try create("type = 'table' AND rootpage = 0")
        try create(
            "type = 'table' AND rootpage <> 0 AND name NOT GLOB 'sqlite_*' ORDER BY rowid"
        )
        let names: [String] = try source.query(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage <> 0"
        )
        if names.contains("sqlite_stat1") {
            try copy.execute("ANALYZE sqlite_schema")
        }
        return try names.map { try Table(named: $0, in: source) }
    }

    /// After the rows, so that no trigger fires and each index is built at once.
    func createTheRest() throws {
        try create("type <> 'table' AND sql IS NOT NULL ORDER BY type = 'trigger', rowid")
    }

    /// Runs those statements of the source's schema whose object the copy doesn't have yet.
    private func create(_ condition: String) throws {
        let schema: [[String]] = try source.query(
            "SELECT name, sql FROM sqlite_schema WHERE \(condition)"
        ) { row in
            [try row.get(0), try row.get(1)]
        }
        for object in schema {
            let exists: Int? = try copy.query(
                "SELECT 1 FROM sqlite_schema WHERE name = ?",
                object[0]
            )
            if exists == nil {
                try copy.execute(object[1])
            }
        }
    }

    // MARK: Rows

    func copyRows(of table: Table) throws {
        let columns = table.selected.joined(separator: ", ")
        let places = table.selected.map { _ in "?" }.joined(separator: ", ")
        // SQLite fills its own tables, and a virtual table its shadow tables, with a few rows.
        try copy.execute("DELETE FROM \(table.quotedName)")
        let insert = try copy.prepare(
            "INSERT INTO \(table.quotedName)(\(columns)) VALUES(\(places))"
        )
        try source.forEachRow("SELECT \(columns) FROM \(table.quotedName)") { row in
            try insert.bind(cells(of: row)).run()
        }
    }

    /// How many rows are missing, are too many, or hold another value or storage class somewhere.
    func countDifferences(in table: Table) throws -> Int {
        let columns = table.selected.joined(separator: ", ")
        let key = table.key.map { "\($0.sqift.quotedIdentifier) IS ?" }.joined(separator: " AND ")
        let find = try copy.prepare("SELECT \(columns) FROM \(table.quotedName) WHERE \(key)")
        var rows = 0
        var equal = 0
        try source.forEachRow("SELECT \(columns) FROM \(table.quotedName)") { row in
            let original = try cells(of: row)
            rows += 1
            try find.bind(Array(original.prefix(table.key.count)))
            if try find.query(cells) == original {
                equal += 1
            }
        }
        let copied: Int = try copy.query("SELECT count(*) FROM \(table.quotedName)")
        return rows - equal + max(0, copied - rows)
    }

    private func cells(of row: Row) throws -> [Cell] {
        try (0..<row.columnCount).map { try row.get($0) }
    }
}

/// A value with its storage class. Text that isn't UTF-8, which a `String` can't hold, is kept as
/// its bytes.
private enum Cell: ColumnDecodable, Bindable, Equatable {
    case value(BindingValue)
    case malformedText([UInt8])

    static func decode(from row: Row, at index: Int) throws -> Cell {
        let value: BindingValue = try row.get(index)
        guard case .text(let text) = value else { return .value(value) }
        return try row.withUnsafeBytes(at: index) { bytes in
            text.utf8.elementsEqual(bytes) ? .value(value) : .malformedText(Array(bytes))
        }
    }

    var bindingValue: BindingValue {
        switch self {
        case .value(let value): value
        case .malformedText(let bytes): .text(String(decoding: bytes, as: UTF8.self))
        }
    }

    func bind(to slot: ParameterSlot) throws {
        guard case .malformedText(let bytes) = self else { return try slot.bind(bindingValue) }
        try bytes.withUnsafeBytes { try slot.bind(utf8: $0) }
    }

    /// Equal to the byte: `String` would take canonically equivalent texts for equal.
    static func == (one: Cell, other: Cell) -> Bool {
        switch (one, other) {
        case (.value(.text(let one)), .value(.text(let other))): one.utf8.elementsEqual(other.utf8)
        case (.value(let one), .value(let other)): one == other
        case (.malformedText(let one), .malformedText(let other)): one == other
        default: false
        }
    }
}

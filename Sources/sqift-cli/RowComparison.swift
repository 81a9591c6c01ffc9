import SQift

/// Compares the rows of a table in two databases, in any order.
///
/// The rowids don't count unless they are a column: VACUUM gives a table without an INTEGER PRIMARY
/// KEY new ones.
struct RowComparison {
    private struct Rows {
        let connection: Connection
        let cursor: Cursor

        init(of table: Table, in connection: Connection) throws {
            self.connection = connection
            cursor = try connection.namingFile { try $0.cursor(table.selection) }
        }
    }

    private let one: Rows
    private let other: Rows
    /// How often `one` has a row more than `other`, by the row's bytes. On the disk, if it is
    /// large: all rows can differ.
    private let surplus: Connection

    init(of table: Table, in one: Connection, _ other: Connection) throws {
        self.one = try Rows(of: table, in: one)
        self.other = try Rows(of: table, in: other)
        surplus = try Connection(storageLocation: .temporary)
        try surplus.execute(
            "CREATE TABLE surplus(row BLOB PRIMARY KEY, count INTEGER) WITHOUT ROWID; BEGIN"
        )
    }

    /// Returns how many rows are missing or surplus, or have another value or storage class. A
    /// missing row and a surplus one count as one difference together.
    func countDifferences() throws -> Int {
        while true {
            let row = try next(of: one)
            let otherRow = try next(of: other)
            if row != otherRow {
                try add(row, 1)
                try add(otherRow, -1)
            } else if row == nil {
                break
            }
        }
        return try surplus.query(
            "SELECT ifnull(max(sum(max(count, 0)), -sum(min(count, 0))), 0) FROM surplus"
        )
    }

    private func next(of rows: Rows) throws -> [UInt8]? {
        try rows.connection.namingFile { _ in try rows.cursor.next().map(bytes) }
    }

    private func add(_ row: [UInt8]?, _ count: Int) throws {
        guard let row else { return }
        try surplus.run(
            """
            INSERT INTO surplus VALUES(?, ?)
            ON CONFLICT(row) DO UPDATE SET count = count + excluded.count
            """,
            row,
            count
        )
        // This keeps it small if only the order differs a little.
        try surplus.run("DELETE FROM surplus WHERE row = ? AND count = 0", row)
    }

    /// The values and their storage classes. A `String` wouldn't do: canonically equivalent ones
    /// are equal, and text that isn't UTF-8 is repaired in it.
    private func bytes(of row: Row) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for index in 0..<row.columnCount {
            let value = try row.bindingValue(at: index)
            switch value {
            case .text, .blob:
                try row.withUnsafeBytes(at: index) {
                    let storageClass = if case .text = value { "text" } else { "blob" }
                    bytes += "\(storageClass) \($0.count) ".utf8
                    bytes += $0
                }
            default:
                bytes += "\(value) ".utf8
            }
        }
        return bytes
    }
}

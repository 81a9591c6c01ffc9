import SQift

/// A table that stores rows of its own, and the key that tells the rows apart.
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
        let primaryKey: [String] = try connection.query(
            "SELECT name FROM pragma_table_xinfo(?) WHERE pk > 0 ORDER BY pk",
            name
        )

        let columnNames = Set(columns.map { $0.lowercased() })
        let rowID = ["rowid", "_rowid_", "oid"].first { alias in
            let sql = "SELECT \(alias) FROM \(name.sqift.quotedIdentifier)"
            return !columnNames.contains(alias) && (try? connection.prepare(sql)) != nil
        }
        key = rowID.map { [$0] } ?? primaryKey
    }

    var quotedName: String {
        name.sqift.quotedIdentifier
    }

    /// The columns to select, with the key first, so that its values have known indexes. The key
    /// is the rowid if the table has one.
    var selected: [String] {
        let others = columns.filter { !key.contains($0) }
        return (key + others).map(\.sqift.quotedIdentifier)
    }

    /// Selects all rows.
    var selection: String {
        "SELECT \(selected.joined(separator: ", ")) FROM \(quotedName)"
    }

    func rowCount(in connection: Connection) throws -> Int {
        try connection.query("SELECT count(*) FROM \(quotedName)")
    }

    /// The names of the tables that store rows of their own, including SQLite's own tables.
    static func names(in connection: Connection) throws -> [String] {
        try connection.query(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage <> 0"
        )
    }
}

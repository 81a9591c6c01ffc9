import SQift

/// A table that stores rows of its own.
struct Table: Equatable {
    let name: String
    let columns: [String]

    init(named name: String, in connection: Connection) throws {
        self.name = name
        // A generated column is stored if it is STORED (hidden 3), and computed if it is VIRTUAL
        // (hidden 2).
        columns = try connection.namingFile {
            try $0.query(
                "SELECT name FROM pragma_table_xinfo(?) WHERE hidden IN (0, 3) ORDER BY cid",
                name
            )
        }
    }

    private var quotedName: String {
        name.sqift.quotedIdentifier
    }

    /// Selects all rows. An index that only one database has would change their order.
    var selection: String {
        let names = columns.map(\.sqift.quotedIdentifier)
        return "SELECT \(names.joined(separator: ", ")) FROM \(quotedName) NOT INDEXED"
    }

    func rowCount(in connection: Connection) throws -> Int {
        try connection.namingFile { try $0.query("SELECT count(*) FROM \(quotedName)") }
    }

    /// The names of the tables that store rows of their own, including SQLite's own tables.
    static func names(in connection: Connection) throws -> [String] {
        try connection.namingFile {
            try $0.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage <> 0")
        }
    }

    /// The names of the virtual tables.
    static func virtualNames(in connection: Connection) throws -> [String] {
        try connection.namingFile {
            try $0.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage = 0")
        }
    }
}

import SQift

/// Checks the virtual tables of a database, which is only read.
///
/// SQLite: [PRAGMA integrity_check](https://sqlite.org/pragma.html#pragma_integrity_check) calls
/// the modules' own checks since 3.44. Before, they are called here.
struct VirtualTableCheck {
    private let connection: Connection
    private let callsModules =
        Connection.sqliteVersion.compare("3.44", options: .numeric) != .orderedAscending
    /// A temporary copy of the database: the check of a full-text index is a write.
    private var copy: Connection?

    init(_ connection: Connection) {
        self.connection = connection
    }

    mutating func run() throws -> Check.Findings {
        var findings = Check.Findings()
        let tables = try connection.query(
            """
            SELECT name, sql FROM main.sqlite_schema
            WHERE type = 'table' AND rootpage = 0 ORDER BY name
            """,
            as: (String, SQL).self
        )
        for (name, sql) in tables {
            do {
                // This loads the module.
                try connection.run("SELECT * FROM main.\(name.sqift.quotedIdentifier) LIMIT 0")
                if !callsModules {
                    findings.problems += try problems(of: name, module: module(in: sql))
                }
            } catch let error as SQLiteError where error.isDamage {
                findings.problems.append("table \(name): \(error.message)")
            } catch let error as SQLiteError where error.resultCode != .interrupt {
                findings.unchecked.append("table \(name): \(error.message)")
            } catch let error as BackupError {
                // The copy of an encrypted database would need its key.
                findings.unchecked.append("table \(name): \(error.message)")
            }
        }
        return findings
    }

    private mutating func problems(of name: String, module: String) throws -> [String] {
        switch module {
        case "fts3", "fts4", "fts5":
            let table = name.sqift.quotedIdentifier
            try writableCopy().run("INSERT INTO main.\(table)(\(table)) VALUES('integrity-check')")
            return []
        case "rtree", "rtree_i32":
            let message: String = try connection.query("SELECT rtreecheck('main', ?)", name)
            return message == "ok" ? [] : ["table \(name): \(message)"]
        default:
            return []
        }
    }

    private mutating func writableCopy() throws -> Connection {
        if let copy {
            return copy
        }
        var configuration = Connection.Configuration()
        configuration.hardened = true
        let copy = try Connection(storageLocation: .temporary, configuration: configuration)
        try connection.backup(to: copy)
        self.copy = copy
        return copy
    }

    /// The module's name in small letters.
    private func module(in sql: SQL) -> String {
        let using = sql.range(of: #"\bUSING\s+"#, options: [.regularExpression, .caseInsensitive])
        let rest = sql[(using?.upperBound ?? sql.startIndex)...]
        return rest.drop { "\"`[".contains($0) }.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            .lowercased()
    }
}

import Foundation
import SQift

/// The contents of a database, for comparison with another's: its schema, its rows, and the names
/// of its migrations.
package struct Contents: Equatable, CustomStringConvertible {
    /// The objects in `main`, each in one line without quotation marks and white space.
    package let schema: [String]
    /// The rows of each table, quoted.
    package let rows: [String: [String]]
    /// The names of the migrations in the order in which they ran; nil if the database has no
    /// records of migrations.
    package var names: [String]?

    package init(_ connection: Connection) throws {
        let own = "tbl_name IN ('sqift_migrations', 'schema_migrations')"
        let sql =
            "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || ifnull(sql, '') FROM main.sqlite_schema"
        let lines: [String] = try connection.query("\(sql) WHERE NOT \(own) ORDER BY type, name")
        schema = lines.map { line in line.filter { !$0.isWhitespace && $0 != "\"" } }

        let isTable = "type = 'table' AND (sql LIKE 'CREATE TABLE%' OR name = 'sqlite_sequence')"
        let tables: [String] = try connection.query(
            "SELECT name FROM main.sqlite_schema WHERE \(isTable) AND name <> 'sqift_migrations'"
        )
        var rows: [String: [String]] = [:]
        for table in tables {
            // Not the time at which a version was recorded.
            let columns = try connection.columns(in: table, database: "main").map(\.name).filter {
                $0 != "migration_timestamp"
            }
            let values = columns.map { "quote(\(quoted($0)))" }.joined(separator: " || ', ' || ")
            rows[table] = try connection.query(
                "SELECT CAST(\(values) AS TEXT) FROM main.\(quoted(table)) ORDER BY 1"
            )
        }
        self.rows = rows
        names = try recordedNames(on: connection)
    }

    /// The same contents with other names of migrations.
    package func with(names: [String]?) -> Contents {
        var copy = self
        copy.names = names
        return copy
    }

    package var description: String {
        "\(schema.joined(separator: "\n"))\n\(rows.sorted { $0.key < $1.key })\n\(names ?? ["no bookkeeping"])"
    }
}

package func quoted(_ identifier: String) -> String {
    "\"" + identifier.replacingOccurrences(of: "\"", with: "\"\"") + "\""
}

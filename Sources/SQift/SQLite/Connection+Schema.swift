// Names are compared as in SQLite: the case of ASCII letters is ignored. A name without a
// database's name is looked up as in SQL: first in `temp`, then in `main`, then in the attached
// databases in their order.
//
// The pragmas are asked by their table-valued functions, which SQLite finds in any database. In
// `temp` no malicious file can have a table with such a name.
extension Connection {
    /// Returns the names of a database's tables, ordinary and virtual ones, in their order as text.
    /// Views and the schema's own tables don't count; the tables that a virtual table keeps its
    /// content in do.
    ///
    /// - Parameter database: The database's name: `temp`, or that of an attached one.
    /// - Throws: ``SQLiteError``, for example if the database doesn't exist.
    ///
    /// SQLite: [The Schema Table](https://sqlite.org/schematab.html)
    public func tables(in database: String = "main") throws -> [String] {
        try query(
            """
            SELECT name FROM \(database.quotedAsIdentifier).sqlite_schema
            WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'
            ORDER BY name
            """
        )
    }

    /// Returns whether a table with this name exists: an ordinary or a virtual table. A view and
    /// the schema's own tables don't count.
    ///
    /// - Parameters:
    ///   - name: The table's name.
    ///   - database: The name of the database to look in.
    /// - Throws: ``SQLiteError``, for example if the database doesn't exist.
    ///
    /// SQLite: [The Schema Table](https://sqlite.org/schematab.html)
    public func tableExists(_ name: String, database: String? = nil) throws -> Bool {
        try find("'table'", named: name, in: database) != nil
    }

    /// Returns whether a view with this name exists.
    ///
    /// - Parameters:
    ///   - name: The view's name.
    ///   - database: The name of the database to look in.
    /// - Throws: ``SQLiteError``, for example if the database doesn't exist.
    ///
    /// SQLite: [The Schema Table](https://sqlite.org/schematab.html)
    public func viewExists(_ name: String, database: String? = nil) throws -> Bool {
        try find("'view'", named: name, in: database) != nil
    }

    /// Returns the columns of a table or a view, in order, including hidden and generated ones.
    ///
    /// ```swift
    /// for column in try connection.columns(in: "cars") {
    ///     print(column.name, column.declaredType)  // name TEXT
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - table: The name of the table or view.
    ///   - database: The name of its database.
    /// - Throws: ``SQLiteError`` if there is no such table or view.
    ///
    /// SQLite: [PRAGMA table_xinfo](https://sqlite.org/pragma.html#pragma_table_xinfo)
    public func columns(in table: String, database: String? = nil) throws -> [TableColumn] {
        try query(
            """
            SELECT
                name,
                ifnull(type, '') AS declaredType,
                "notnull" AS isNotNull,
                dflt_value AS defaultValue,
                nullif(pk, 0) AS primaryKeyPosition,
                hidden AS kind
            FROM temp.pragma_table_xinfo(?, ?)
            """,
            table,
            existingDatabase(of: table, in: database)
        )
    }

    /// Returns the columns of a table's primary key, in the key's order; an empty array if the
    /// table has only its rowid.
    ///
    /// - Parameters:
    ///   - table: The table's name.
    ///   - database: The name of its database.
    /// - Throws: ``SQLiteError`` if there is no such table or view.
    public func primaryKey(of table: String, database: String? = nil) throws -> [String] {
        try query(
            "SELECT name FROM temp.pragma_table_xinfo(?, ?) WHERE pk ORDER BY pk",
            table,
            existingDatabase(of: table, in: database)
        )
    }

    /// Returns the indexes of a table, by name, including those of its constraints.
    ///
    /// An `INTEGER PRIMARY KEY` is the rowid and has no index. A table `WITHOUT ROWID` is the index
    /// of its primary key.
    ///
    /// - Parameters:
    ///   - table: The table's name.
    ///   - database: The name of its database.
    /// - Throws: ``SQLiteError`` if there is no such table or view.
    ///
    /// SQLite: [PRAGMA index_list](https://sqlite.org/pragma.html#pragma_index_list)
    public func indexes(on table: String, database: String? = nil) throws -> [TableIndex] {
        let database = try existingDatabase(of: table, in: database)
        return try query(
            """
            SELECT name, "unique", origin, partial FROM temp.pragma_index_list(?, ?)
            ORDER BY name
            """,
            table,
            database
        ) { row in
            let name: String = try row.get(0)
            return TableIndex(
                name: name,
                isUnique: try row.get(1),
                origin: TableIndex.Origin(rawValue: try row.get(2)) ?? .createIndex,
                isPartial: try row.get(3),
                // The columns that aren't of the key only lead to the row.
                columns: try query(
                    """
                    SELECT name, "desc" AS isDescending, coll AS collation
                    FROM temp.pragma_index_xinfo(?, ?)
                    WHERE "key"
                    ORDER BY seqno
                    """,
                    name,
                    database
                )
            )
        }
    }

    /// Returns the foreign keys of a table, in the order of their declaration.
    ///
    /// - Parameters:
    ///   - table: The table's name.
    ///   - database: The name of its database.
    /// - Throws: ``SQLiteError`` if there is no such table or view.
    ///
    /// SQLite: [PRAGMA foreign_key_list](https://sqlite.org/pragma.html#pragma_foreign_key_list)
    public func foreignKeys(of table: String, database: String? = nil) throws -> [ForeignKey] {
        let database = try existingDatabase(of: table, in: database)
        return try foreignKeysByID(of: table, database: database)
            .sorted { $0.key > $1.key }
            .map(\.value)
    }

    /// Returns the foreign keys by SQLite's number. The last one has number 0.
    func foreignKeysByID(of table: String, database: String) throws -> [Int: ForeignKey] {
        let rows: [Row] = try query(
            "SELECT * FROM temp.pragma_foreign_key_list(?, ?)",
            table,
            database
        )
        return try Dictionary(grouping: rows) { try $0.get("id") as Int }.mapValues { rows in
            ForeignKey(
                parentTable: try rows[0].get("table"),
                columns: try rows.map { try $0.get("from") },
                parentColumns: try rows.compactMap { try $0.get("to") as String? },
                onUpdate: try rows[0].get("on_update"),
                onDelete: try rows[0].get("on_delete")
            )
        }
    }

    /// Returns the triggers on a table or a view, by name.
    ///
    /// The result includes this connection's temporary triggers on any database's table with this
    /// name: the schema doesn't say which database they are for, but their SQL may.
    ///
    /// - Parameters:
    ///   - table: The name of the table or view.
    ///   - database: The name of its database.
    /// - Throws: ``SQLiteError`` if there is no such table or view.
    ///
    /// SQLite: [The Schema Table](https://sqlite.org/schematab.html)
    public func triggers(on table: String, database: String? = nil) throws -> [Trigger] {
        let database = try existingDatabase(of: table, in: database)
        let isTemporary = database.lowercased() == "temp"
        return try query(
            """
            SELECT name, sql, ?2 AS isTemporary FROM \(database.quotedAsIdentifier).sqlite_schema
            WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE
            UNION ALL
            SELECT name, sql, 1 FROM temp.sqlite_schema
            WHERE NOT ?2 AND type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE
            ORDER BY name
            """,
            table,
            isTemporary
        )
    }

    /// Returns a number that changes with every change of a schema.
    ///
    /// SQLite: [PRAGMA schema_version](https://sqlite.org/pragma.html#pragma_schema_version)
    func schemaVersion(of database: String = "main") throws -> Int {
        try query("PRAGMA \(database.quotedAsIdentifier).schema_version")
    }

    /// Returns the names of all databases, in the order in which SQLite looks for a name without a
    /// database's name. With an argument, returns only that.
    func databases(_ database: String?) throws -> [String] {
        let names: [String] = try query(
            "SELECT name FROM temp.pragma_database_list WHERE name <> 'temp' ORDER BY seq"
        )
        guard let database else { return ["temp"] + names }
        return [names.first { $0.equalsIgnoringASCIICase(database) } ?? database]
    }

    /// Returns the first table or view of these types with this name. Both names in the result are
    /// spelled as in the schema.
    func find(
        _ types: SQL,
        named name: String,
        in database: String?
    ) throws -> StatementObserver.Table? {
        for database in try databases(database) {
            let found: String? = try query(
                """
                SELECT name FROM \(database.quotedAsIdentifier).sqlite_schema
                WHERE type IN (\(types)) AND name = ? COLLATE NOCASE
                """,
                name
            )
            if let found {
                return StatementObserver.Table(database: database, name: found)
            }
        }
        return nil
    }

    private func existingDatabase(of table: String, in database: String?) throws -> String {
        if let found = try find("'table', 'view'", named: table, in: database) {
            return found.database
        }
        let name = database.map { "\($0).\(table)" } ?? table
        throw SQLiteError(code: .error, message: "no such table or view: \(name)")
    }
}

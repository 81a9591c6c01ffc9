// Questions about the schema. Names are matched as SQLite matches them, ASCII letters in either
// case. Without a database's name they mean what an unqualified name means in SQL: first `temp`,
// then `main`, then the attached databases in their order.
extension Connection {
    /// Whether there is a table with this name: an ordinary or a virtual one, no view, and not the
    /// schema's own tables.
    ///
    /// - Parameter database: The name of the database to look in.
    /// - Throws: `SQLiteError`, for a database that isn't there too.
    ///
    /// https://sqlite.org/schematab.html
    public func tableExists(_ name: String, database: String? = nil) throws -> Bool {
        try databaseHolding(name, types: "'table'", database) != nil
    }

    /// Whether there is a view with this name.
    ///
    /// - Parameter database: The name of the database to look in.
    /// - Throws: `SQLiteError`, for a database that isn't there too.
    ///
    /// https://sqlite.org/schematab.html
    public func viewExists(_ name: String, database: String? = nil) throws -> Bool {
        try databaseHolding(name, types: "'view'", database) != nil
    }

    /// The columns of a table or a view, in order, hidden and generated ones too.
    ///
    /// - Parameter database: The name of the database that it is in.
    /// - Throws: `SQLiteError` if there is no such table or view.
    ///
    /// https://sqlite.org/pragma.html#pragma_table_xinfo
    public func columns(in table: String, database: String? = nil) throws -> [TableColumn] {
        let database = try existingDatabase(of: table, database)
        return try query(pragma("table_xinfo", table, database)) { row in
            let position: Int = try row.get("pk")
            return TableColumn(
                name: try row.get("name"),
                declaredType: try row.get("type") ?? "",
                isNotNull: try row.get("notnull"),
                defaultValue: try row.get("dflt_value"),
                primaryKeyPosition: position == 0 ? nil : position,
                kind: TableColumn.Kind(rawValue: try row.get("hidden")) ?? .ordinary
            )
        }
    }

    /// The columns of a table's primary key, in the key's order; empty where the table has none but
    /// its rowid.
    ///
    /// - Parameter database: The name of the database that it is in.
    /// - Throws: `SQLiteError` if there is no such table or view.
    public func primaryKey(of table: String, database: String? = nil) throws -> [String] {
        try columns(in: table, database: database).filter { $0.primaryKeyPosition != nil }.sorted {
            ($0.primaryKeyPosition ?? 0) < ($1.primaryKeyPosition ?? 0)
        }.map(\.name)
    }

    /// The indexes of a table, by name, those of its constraints too.
    ///
    /// An `INTEGER PRIMARY KEY` is the rowid and has no index; a table `WITHOUT ROWID` is its
    /// primary key's.
    ///
    /// - Parameter database: The name of the database that it is in.
    /// - Throws: `SQLiteError` if there is no such table or view.
    ///
    /// https://sqlite.org/pragma.html#pragma_index_list
    public func indexes(on table: String, database: String? = nil) throws -> [TableIndex] {
        let database = try existingDatabase(of: table, database)
        let indexes: [TableIndex] = try query(pragma("index_list", table, database)) { row in
            let name: String = try row.get("name")
            let columns: [TableIndex.Column?] = try query(pragma("index_xinfo", name, database)) {
                row in
                // What isn't of the key is there to find the row.
                guard try row.get("key") else { return nil }
                return TableIndex.Column(
                    name: try row.get("name"),
                    isDescending: try row.get("desc"),
                    collation: try row.get("coll")
                )
            }
            return TableIndex(
                name: name,
                isUnique: try row.get("unique"),
                origin: TableIndex.Origin(rawValue: try row.get("origin")) ?? .createIndex,
                isPartial: try row.get("partial"),
                columns: columns.compactMap { $0 }
            )
        }
        return indexes.sorted { $0.name < $1.name }
    }

    /// The foreign keys of a table, in the order of their declaration.
    ///
    /// - Parameter database: The name of the database that it is in.
    /// - Throws: `SQLiteError` if there is no such table or view.
    ///
    /// https://sqlite.org/pragma.html#pragma_foreign_key_list
    public func foreignKeys(of table: String, database: String? = nil) throws -> [ForeignKey] {
        try foreignKeysByID(of: table, database: existingDatabase(of: table, database)).sorted {
            $0.key > $1.key
        }.map(
            \.value
        )
    }

    /// SQLite numbers the foreign keys from the last one on.
    func foreignKeysByID(of table: String, database: String) throws -> [Int: ForeignKey] {
        try query(pragma("foreign_key_list", table, database)) { (found: [Int: ForeignKey], row) in
            let id: Int = try row.get("id")
            let parentColumn: String? = try row.get("to")
            let key = ForeignKey(
                parentTable: try row.get("table"),
                columns: (found[id]?.columns ?? []) + [try row.get("from")],
                parentColumns: (found[id]?.parentColumns ?? []) + (parentColumn.map { [$0] } ?? []),
                onUpdate: try row.get("on_update"),
                onDelete: try row.get("on_delete")
            )
            return (id, key)
        }
    }

    /// The triggers on a table or a view, by name.
    ///
    /// This connection's temporary triggers are among them, whichever database's table of that name
    /// they are on: the schema doesn't tell, but their SQL may.
    ///
    /// - Parameter database: The name of the database that it is in.
    /// - Throws: `SQLiteError` if there is no such table or view.
    ///
    /// https://sqlite.org/schematab.html
    public func triggers(on table: String, database: String? = nil) throws -> [Trigger] {
        let database = try existingDatabase(of: table, database)
        let isTemporary = database.lowercased() == "temp"
        let condition = "type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE"
        let own =
            "SELECT name, sql, ?2 FROM \(database.quotedAsIdentifier).sqlite_schema WHERE \(condition)"
        let temporary = "SELECT name, sql, 1 FROM temp.sqlite_schema WHERE NOT ?2 AND \(condition)"
        return try query("\(own) UNION ALL \(temporary) ORDER BY name", table, isTemporary) { row in
            Trigger(name: try row.get(0), sql: try row.get(1), isTemporary: try row.get(2))
        }
    }

    /// A number that each change of a schema changes.
    /// https://sqlite.org/pragma.html#pragma_schema_version
    func schemaVersion(of database: String = "main") throws -> Int {
        try query("PRAGMA \(database.quotedAsIdentifier).schema_version")
    }

    /// The names of all databases in the order in which SQLite looks for an unqualified name, or
    /// the one that is asked for.
    func databases(_ database: String?) throws -> [String] {
        if let database {
            return [database]
        }
        let names: [String] = try query("PRAGMA database_list") { try $0.get("name") }
        return ["temp"] + names.filter { $0 != "temp" }
    }

    /// A pragma itself, and not the function of its name: a malicious schema can have a table with
    /// the function's name.
    private func pragma(_ pragma: SQL, _ name: String, _ database: String) -> SQL {
        "PRAGMA \(database.quotedAsIdentifier).\(pragma)(\(name.quotedAsIdentifier))"
    }

    /// The database whose schema has an object of these types with this name.
    private func databaseHolding(_ name: String, types: SQL, _ database: String?) throws -> String?
    {
        try databases(database).first { database in
            let schema = "\(database.quotedAsIdentifier).sqlite_schema"
            let condition = "type IN (\(types)) AND name = ? COLLATE NOCASE"
            return try query("SELECT EXISTS(SELECT 1 FROM \(schema) WHERE \(condition))", name)
        }
    }

    private func existingDatabase(of table: String, _ database: String?) throws -> String {
        if let found = try databaseHolding(table, types: "'table', 'view'", database) {
            return found
        }
        let name = database.map { "\($0).\(table)" } ?? table
        throw SQLiteError(code: .error, message: "no such table or view: \(name)")
    }
}

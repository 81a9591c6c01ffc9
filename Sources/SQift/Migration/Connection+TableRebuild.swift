extension Connection {
    /// Gives a table another definition, for changes that ALTER TABLE can't make: to a constraint,
    /// a type, a foreign key, a key or the order of the columns.
    ///
    /// ```swift
    /// Migration("2024-07-cars-have-owners") { connection in
    ///     let columns = """
    ///         id INTEGER PRIMARY KEY, name TEXT NOT NULL,
    ///         owner INTEGER NOT NULL REFERENCES people
    ///         """
    ///     try connection.rebuildTable("cars", columns: columns) { old, new in
    ///         try connection.run(
    ///             "INSERT INTO \(new) SELECT id, name, coalesce(owner_id, 1) FROM \(old)"
    ///         )
    ///     }
    /// }
    /// ```
    ///
    /// It follows SQLite's manual. In one transaction, it creates a new table, copies the rows,
    /// drops the old table, renames the new one, and creates the old table's indexes and triggers
    /// again. The counter of an AUTOINCREMENT is kept. Foreign keys, triggers and views of other
    /// tables still refer to the table.
    ///
    /// Use it in migrations: if foreign keys were enforced, dropping the old table would delete the
    /// rows of its children.
    ///
    /// - Parameters:
    ///   - table: The table, in `main`.
    ///   - columns: The text between the parentheses of its new CREATE TABLE.
    ///   - options: The text after the parentheses, such as `STRICT`.
    ///   - copy: Copies all rows from the old table to the new one. It receives their quoted names.
    ///     If the table has no INTEGER PRIMARY KEY and something refers to its `rowid`, such as a
    ///     full-text index, copy the `rowid` too.
    /// - Throws: ``SQLiteError``; the table is then as it was. `SQLITE_MISUSE` if foreign keys are
    ///   enforced, or a temporary table hides the table. `SQLITE_CONSTRAINT` if the number of rows
    ///   changes; if you want to delete rows, do it before. SQLite's own errors, for example for an
    ///   index on a column that no longer exists; drop that index before. This connection's own
    ///   temporary triggers on the table are dropped.
    ///
    /// <https://sqlite.org/lang_altertable.html#otheralter>
    public func rebuildTable(
        _ table: String,
        columns: SQL,
        options: SQL = "",
        copying copy: (_ old: SQL, _ new: SQL) throws -> Void
    ) throws {
        try refuseRunningStatements("\(table) can't be rebuilt")
        try checkBeforeRebuilding(table)
        let old = "main.\(table.quotedAsIdentifier)"
        let new = "main.\("sqift rebuilds \(table)".quotedAsIdentifier)"
        try transaction {
            let isDependent =
                "tbl_name = ? COLLATE NOCASE AND type IN ('index', 'trigger') AND sql NOTNULL"
            let dependents: [SQL] = try query(
                "SELECT sql FROM main.sqlite_schema WHERE \(isDependent) ORDER BY rowid",
                table
            )
            let counter = try autoincrementCounter(of: table)
            let expressionCounts = try countIndexExpressions(of: table)

            // The line break ends a comment (`--`) at the end of `columns`.
            try run("CREATE TABLE \(new)(\(columns)\n) \(options)")
            try copy(old, new)
            try checkCount(of: table, old: old, new: new)

            try run("DROP TABLE \(old)")
            // Otherwise views and triggers that mention the old table would prevent the renaming.
            try setting(.legacyAlterTable, to: true) {
                try run("ALTER TABLE \(new) RENAME TO \(table.quotedAsIdentifier)")
            }
            for sql in dependents {
                try run(sql)
            }
            let newCounts = try countIndexExpressions(of: table)
            if let index = newCounts.first(where: { expressionCounts[$0.key] != $0.value })?.key {
                throw SQLiteError(
                    code: .error,
                    message: "the index \(index) has a column that no longer exists: drop it before"
                )
            }
            if let counter, columns.lowercased().contains("autoincrement") {
                try setAutoincrementCounter(of: table, toAtLeast: counter)
            }
        }
    }

    private func checkBeforeRebuilding(_ table: String) throws {
        if try tableExists(table, database: "temp") {
            throw SQLiteError.misuse("\(table) can't be rebuilt while a temporary table hides it")
        }
        if try query("PRAGMA foreign_keys") {
            throw SQLiteError.misuse(
                "\(table) can't be rebuilt: foreign keys are enforced, and dropping the old table "
                    + "would delete the rows of its children. Rebuild it in a Migrator's migration"
            )
        }
    }

    private func checkCount(of table: String, old: SQL, new: SQL) throws {
        let count: Int = try query("SELECT count(*) FROM \(old)")
        let newCount: Int = try query("SELECT count(*) FROM \(new)")
        guard count == newCount else {
            let change = "\(count.counted("row")) in \(table) became \(newCount)"
            throw SQLiteError(
                code: .constraint,
                message: "\(change): delete rows before, if that is meant"
            )
        }
    }

    /// How many expressions each index has. A column that doesn't exist becomes one, if its name is
    /// in double quotation marks: SQLite takes it for a text.
    private func countIndexExpressions(of table: String) throws -> [String: Int] {
        let count = "SELECT count(*) FROM pragma_index_xinfo(list.name, 'main') WHERE cid = -2"
        return try query(
            "SELECT name, (\(count)) FROM pragma_index_list(?, 'main') AS list WHERE origin = 'c'",
            table
        )
    }

    /// Returns the last number that AUTOINCREMENT gave, or nil if it gave none.
    private func autoincrementCounter(of table: String) throws -> Int64? {
        guard try tableExists("sqlite_sequence", database: "main") else { return nil }
        return try query(
            "SELECT max(seq) FROM main.sqlite_sequence WHERE name = ? COLLATE NOCASE",
            table
        )
    }

    private func setAutoincrementCounter(of table: String, toAtLeast counter: Int64) throws {
        let copied = try autoincrementCounter(of: table) ?? 0
        try run("DELETE FROM main.sqlite_sequence WHERE name = ? COLLATE NOCASE", table)
        try run("INSERT INTO main.sqlite_sequence VALUES(?, ?)", table, max(counter, copied))
    }
}

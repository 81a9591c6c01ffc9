extension Connection {
    /// Gives a table another definition, for what ALTER TABLE can't do: a constraint, a type, a
    /// foreign key, a key, the order of columns.
    ///
    /// ```swift
    /// Migration("2024-07-cars-have-owners") { connection in
    ///     let columns = "id INTEGER PRIMARY KEY, name TEXT NOT NULL, owner INTEGER NOT NULL REFERENCES people"
    ///     try connection.rebuildTable("cars", columns: columns) { old, new in
    ///         try connection.run("INSERT INTO \(new) SELECT id, name, coalesce(owner_id, 1) FROM \(old)")
    ///     }
    /// }
    /// ```
    ///
    /// It goes as SQLite's manual says, in one transaction: a new table, the rows, the old table
    /// dropped, the new one renamed, and then the indexes and triggers of the old one as they were
    /// written. An AUTOINCREMENT keeps its counter; foreign keys, triggers and views of other
    /// tables go on meaning this one. It is made for migrations: with foreign keys enforced,
    /// dropping the old table would delete the rows of its children.
    ///
    /// - Parameters:
    ///   - table: The table, in `main`.
    ///   - columns: What stands between the parentheses of its new CREATE TABLE.
    ///   - options: What stands after them, such as `STRICT`.
    ///   - copy: Copies the rows from the old table to the new one, whose quoted names it is given:
    ///     all of them, and the `rowid` where the table has no INTEGER PRIMARY KEY and something, a
    ///     full-text index for instance, refers to it.
    /// - Throws: `SQLiteError`: `SQLITE_MISUSE` where foreign keys are enforced, or a temporary
    ///   table hides the table; `SQLITE_CONSTRAINT` if the new table has fewer rows, or more
    ///   (delete rows before, if that is meant); and what SQLite says, for an index on a column
    ///   that is gone for instance: drop that before. The table is then as it was. This
    ///   connection's own temporary triggers on the table are dropped.
    ///
    /// https://sqlite.org/lang_altertable.html#otheralter
    public func rebuildTable(
        _ table: String,
        columns: SQL,
        options: SQL = "",
        copying copy: (_ old: SQL, _ new: SQL) throws -> Void
    ) throws {
        if try tableExists(table, database: "temp") {
            throw SQLiteError.misuse("\(table) can't be rebuilt while a temporary table hides it")
        }
        if try query("PRAGMA foreign_keys") {
            let reason =
                "foreign keys are enforced, and dropping the old table would delete the rows of its children"
            throw SQLiteError.misuse(
                "\(table) can't be rebuilt: \(reason). Rebuild it in a Migrator's migration"
            )
        }
        let old = "main.\(table.quotedAsIdentifier)"
        let new = "main.\("sqift rebuilds \(table)".quotedAsIdentifier)"
        try transaction {
            let isOwn =
                "tbl_name = ? COLLATE NOCASE AND type IN ('index', 'trigger') AND sql NOTNULL"
            let dependents: [SQL] = try query(
                "SELECT sql FROM main.sqlite_schema WHERE \(isOwn) ORDER BY rowid",
                table
            )
            try run("CREATE TABLE \(new)(\(columns)\n) \(options)")
            let hasCounter = "main.sqlite_sequence WHERE name = ? COLLATE NOCASE"
            let hasCounters = try tableExists("sqlite_sequence", database: "main")
            let counter: Int64? =
                try hasCounters ? query("SELECT seq FROM \(hasCounter)", table) : nil
            try copy(old, new)
            let counts: [Int] = try query(
                "SELECT count(*) FROM \(old) UNION ALL SELECT count(*) FROM \(new)"
            )
            guard counts[0] == counts[1] else {
                let message =
                    "\(counts[0]) rows in \(table) became \(counts[1]): delete rows before, if that is meant"
                throw SQLiteError(code: .constraint, message: message)
            }
            try run("DROP TABLE \(old)")
            // Else views and triggers that mention the old table would keep SQLite from renaming.
            let renaming = "ALTER TABLE \(new) RENAME TO \(table.quotedAsIdentifier)"
            try setting(.legacyAlterTable, to: true) { try run(renaming) }
            for sql in dependents {
                try run(sql)
            }
            if let counter, columns.lowercased().contains("autoincrement") {
                let copied: Int64 = try query(
                    "SELECT ifnull(max(seq), 0) FROM \(hasCounter)",
                    table
                )
                try run("DELETE FROM \(hasCounter)", table)
                try run(
                    "INSERT INTO main.sqlite_sequence VALUES(?, ?)",
                    table,
                    max(counter, copied)
                )
            }
        }
    }
}

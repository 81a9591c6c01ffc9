import Foundation

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
    /// tables still refer to the table. What ANALYZE has found out about it is gone.
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
    ///   enforced, the table is a virtual one, or a temporary table or view hides it.
    ///   `SQLITE_CONSTRAINT` if the number of rows changes; if you want to delete rows, do it
    ///   before. SQLite's own errors, for example for an index, a view or a trigger that uses a
    ///   column that no longer exists; drop it before. In `columns` and in the table's indexes,
    ///   double quotes enclose names only, not strings. This connection's own temporary triggers on
    ///   the table are dropped.
    ///
    /// SQLite: [Making Other Kinds Of Table Schema
    /// Changes](https://sqlite.org/lang_altertable.html#otheralter)
    public func rebuildTable(
        _ table: String,
        columns: SQL,
        options: SQL = "",
        copying copy: (_ old: SQL, _ new: SQL) throws -> Void
    ) throws {
        try refuseRunningStatements("\(table) can't be rebuilt")
        try checkBeforeRebuilding(table)
        do {
            try rebuild(table, columns: columns, options: options, copying: copy)
        } catch let error as SQLiteError {
            throw error.withoutTemporaryName
        }
    }

    private func rebuild(
        _ table: String,
        columns: SQL,
        options: SQL,
        copying copy: (_ old: SQL, _ new: SQL) throws -> Void
    ) throws {
        let newName = SQLiteError.temporaryNamePrefix + table
        let old = "main.\(table.quotedAsIdentifier)"
        let new = "main.\(newName.quotedAsIdentifier)"
        try transaction {
            let dependents: [SQL] = try query(
                """
                SELECT sql FROM main.sqlite_schema
                WHERE tbl_name = ? COLLATE NOCASE
                    AND type IN ('index', 'trigger')
                    AND sql NOTNULL
                ORDER BY rowid
                """,
                table
            )
            let oldDefect = try schemaDefect()

            try withoutTextInDoubleQuotes {
                // The line break ends a comment (`--`) at the end of `columns`.
                try run("CREATE TABLE \(new)(\(columns)\n) \(options)")
            }
            try copy(old, new)
            try checkCount(of: table, old: old, new: new)
            if columns.lowercased().contains("autoincrement") {
                try copyAutoincrementCounter(from: table, to: newName)
            }

            try run("DROP TABLE \(old)")
            // Otherwise views and triggers that mention the old table would prevent the renaming.
            try withPragma("legacy_alter_table", isOn: true) {
                try run("ALTER TABLE \(new) RENAME TO \(table.quotedAsIdentifier)")
            }
            try withoutTextInDoubleQuotes {
                for sql in dependents {
                    try run(sql)
                }
            }
            if oldDefect == nil, let defect = try schemaDefect() {
                throw SQLiteError(code: .error, message: "\(defect): drop or change it before")
            }
        }
    }

    private func checkBeforeRebuilding(_ table: String) throws {
        if try query(
            """
            SELECT EXISTS(
                SELECT 1 FROM temp.sqlite_schema
                WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')
            )
            """,
            table
        ) {
            throw misuse("\(table) can't be rebuilt while a temporary table or view hides it")
        }
        if try query(
            """
            SELECT EXISTS(
                SELECT 1 FROM main.sqlite_schema
                WHERE name = ? COLLATE NOCASE AND type = 'table' AND rootpage = 0
            )
            """,
            table
        ) {
            throw misuse("\(table) can't be rebuilt: it is a virtual table")
        }
        if try query("PRAGMA foreign_keys") {
            throw misuse(
                """
                \(table) can't be rebuilt: foreign keys are enforced, and dropping the old table \
                would delete the rows of its children. Rebuild it in a Migrator's migration
                """
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

    /// What SQLite finds wrong in the schema, for example a view or a trigger that uses a column
    /// that doesn't exist. A string in double quotes is wrong as well, since it may have been a
    /// column's name.
    private func schemaDefect() throws -> String? {
        do {
            // When SQLite renames a table, it checks the whole schema.
            try savepoint {
                try run("CREATE TABLE main.\"sqift checks\"(x)")
                try withPragma("legacy_alter_table", isOn: false) {
                    try withoutTextInDoubleQuotes {
                        try run("ALTER TABLE main.\"sqift checks\" RENAME TO \"sqift checked\"")
                    }
                }
                try run("DROP TABLE main.\"sqift checked\"")
            }
            return nil
        } catch let error as SQLiteError where error.resultCode == .error {
            return error.message
        }
    }

    /// Lets the AUTOINCREMENT of a new table go on after the last number that the old one gave.
    private func copyAutoincrementCounter(from table: String, to new: String) throws {
        let last = """
            SELECT max(seq) FROM main.sqlite_sequence
            WHERE name COLLATE NOCASE IN (?, ?)
            """
        guard try tableExists("sqlite_sequence", database: "main"),
            let counter: Int64 = try query(last, table, new)
        else { return }
        try run("DELETE FROM main.sqlite_sequence WHERE name = ?", new)
        try run("INSERT INTO main.sqlite_sequence VALUES(?, ?)", new, counter)
    }
}

extension SQLiteError {
    /// What the name of a new table begins with until it has the old one's.
    fileprivate static let temporaryNamePrefix = "sqift rebuilds "

    /// The same error with the table's own name in its message and in its SQL.
    fileprivate var withoutTemporaryName: SQLiteError {
        let prefix = Self.temporaryNamePrefix
        func removed(from text: String) -> String {
            text.replacingOccurrences(of: prefix, with: "")
        }
        var newOffset = offset
        if let sql, let offset {
            let before = String(decoding: sql.utf8.prefix(offset), as: UTF8.self)
            newOffset = removed(from: before).utf8.count
        }
        return SQLiteError(
            code: extendedResultCode,
            message: removed(from: message),
            sql: sql.map(removed),
            offset: newOffset
        )
    }
}

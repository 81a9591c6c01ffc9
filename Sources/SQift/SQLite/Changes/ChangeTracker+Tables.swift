internal import CSQift

// What the tracker knows of a statement before it runs, by compiling it once more.
extension ChangeTracker {
    /// The tables of a statement. It is compiled once more for that if SQLite has compiled it again
    /// since the last time.
    func tables(of statement: Statement) -> StatementTables {
        let count = statement.currentPreparationCount
        if let known = statement.tables, known.preparationCount == count {
            return known
        }
        let tables = StatementTables()
        tables.preparationCount = count
        compiled = tables
        defer { compiled = nil }
        do {
            try connection.shielded {
                try compile(statement.sql)
                let mayEmptyUncounted = !Self.countsEmptiedTables && !tables.silent.isEmpty
                if tables.written.count > 1 || mayEmptyUncounted {
                    try findSilentTables(of: tables)
                }
            }
            if !tables.isAuthorized, !statement.isReadOnly {
                tables.schemas = ["main"]
            }
            tables.complete()
        } catch {
            // Whatever it writes counts as a change of all tables. The next run tries again.
            tables.preparationCount = -1
        }
        statement.tables = tables
        return tables
    }

    /// Compiles SQL, for which SQLite calls the authorizer.
    private func compile(_ sql: SQL) throws {
        try SQLText.with(sql) { text in
            // Some pragmas take effect when they are compiled, and none writes to a table.
            let start = text.firstToken(from: 0) ?? 0
            let keyword = sql.utf8.dropFirst(start).prefix(6)
            guard String(decoding: keyword, as: UTF8.self).lowercased() != "pragma" else {
                compiled?.isAuthorized = true
                return
            }
            let (handle, _) = try text.compile(at: 0, on: connection, flags: 0)
            sqlite3_finalize(handle)
        }
    }

    /// Adds the virtual tables and those `WITHOUT ROWID` to `silent`, and takes out views, which
    /// are written by INSTEAD OF triggers only. With an SQLite that doesn't count emptied tables,
    /// it also adds to `uncounted` those `WITHOUT ROWID` that the statement may delete from. The
    /// word "without" anywhere in the SQL is enough: a table too many does no harm.
    private func findSilentTables(of tables: StatementTables) throws {
        for database in Set(tables.written.map(\.database)) {
            let schema = "\(database.quotedAsIdentifier).sqlite_master"
            let query = "SELECT name, type, rootpage, sql FROM \(schema) WHERE type <> 'trigger'"
            try connection.forEachRow(query) { row in
                let table = StatementTables.Table(database: database, name: try row.get(0))
                guard tables.written.contains(table) else { return }
                if try row.get(1) == "view" {
                    tables.written.remove(table)
                    return
                }
                let rootPage: Int? = try row.get(2)
                let sql: String? = try row.get(3)
                let isVirtual = rootPage ?? 0 == 0
                let mayHaveNoRowID = sql?.lowercased().contains("without") == true
                if mayHaveNoRowID, !Self.countsEmptiedTables, tables.silent.contains(table) {
                    tables.uncounted.insert(table)
                }
                if isVirtual || mayHaveNoRowID {
                    tables.silent.insert(table)
                }
            }
        }
    }

    /// Whether SQLite counts the rows of a table `WITHOUT ROWID` that a `DELETE` without `WHERE`
    /// deletes. Old versions don't.
    private static let countsEmptiedTables: Bool = {
        let connection = try? Connection()
        try? connection?.execute(
            """
            CREATE TABLE t(k PRIMARY KEY) WITHOUT ROWID;
            INSERT INTO t VALUES(1);
            DELETE FROM t
            """
        )
        return connection?.totalChanges == 2
    }()

    /// Whether the table has rows, and false if that can't be read.
    func hasRows(_ table: StatementTables.Table) -> Bool {
        let name = "\(table.database.quotedAsIdentifier).\(table.name.quotedAsIdentifier)"
        // While `compiled` is set, the tracker ignores statements: the end of this query isn't the
        // end of a transaction.
        compiled = StatementTables()
        defer { compiled = nil }
        let found: [Int]? = connection.shielded {
            try? connection.query("SELECT 1 FROM \(name) LIMIT 1")
        }
        return found?.isEmpty == false
    }

    /// The authorizer's call, for a statement that is compiled.
    func authorize(_ action: Int32, _ strings: [UnsafePointer<CChar>?]) {
        func string(_ index: Int) -> String {
            strings[index].map { String(cString: $0) } ?? ""
        }
        guard compiled != nil || reads != nil else { return }
        compiled?.isAuthorized = true
        guard let kind = Connection.AuthorizerAction(rawValue: action) else { return }
        let database = string(2).isEmpty ? "main" : string(2)
        let table = StatementTables.Table(database: database, name: string(0))

        switch kind {
        case .read:
            noteRead(of: table)
            _ = table.publicName.map { compiled?.read.insert(TableChanges.key(of: $0)) }
        case .insert, .update, .delete:
            if table.name == "sqlite_master" || table.name == "sqlite_schema" {
                noteSchema(database)
            } else {
                compiled?.written.insert(table)
            }
            if kind == .delete {
                compiled?.silent.insert(table)
            }
        case .createTable, .dropTable, .createVTable, .dropVTable:
            compiled?.defined.insert(table)
        case .alterTable:
            let altered = StatementTables.Table(database: string(0), name: string(1))
            noteSchema(altered.database)
            compiled?.defined.insert(altered)
        default: break
        }
    }

    private func noteSchema(_ database: String) {
        if database != "temp" {
            compiled?.schemas.insert(database)
        }
    }
}

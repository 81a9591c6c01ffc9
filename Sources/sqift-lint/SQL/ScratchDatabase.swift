import CSQift
import Foundation

/// An empty database in memory, in which statements are compiled.
final class ScratchDatabase {
    private var handle: OpaquePointer?

    /// What lists the names of a kind that statements may use.
    private static let names: [SQLFailure.Kind: String] = [
        // Modules such as `json_each` are tables that need no CREATE.
        .table: """
        SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')
        UNION ALL SELECT name FROM pragma_module_list
        """,
        .column: "SELECT i.name FROM sqlite_schema AS s, pragma_table_info(s.name) AS i",
        // Without operators, which are functions too.
        .function: "SELECT DISTINCT name FROM pragma_function_list WHERE name GLOB '[a-z]*'",
        .collation: "SELECT name FROM pragma_collation_list",
    ]

    init(_ registered: RegisteredNames) {
        sqlite3_open(":memory:", &handle)
        setDoubleQuotedTexts(true)
        for (name, isAggregate) in registered.functions {
            // It takes any number of arguments, and an object that nothing needs.
            sqift_create_function(
                handle,
                name,
                -1,
                SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                UnsafeMutableRawPointer(handle),
                isAggregate,
                isAggregate
                    && sqift_find_create_window_function() != nil,
                { _, _, _ in },
                { _ in },
                { _ in },
                { _, _, _ in },
                nil
            )
        }
        for name in registered.collations {
            sqlite3_create_collation(handle, name, SQLITE_UTF8, nil) { _, _, _, _, _ in 0 }
        }
    }

    /// A database file, which is only read.
    init(reading path: String) {
        sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, nil)
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    /// The SQL of all that is defined.
    var definitions: String {
        // A virtual table makes its own tables, and SQLite and SQift make theirs.
        let own = """
            SELECT sql FROM sqlite_schema AS s
            WHERE sql NOTNULL
                AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
                AND name NOT IN ('sqift_migrations', 'schema_migrations')
                AND NOT EXISTS(
                    SELECT 1 FROM sqlite_schema AS v
                    WHERE v.type = 'table'
                        AND v.rootpage = 0
                        AND s.name LIKE v.name || '!_%' ESCAPE '!'
                )
            ORDER BY CASE type WHEN 'table' THEN 1 WHEN 'index' THEN 2 ELSE 3 END, rowid
            """
        return texts(own).joined(separator: ";\n")
    }

    /// The names of its tables and views, in lower case.
    var tables: [String] {
        texts("SELECT lower(name) FROM sqlite_schema WHERE type IN ('table', 'view')")
    }

    /// The names of a table's columns, in lower case.
    func columns(of table: String) -> [String] {
        texts("SELECT lower(name) FROM pragma_table_xinfo('\(table)')")
    }

    /// SQLite's version: 40 of 3.40.
    static var minor: Int {
        Int(sqlite3_libversion_number()) / 1000 % 1000
    }

    // MARK: Statements

    /// Compiles the first statement of some SQL. It is nil if that is only blanks and comments.
    func compile(_ sql: ArraySlice<UInt8>) throws(SQLFailure) -> CompiledStatement? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql.text, -1, &statement, nil) == SQLITE_OK else {
            throw failure(in: sql, at: Int(sqift_error_offset(handle)))
        }
        guard let statement else { return nil }
        defer { sqlite3_finalize(statement) }
        let parameters = (0..<sqlite3_bind_parameter_count(statement)).map { index in
            // The first character is the prefix.
            String(sqlite3_bind_parameter_name(statement, index + 1).map { $0 + 1 })
        }
        let columns = (0..<sqlite3_column_count(statement)).map { index in
            CompiledStatement.Column(
                name: String(sqlite3_column_name(statement, index)),
                table: String(sqift_find_column_table_name()?(statement, index)),
                origin: String(sqift_find_column_origin_name()?(statement, index))
            )
        }
        return CompiledStatement(
            parameters: parameters,
            columns: columns,
            isReadOnly: sqlite3_stmt_readonly(statement) != 0,
            // SQLite keeps the text from the first byte to the statement's end.
            sql: sql.prefix(strlen(sqlite3_sql(statement)))
        )
    }

    /// Why SQLite refused some SQL. The byte that is wrong is less than zero if it can't tell.
    private func failure(in sql: ArraySlice<UInt8>, at offset: Int = -1) -> SQLFailure {
        var failure = SQLFailure(message: String(cString: sqlite3_errmsg(handle)))
        let name = failure.name.lastPart
        let words = [SQLWord](sql)
        let named = words.first { $0.name == name } ?? words.first
        failure.position =
            offset < 0
            ? named?.start ?? 0
            : sql.startIndex + offset
        return failure
    }

    /// The name that was probably meant by the one that SQLite doesn't know.
    func suggestion(for failure: SQLFailure) -> String? {
        // These are operators, whose functions come with the app.
        guard let names = ScratchDatabase.names[failure.kind],
            !["regexp", "match"].contains(failure.name)
        else { return nil }
        // Of two that are as near, the longer one: `cuont` means `count`, and not `cot`.
        let sorted = "SELECT name FROM (\(names)) ORDER BY length(name) DESC, name"
        return failure.name.lastPart.nearest(in: texts(sorted))
    }

    // MARK: Columns

    /// How a table's column is stored, or nil if that isn't known.
    func storage(of column: CompiledStatement.Column) -> ColumnStorage? {
        let description = "FROM pragma_table_xinfo('\(column.table)')"
        let isColumn = "name = '\(column.origin)' COLLATE NOCASE"
        guard let type = texts("SELECT type \(description) WHERE \(isColumn)").first else {
            let isRowID = ["rowid", "oid", "_rowid_"].contains(column.origin.lowercased())
            return isRowID
                ? ColumnStorage(strict: "INTEGER")
                : nil
        }
        // A key that is the row's number has no index of its own.
        let key = """
            SELECT 1 \(description)
            WHERE \(isColumn)
                AND pk = 1
                AND type = 'INTEGER' COLLATE NOCASE
                AND 1 = (SELECT count(*) \(description) WHERE pk > 0)
                AND 'pk' NOT IN (SELECT origin FROM pragma_index_list('\(column.table)'))
            """
        let strict = "SELECT 1 FROM pragma_table_list('\(column.table)') WHERE strict"
        return !texts(strict).isEmpty || !texts(key).isEmpty
            ? ColumnStorage(strict: type)
            : ColumnStorage(affinityOf: type)
    }

    /// The views with their definitions, by their names in lower case.
    var views: [(name: String, words: [SQLWord])] {
        let from = "FROM sqlite_schema WHERE type = 'view' ORDER BY rowid"
        let definitions = texts("SELECT sql \(from)").map { [SQLWord](ArraySlice($0.utf8)) }
        return zip(texts("SELECT name \(from)"), definitions).map {
            (name: $0.lowercased(), words: $1)
        }
    }

    /// The definitions of the triggers of a table.
    func triggers(of table: String) -> [SQLWord] {
        let own = "type = 'trigger' AND tbl_name = '\(table)' COLLATE NOCASE"
        let all = texts("SELECT sql || ';' FROM sqlite_schema WHERE \(own)")
        return [SQLWord](ArraySlice(all.joined().utf8))
    }

    /// Whether a name in lower case is that of a table, and not of a view or a module's table.
    func isTable(_ name: String) -> Bool {
        let own = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
        return !texts("\(own) AND lower(name) = '\(name)'").isEmpty
    }

    /// The columns of a table that aren't computed.
    func storedColumns(of table: String) -> [String] {
        texts("SELECT name FROM pragma_table_info('\(table)')")
    }

    /// Whether a table has a column of this name in lower case.
    func hasColumn(_ name: String) -> Bool {
        let columns = "sqlite_schema AS t JOIN pragma_table_xinfo(t.name) AS c"
        let own = "t.type = 'table' AND c.name = '\(name)' COLLATE NOCASE"
        return !texts("SELECT 1 FROM \(columns) WHERE \(own)").isEmpty
    }

    /// The tables that refer to others which aren't there.
    func missingParents() -> [(table: String, parent: String)] {
        let tables = texts("SELECT name FROM sqlite_schema WHERE type = 'table'")
        return tables.flatMap { table in
            texts(
                """
                SELECT DISTINCT "table" FROM pragma_foreign_key_list('\(table)')
                WHERE lower("table") NOT IN (SELECT lower(name) FROM sqlite_schema)
                """
            ).map { (table.lowercased(), $0.lowercased()) }
        }
    }

    /// The columns that each row of a table needs a value for: NOT NULL without a default, in lower
    /// case. A clause or a trigger of the table may leave out the rows without one.
    func neededColumns(of table: String) -> [String] {
        notNullColumns(of: table, where: "dflt_value IS NULL")
    }

    /// The columns that keep NULL out, in lower case.
    func notNullColumns(of table: String, where condition: String = "TRUE") -> [String] {
        texts(
            """
            SELECT name FROM pragma_table_xinfo('\(table)')
            WHERE "notnull" = 1 AND hidden = 0 AND \(condition)
                AND NOT (
                    pk = 1
                    AND type = 'INTEGER' COLLATE NOCASE
                    AND 1 = (SELECT count(*) FROM pragma_table_xinfo('\(table)') WHERE pk > 0)
                )
                AND NOT EXISTS (
                    SELECT 1 FROM sqlite_schema
                    WHERE tbl_name = '\(table)' COLLATE NOCASE
                        AND (sql LIKE '%ON CONFLICT%' OR sql LIKE '%RAISE%IGNORE%')
                )
            """
        ).map { $0.lowercased() }
    }

    /// The columns of tables that refer to a table, in lower case, and whether NULL is kept out of
    /// them.
    func references(to table: String) -> [(column: String, isNeeded: Bool)] {
        let columns = """
            SELECT c."notnull", k."from" FROM sqlite_schema AS t
            JOIN pragma_foreign_key_list(t.name) AS k
            JOIN pragma_table_xinfo(t.name) AS c ON c.name = k."from" COLLATE NOCASE
            WHERE t.type = 'table' AND k."table" = '\(table)' COLLATE NOCASE
            """
        let needed = texts("SELECT \"from\" FROM (\(columns)) WHERE \"notnull\"")
        return texts("SELECT \"from\" FROM (\(columns))").map {
            (column: $0.lowercased(), isNeeded: needed.contains($0))
        }
    }

    /// Whether nothing in the table's definition keeps NULL out of a column with a type. SQLite
    /// allows NULL in some keys, where it is never stored. Virtual tables have rules of their own.
    /// A CHECK may say it.
    func mayBeNull(_ column: CompiledStatement.Column) -> Bool {
        let name = column.origin
        let condition = """
            SELECT 1 FROM pragma_table_xinfo('\(column.table)')
            WHERE name = '\(name)'
                AND type != ''
                AND pk = 0
                AND "notnull" = 0
                AND hidden < 2
                AND 0 = (
                    SELECT rootpage = 0
                        OR text LIKE '%\(name) NOTNULL%'
                        OR text LIKE '%\(name) NOT NULL%'
                        OR text LIKE '%\(name) IS NOT NULL%'
                        OR text LIKE '%typeof(\(name))%'
                    FROM (SELECT *, replace(sql, '"', '') AS text FROM sqlite_schema)
                    WHERE name = '\(column.table)' COLLATE NOCASE
                )
            """
        return !texts(condition).isEmpty
    }

    // MARK: Running

    /// Runs SQL to its end, in place of some SQL of the sources.
    func execute(_ sql: String, for source: ArraySlice<UInt8> = []) throws(SQLFailure) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw failure(in: source)
        }
    }

    /// Runs a statement if it defines something that later ones may use.
    func runDefinition(_ statement: CompiledStatement) throws(SQLFailure) {
        if [SQLWord](statement.sql).definition != nil {
            try execute(statement.sql.text, for: statement.sql)
        }
    }

    /// The strings in the last column of a query's result.
    func texts(_ sql: String) -> [String] {
        var statement: OpaquePointer?
        sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        defer { sqlite3_finalize(statement) }
        let column = sqlite3_column_count(statement) - 1
        var result: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            result.append(sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "")
        }
        return result
    }

    /// Whether what is in double quotes and no name is a string, as in SQLite's own default.
    func setDoubleQuotedTexts(_ isOn: Bool) {
        for option in [SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL] {
            _ = sqift_db_switch(handle, Int32(option), isOn ? 1 : 0, nil)
        }
    }
}

extension String {
    /// The name in double quotes.
    var quoted: String { "\"\(replacing("\"", with: "\"\""))\"" }

    /// A string of SQLite's, which is empty if there is none.
    fileprivate init(_ text: UnsafePointer<CChar>?) {
        self = text.map { String(cString: $0) } ?? ""
    }
}

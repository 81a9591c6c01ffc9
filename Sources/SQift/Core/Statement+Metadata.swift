internal import CSQift

// What SQLite tells about a statement before it runs.
extension Statement {
    /// A column of a statement's result.
    public struct ResultColumn: Sendable, Hashable {
        /// The name, as SQLite or `AS` names it.
        public let name: String
        /// The type in the table's declaration, such as `VARCHAR(20)`; nil for an expression.
        /// https://sqlite.org/c3ref/column_decltype.html
        public let declaredType: String?
        /// The database's name, such as `main`. This and the next two are nil for an expression,
        /// and if this SQLite was built without column metadata.
        /// https://sqlite.org/c3ref/column_database_name.html
        public let database: String?
        /// The table's own name, not an alias.
        public let table: String?
        /// The column's name in that table.
        public let origin: String?
    }

    /// The columns of the result from left to right; empty for a statement without a result.
    public var resultColumns: [ResultColumn] {
        let databases = try? origins(.database)
        let tables = try? origins(.table)
        let origins = try? origins(.column)
        return columnNames.enumerated().map { index, name in
            ResultColumn(
                name: name,
                declaredType: sqlite3_column_decltype(handle, Int32(index)).map(String.init),
                database: databases?[index],
                table: tables?[index],
                origin: origins?[index]
            )
        }
    }

    /// The names of the parameters in the order of their numbers, each with its prefix; nil for one
    /// without a name. https://sqlite.org/c3ref/bind_parameter_name.html
    public var parameterNames: [String?] {
        (0..<Int32(truncatingIfNeeded: parameterCount)).map {
            sqlite3_bind_parameter_name(handle, $0 + 1).map(String.init)
        }
    }

    /// Whether it is an EXPLAIN or an EXPLAIN QUERY PLAN.
    /// https://sqlite.org/c3ref/stmt_isexplain.html
    public var isExplain: Bool { sqlite3_stmt_isexplain(handle) != 0 }

    /// What a result's column comes from.
    enum Origin {
        case database
        case table
        case column
    }

    /// The names of what the result's columns come from.
    ///
    /// - Throws: `SQLiteError` if this SQLite was built without column metadata.
    func origins(_ kind: Origin) throws -> [String?] {
        let find =
            switch kind {
            case .database: sqift_find_column_database_name()
            case .table: sqift_find_column_table_name()
            case .column: sqift_find_column_origin_name()
            }
        guard let find else {
            let problem = "this SQLite was built without column metadata"
            throw SQLiteError.misuse("\(problem): use a range", sql: sql)
        }
        return (0..<sqlite3_column_count(handle)).map { find(handle, $0).map(String.init) }
    }
}

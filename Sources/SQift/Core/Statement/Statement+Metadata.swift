internal import CSQift

// What SQLite tells about a statement before it runs.
extension Statement {
    /// A column of a statement's result.
    public struct ResultColumn: Sendable, Hashable {
        /// The name, as SQLite or `AS` names it.
        public let name: String
        /// The type in the table's declaration, such as `VARCHAR(20)`; nil for an expression.
        ///
        /// SQLite: [sqlite3_column_decltype](https://sqlite.org/c3ref/column_decltype.html)
        public let declaredType: String?
        /// The database's name, such as `main`. This and the next two are nil for an expression,
        /// and if this SQLite was built without column metadata.
        ///
        /// SQLite:
        /// [sqlite3_column_database_name](https://sqlite.org/c3ref/column_database_name.html)
        public let database: String?
        /// The table's own name, not an alias.
        public let table: String?
        /// The column's name in that table.
        public let origin: String?
    }

    /// The columns of the result from left to right; empty for a statement without a result.
    public var resultColumns: [ResultColumn] {
        columnNames.enumerated().map { index, name in
            func text(_ find: ((OpaquePointer?, Int32) -> UnsafePointer<CChar>?)?) -> String? {
                find?(handle, Int32(index)).map(String.init)
            }
            return ResultColumn(
                name: name,
                declaredType: text(sqlite3_column_decltype),
                database: text(sqift_find_column_database_name()),
                table: text(sqift_find_column_table_name()),
                origin: text(sqift_find_column_origin_name())
            )
        }
    }

    /// The names of the parameters in the order of their numbers, each with its prefix; nil for one
    /// without a name.
    ///
    /// SQLite: [sqlite3_bind_parameter_name](https://sqlite.org/c3ref/bind_parameter_name.html)
    public var parameterNames: [String?] {
        (0..<parameterCount).map(parameterName)
    }

    func parameterName(at index: Int) -> String? {
        sqlite3_bind_parameter_name(handle, Int32(index + 1)).map(String.init)
    }
}

internal import CSQift

// A part of a row, such as one table's columns of a join.
extension Row {
    /// The row of these columns alone, which owns its values; nil if all of them are NULL, as they
    /// are for the missing side of a LEFT JOIN.
    ///
    /// ```swift
    /// let sql = "SELECT c.*, p.* FROM cars c LEFT JOIN people p ON p.id = c.owner"
    /// let cars: [(car: Car, owner: Person?)] = try connection.query(sql) { row in
    ///     (car: try Car(row: row), owner: try row.slice(3..<5).map(Person.init(row:)))
    /// }
    /// ```
    ///
    /// - Throws: ``ExtractionError`` if there are no such columns.
    public func slice(_ columns: Range<Int>) throws -> Row? {
        for index in columns {
            try check(index, for: Row.self)
        }
        return try slice(Array(columns))
    }

    /// The row of the columns that come from a table, which owns its values; nil if all of them
    /// are NULL.
    ///
    /// The row must be one that a closure or an `init(row:)` receives.
    ///
    /// - Parameter table: The table's own name, case-insensitively for ASCII letters, and not an
    ///   alias, since SQLite doesn't keep aliases. If a table is joined with itself, or with one of
    ///   the same name in an attached database, use a range.
    /// - Throws: ``SQLiteError`` (`SQLITE_MISUSE`) if no column comes from the table, the row is
    ///   detached, or this SQLite was built without column metadata.
    ///
    /// SQLite: [sqlite3_column_database_name](https://sqlite.org/c3ref/column_database_name.html)
    public func slice(table: String) throws -> Row? {
        let find = sqift_find_column_table_name()
        let columns = (0..<columnCount).filter { index in
            let name = statement.flatMap { find?($0.handle, Int32(index)) }.map(String.init)
            return name?.equalsIgnoringASCIICase(table) == true
        }
        guard !columns.isEmpty else {
            throw misuse(
                """
                no column is known to come from a table named \(table): for an alias, for a \
                detached row, and with an SQLite without column metadata, use a range
                """,
                sql: sql
            )
        }
        return try slice(columns)
    }

    private func slice(_ columns: [Int]) throws -> Row? {
        let slice = try StoredRow(columns, of: self)
        return slice.values.allSatisfy { $0 == .null } ? nil : Row(stored: slice)
    }
}

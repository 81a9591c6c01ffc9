// Queries whose rows are tuples.
extension Connection {
    /// Returns every row as a tuple of its first columns.
    ///
    /// ```swift
    /// let cars = try connection.query("SELECT name, price FROM cars", as: (String, Int?).self)
    /// for (name, price) in cars { print(name, price ?? 0) }
    /// ```
    ///
    /// - Throws: ``SQLiteError``, ``ExtractionError``, and what a type's own conversion throws.
    @inlinable @inline(__always)
    public func query<each Parameter: Bindable, each Column: ColumnDecodable>(
        _ sql: SQL,
        _ parameters: repeat each Parameter,
        as type: (repeat each Column).Type
    ) throws -> [(repeat each Column)] {
        try withCachedStatement(sql) { try $0.bind(repeat each parameters).query(as: type) }
    }

    /// Returns every row as a tuple of its first columns.
    ///
    /// Takes the parameters as an array or a dictionary.
    @inlinable
    public func query<each Column: ColumnDecodable>(
        _ sql: SQL,
        _ parameters: Statement.Parameters,
        as type: (repeat each Column).Type
    ) throws -> [(repeat each Column)] {
        try withCachedStatement(sql) { try $0.bind(all: parameters).query(as: type) }
    }
}

extension Statement {
    /// Returns every row as a tuple of its first columns.
    @inlinable public func query<each Column: ColumnDecodable>(
        as type: (repeat each Column).Type
    ) throws -> [(repeat each Column)] {
        try query { row in
            var index = -1
            return (repeat try row.get(after: &index) as each Column)
        }
    }
}

extension Row {
    /// Reads the column after `index`.
    @inlinable @inline(__always) func get<T: ColumnDecodable>(after index: inout Int) throws -> T {
        index += 1
        return try T.decode(from: self, at: index)
    }
}

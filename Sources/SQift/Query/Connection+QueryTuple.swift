// Queries whose rows are tuples. The forms and their order are those of Connection+Query.swift.
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
    public func query<First: Bindable, each Rest: Bindable, each Column: ColumnDecodable>(
        _ sql: SQL,
        _ first: First,
        _ rest: repeat each Rest,
        as type: (repeat each Column).Type
    ) throws -> [(repeat each Column)] {
        try withCachedStatement(sql, first, repeat each rest) { try $0.query(as: type) }
    }

    /// The form without parameters, with a literal `nil`, or with values of type `any Bindable`.
    @_disfavoredOverload @inlinable
    public func query<each Column: ColumnDecodable>(
        _ sql: SQL,
        _ parameters: (any Bindable)?...,
        as type: (repeat each Column).Type
    ) throws -> [(repeat each Column)] {
        try query(sql, parameters, as: type)
    }

    /// The form with an array of parameters.
    @inlinable
    public func query<each Column: ColumnDecodable>(
        _ sql: SQL,
        _ parameters: [(any Bindable)?],
        as type: (repeat each Column).Type
    ) throws -> [(repeat each Column)] {
        try withCachedStatement(sql, parameters) { try $0.query(as: type) }
    }

    /// The form with parameters by name.
    @inlinable
    public func query<each Column: ColumnDecodable>(
        _ sql: SQL,
        _ parameters: [String: (any Bindable)?],
        as type: (repeat each Column).Type
    ) throws -> [(repeat each Column)] {
        try withCachedStatement(sql, parameters) { try $0.query(as: type) }
    }
}

extension Statement {
    /// Returns every row as a tuple of its first columns.
    @inlinable public func query<each Column: ColumnDecodable>(
        as type: (repeat each Column).Type
    ) throws -> [(repeat each Column)] {
        var rows: [(repeat each Column)] = []
        try forEachRow { row in
            var index = -1
            rows.append((repeat try row.get(after: &index, as: (each Column).self)))
        }
        return rows
    }
}

extension Row {
    /// Reads the column after `index`.
    @inlinable @inline(__always) func get<T: ColumnDecodable>(
        after index: inout Int,
        as type: T.Type
    ) throws -> T {
        index += 1
        return try T.decode(from: self, at: index)
    }
}

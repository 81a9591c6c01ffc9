// The results that are made of rows: an optional, an array, a dictionary.

extension Optional: QueryResult where Wrapped: RowDecodable {
    /// Reads the first row, or returns nil if there is none or its value is NULL.
    @inlinable public static func collect(from statement: Statement) throws -> Wrapped? {
        try statement.first(Wrapped.decodeIfPresent) ?? nil
    }
}

extension Optional: RowDecodable where Wrapped: Extractable {
    /// Reads the row as the wrapped type; nil if that is a single value, and NULL.
    @inlinable public static func decode(from row: Row) throws -> Wrapped? {
        try Wrapped.decodeIfPresent(from: row)
    }
}

extension Array: QueryResult where Element: RowDecodable {
    /// Reads every row.
    ///
    /// - Throws: `ExtractionError` with the row's number for the first row that can't be read. The
    ///   array is never shortened.
    @inlinable @inline(never)
    public static func collect(from statement: Statement) throws -> [Element] {
        var elements: [Element] = []
        try statement.forEach { elements.append(try Element.decode(from: $0)) }
        return elements
    }
}

extension Dictionary: QueryResult where Key: Extractable, Value: ColumnDecodable {
    /// Reads the key from the first column and the value from the second. If a key is repeated, its
    /// last row counts.
    ///
    /// - Throws: ``ExtractionError``, also for a key whose TEXT isn't UTF-8.
    @inlinable public static func collect(from statement: Statement) throws -> [Key: Value] {
        var elements: [Key: Value] = [:]
        try statement.forEach { row in
            let key: Key = try row.get(0)
            try row.checkKey(at: 0, as: Key.self)
            elements[key] = try row.get(1) as Value
        }
        return elements
    }
}

extension Row: RowDecodable {
    /// A detached copy of the row.
    public static func decode(from row: Row) throws -> Row {
        try row.detach()
    }
}

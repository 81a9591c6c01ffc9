// Dictionaries that grow row by row. `forEachRow` does the same without a copy for each row.
extension Connection {
    /// Returns the keys and values that `body` returns for the rows. `body` also receives the
    /// results so far.
    public func query<Key: Hashable, Value>(
        _ sql: SQL,
        _ parameters: (any Bindable)?...,
        body: ([Key: Value], Row) throws -> (Key, Value)
    ) throws -> [Key: Value] {
        try query(sql, parameters, body: body)
    }

    /// Returns the keys and values that `body` returns for the rows.
    ///
    /// Takes the parameters as an array.
    public func query<Key: Hashable, Value>(
        _ sql: SQL,
        _ parameters: BindableArray,
        body: ([Key: Value], Row) throws -> (Key, Value)
    ) throws -> [Key: Value] {
        try withCachedStatement(sql) { try $0.bind(parameters).query(body) }
    }

    /// Returns the keys and values that `body` returns for the rows.
    ///
    /// Takes the parameters by name.
    public func query<Key: Hashable, Value>(
        _ sql: SQL,
        _ parameters: BindableDictionary,
        body: ([Key: Value], Row) throws -> (Key, Value)
    ) throws -> [Key: Value] {
        try withCachedStatement(sql) { try $0.bind(parameters).query(body) }
    }
}

extension Statement {
    /// Returns the keys and values that `body` returns for the rows. `body` also receives the
    /// results so far.
    ///
    /// ```swift
    /// let groups: [String: [String]] = try statement.query { groups, row in
    ///     let type: String = try row.get("type")
    ///     return (type, groups[type, default: []] + [try row.get("name")])
    /// }
    /// ```
    public func query<Key: Hashable, Value>(
        _ body: ([Key: Value], Row) throws -> (Key, Value)
    ) throws -> [Key: Value] {
        var elements: [Key: Value] = [:]
        try forEachRow { row in
            let (key, value) = try body(elements, row)
            elements[key] = value
        }
        return elements
    }
}

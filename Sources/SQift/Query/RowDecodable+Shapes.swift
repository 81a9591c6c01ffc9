// The results that are made of rows: the first row, an optional, an array, a dictionary.
extension RowDecodable {
    /// Reads the first row.
    ///
    /// - Throws: ``ExtractionError`` if there is none.
    @inlinable public static func collect(from statement: Statement) throws -> Self {
        guard try statement.step() else { throw statement.noRowError(for: Self.self) }
        let result = try decode(from: statement.currentRow)
        try statement.finishWriting()
        return result
    }
}

extension Statement {
    @usableFromInline @inline(never) func noRowError(for type: Any.Type) -> ExtractionError {
        ExtractionError(reason: .noRow, expectedType: "\(type)", sql: sql)
    }

    /// Calls `body` with each row, and gives an `ExtractionError` the number of its row.
    @inlinable func forEachStep(_ body: (Row) throws -> Void) throws {
        var number = 0
        do {
            while try step() {
                number &+= 1
                try body(currentRow)
            }
        } catch {
            throw adding(row: number, to: error)
        }
    }

    @usableFromInline @inline(never)
    func adding(row: Int, to error: any Error) -> any Error {
        // The row's closure may have run another statement: an error of that one isn't about this
        // row.
        guard var error = error as? ExtractionError, error.row == nil, error.sql == sql else {
            return error
        }
        error.row = row
        return error
    }
}

// MARK: Shapes

extension Optional: QueryResult where Wrapped: RowDecodable {
    /// Reads the first row, or returns nil if there is none or its value is NULL.
    @inlinable public static func collect(from statement: Statement) throws -> Wrapped? {
        guard try statement.step() else { return nil }
        let result = try Wrapped.decodeIfPresent(from: statement.currentRow)
        try statement.finishWriting()
        return result
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
        do {
            while try statement.step() {
                elements.append(try Element.decode(from: statement.currentRow))
            }
        } catch {
            throw statement.adding(row: elements.count + 1, to: error)
        }
        return elements
    }
}

extension Dictionary: QueryResult where Key: Extractable, Value: ColumnDecodable {
    /// Reads the key from the first column and the value from the second. If a key is repeated, its
    /// last row counts.
    @inlinable public static func collect(from statement: Statement) throws -> [Key: Value] {
        var elements: [Key: Value] = [:]
        try statement.forEachStep { row in
            elements[try row.get(0) as Key] = try row.get(1) as Value
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

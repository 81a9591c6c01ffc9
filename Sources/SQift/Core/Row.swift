internal import CSQift
import Foundation

/// A row of a result.
///
/// ```swift
/// try connection.forEachRow("SELECT name, price FROM cars") { row in
///     let name: String = try row.get("name")
///     let price: Int? = try row.get(1)
/// }
/// ```
///
/// The row that a closure or an `init(row:)` receives is a view of the statement's current row,
/// valid until that returns. Reading it later stops the process with a message: keep the values, or
/// `row.detached()`. The rows that `query` itself returns are detached: they own their values.
///
/// `get` is the safe way to read a column. The subscripts stop the process on a value that doesn't
/// fit, or answer nil where an optional is asked for.
public struct Row {
    @usableFromInline let statement: Statement?
    @usableFromInline let generation: Int
    @usableFromInline let stored: StoredRow?

    @inlinable init(statement: Statement, generation: Int) {
        (self.statement, self.generation) = (statement, generation)
        stored = nil
    }

    @inlinable init(stored: StoredRow, generation: Int = 0) {
        statement = nil
        (self.generation, self.stored) = (generation, stored)
    }

    // MARK: Columns

    /// How many columns the row has.
    public var columnCount: Int {
        guard let stored else { return liveStatement.columnCount }
        if !stored.isCurrent(generation) {
            trapStale()
        }
        return stored.count
    }

    /// The columns' names from left to right; two may be equal.
    public var columnNames: [String] { names.all }

    /// Whether a column has this name, ASCII letters in either case.
    public func hasColumn(_ name: String) -> Bool {
        names.index(of: name) != nil
    }

    /// A copy of the row that owns its values.
    public func detached() -> Row {
        do {
            return try detach()
        } catch {
            trap("\(error)")
        }
    }

    func detach() throws -> Row {
        if let stored, stored.ownsValues {
            return self
        }
        let values = try (0..<columnCount).map(storedValue)
        return Row(stored: StoredRow(names: names, values: values, sql: sql))
    }

    // MARK: Reading

    /// The column's value as `T`, or as `T?` where it may be NULL.
    ///
    /// - Parameter index: The column's index, from 0.
    /// - Throws: `ExtractionError` if there is no such column, the value is NULL and `T` isn't
    ///   optional, or the value doesn't fit. Also what the type's own conversion throws.
    @inlinable public func get<T: ColumnDecodable>(_ index: Int) throws -> T {
        try T.decode(from: self, at: index)
    }

    /// The value of the leftmost column with that name, ASCII letters in either case, as `T` or
    /// `T?`.
    ///
    /// - Throws: As the form with an index.
    @inlinable public func get<T: ColumnDecodable>(_ name: String) throws -> T {
        try T.decode(from: self, at: index(of: name, for: T.self))
    }

    /// The column's value. It stops the process, with a message, where `get(_:)` would throw.
    @inlinable public subscript<T: Extractable>(index: Int) -> T {
        do {
            return try get(index)
        } catch {
            trap("\(error)")
        }
    }

    /// The column's value, or nil if it is NULL, doesn't fit or isn't there.
    @inlinable public subscript<T: Extractable>(index: Int) -> T? {
        hasValue(at: index) ? try? T.decode(from: self, at: index) : nil
    }

    /// The value of the column with that name. It stops the process, with a message, where
    /// `get(_:)` would throw.
    @inlinable public subscript<T: Extractable>(name: String) -> T {
        do {
            return try get(name)
        } catch {
            trap("\(error)")
        }
    }

    /// The value of the column with that name, or nil if it is NULL, doesn't fit or isn't there.
    @inlinable public subscript<T: Extractable>(name: String) -> T? {
        optionalIndex(of: name).flatMap { self[$0] }
    }

    /// The column's value, nil for NULL: an `Int64`, `Double`, `String` or `Data`.
    public func value(at index: Int) -> Any? {
        self[index].flatMap { (value: BindingValue) in value.any }
    }

    /// The same as the optional subscript.
    public func value<T: Extractable>(at index: Int) -> T? {
        self[index]
    }

    /// The same as the optional subscript.
    public func value<T: Extractable>(forColumnName name: String) -> T? {
        self[name]
    }

    /// The column's value as SQLite stores it.
    ///
    /// - Throws: `ExtractionError` if there is no such column.
    public func bindingValue(at index: Int) throws -> BindingValue {
        try check(index, for: BindingValue.self)
        return try storedValue(at: index)
    }

    /// Calls `body` with the bytes of a text (UTF-8) or a blob, which aren't copied and are valid
    /// inside `body` only.
    ///
    /// - Throws: `ExtractionError` for NULL, numbers and a missing column; what `body` throws.
    public func withUnsafeBytes<Result>(
        at index: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try check(index, for: UnsafeRawBufferPointer.self)
        let type = dataType(at: index)
        guard type == .text || type == .blob else {
            throw extractionError(
                type == .null ? .null : .mismatch,
                UnsafeRawBufferPointer.self,
                at: index
            )
        }
        if let stored, stored.ownsValues {
            switch stored.values[index] {
            case .blob(let data): return try data.withUnsafeBytes(body)
            case .text(var text): return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
            default: break
            }
        }
        let value = liveValue(statement, stored, generation, index)
        let start =
            type == .text
            ? sqlite3_value_text(value).map { UnsafeRawPointer($0) } : sqlite3_value_blob(value)
        let count = Int(sqlite3_value_bytes(value))
        // Without bytes it is an empty blob, or memory ran out.
        guard start != nil || (type == .blob && count == 0) else {
            throw SQLiteError(code: .noMemory)
        }
        return try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// How the column's value is stored: https://sqlite.org/datatype3.html
    func dataType(at index: Int) -> Column.DataType {
        if let stored, stored.ownsValues {
            return stored.values[index].dataType
        }
        guard let value = liveValue(statement, stored, generation, index) else { trapStale() }
        return Column.DataType(sqlite3_value_type(value))
    }

    // MARK: Checks

    /// The statement, which still stands on this row.
    private var liveStatement: Statement {
        guard let statement, statement.generation == generation else { trapStale() }
        return statement
    }

    private var names: ColumnNames { stored?.names ?? liveStatement.columns }

    func check(_ index: Int, for type: Any.Type) throws {
        if index < 0 || index >= columnCount {
            throw extractionError(.noColumn, type, at: index)
        }
    }

    @usableFromInline func hasValue(at index: Int) -> Bool {
        index >= 0 && index < columnCount && dataType(at: index) != .null
    }

    @usableFromInline func index(of name: String, for type: Any.Type) throws -> Int {
        if let index = optionalIndex(of: name) {
            return index
        }
        throw ExtractionError(
            .noColumn,
            expected: type,
            column: name,
            availableColumns: columnNames,
            sql: sql
        )
    }

    @usableFromInline func optionalIndex(of name: String) -> Int? {
        if let statement, let index = statement.lookups.next(name, generation) {
            return index
        }
        return search(name)
    }

    @inline(never) private func search(_ name: String) -> Int? {
        guard let index = names.index(of: name) else { return nil }
        statement?.lookups.remember(name, index)
        return index
    }

    private var sql: SQL? { stored == nil ? statement?.sql : stored?.sql }

    @inline(never) func trapStale() -> Never {
        let sql = statement?.sql.excerpt(around: 0) ?? ""
        trap(
            "a row was read after its statement, or the function call, went on; keep its values, or row.detached(), in: \(sql)"
        )
    }

    /// The error for a column that can't be read as `type`.
    @usableFromInline @inline(never) func extractionError(
        _ reason: ExtractionError.Reason,
        _ type: Any.Type,
        at index: Int
    ) -> ExtractionError {
        extractionError(reason, type, at: index, form: nil)
    }

    /// The error for a column that can't be read as `type`.
    ///
    /// - Parameters:
    ///   - form: What a value of that type looks like.
    ///   - cause: What the type's own decoding threw.
    func extractionError(
        _ reason: ExtractionError.Reason,
        _ type: Any.Type,
        at index: Int,
        form: String?,
        cause: (any Error)? = nil
    ) -> ExtractionError {
        let exists = index >= 0 && index < columnCount
        return ExtractionError(
            reason,
            expected: type,
            column: exists ? columnNames[index] : nil,
            index: index,
            availableColumns: exists ? [] : columnNames,
            storageClass: exists ? dataType(at: index) : nil,
            expectedForm: form,
            cause: cause,
            sql: sql
        )
    }
}

/// The values of a row that isn't a statement's: a detached one's, or a function's arguments, which
/// stay SQLite's.
@usableFromInline class StoredRow {
    private let ownNames: ColumnNames
    let values: [BindingValue]
    let sql: SQL?

    init(names: ColumnNames, values: [BindingValue], sql: SQL?) {
        ownNames = names
        (self.values, self.sql) = (values, sql)
    }

    var names: ColumnNames { ownNames }

    var ownsValues: Bool { true }

    var count: Int { values.count }

    /// Whether the row is still to be read.
    func isCurrent(_ generation: Int) -> Bool {
        true
    }

    /// SQLite's value of a cell, or nil where the row owns its values, has no such cell, or is
    /// over.
    func liveValue(_ generation: Int, _ index: Int) -> OpaquePointer? {
        nil
    }
}

@available(*, unavailable, message: "values leave an access, rows don't") extension Row: Sendable {}

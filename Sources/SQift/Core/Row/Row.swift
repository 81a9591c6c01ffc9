internal import CSQift
import Foundation

/// A view of the current row of a result, or a copy of a row.
///
/// ```swift
/// try connection.forEachRow("SELECT name, price FROM cars") { row in
///     let name: String = try row.get("name")
///     let price: Int? = try row.get(1)
///     print(name, price ?? 0)
/// }
/// ```
///
/// The row that a closure or an `init(row:)` receives is a view of the statement's current row. It
/// is valid until that closure or initialiser returns. Reading it later traps with a
/// message: keep the values, or `row.detached()`. The rows that `query` itself returns are
/// detached: they own their values.
///
/// `get` is the safe way to read a column. If a value doesn't fit, a subscript traps, or
/// returns nil if an optional is asked for.
public struct Row {
    // Where the values are, unless they are stored. With these as the cases of an enumeration, each
    // row and each call of a function would cost a reference count. With a fifth word, the compiler
    // would pass rows in memory, and look up how to release each of their fields.
    @usableFromInline var statement: Statement?
    @usableFromInline var function: FunctionContext?
    @usableFromInline var owner: Owner?
    /// The statement's `generation`, or the number of the function's call, at this row. The row is
    /// stale once the source has another one. A stored row is never stale.
    @usableFromInline var generation = 0

    /// What a row keeps alive.
    @usableFromInline enum Owner {
        case values(StoredRow)
        /// The cursor that is at this row. It would end its statement if it were released.
        case cursor(Cursor)
    }

    // With one initialiser whose parameters are optional, each row would be retained.
    @inlinable init(of statement: Statement) {
        self.statement = statement
        generation = statement.generation
    }

    @inlinable init(of cursor: Cursor) {
        self.init(of: cursor.statement)
        owner = .cursor(cursor)
    }

    @inlinable init(of function: FunctionContext) {
        self.function = function
        generation = function.call.number
    }

    init(stored: StoredRow) {
        owner = .values(stored)
    }

    var stored: StoredRow? {
        if case .values(let stored) = owner { stored } else { nil }
    }

    // MARK: Columns

    /// How many columns the row has.
    public var columnCount: Int {
        guard isCurrent else { trapStale() }
        return stored?.values.count ?? statement?.columns.count ?? function?.call.argumentCount ?? 0
    }

    /// The columns' names from left to right; two may be equal.
    public var columnNames: [String] {
        guard isCurrent else { trapStale() }
        return stored?.names ?? statement?.columnNames
            ?? (0..<columnCount).map { "argument \($0 + 1)" }
    }

    /// Whether a column has this name, case-insensitively for ASCII letters.
    public func hasColumn(_ name: String) -> Bool {
        columnNames.contains { $0.equalsIgnoringASCIICase(name) }
    }

    /// A copy of the row that owns its values. It traps if there is no memory for it.
    public func detached() -> Row {
        do {
            return try detach()
        } catch {
            trap("\(error)")
        }
    }

    func detach() throws -> Row {
        if stored != nil {
            return self
        }
        return Row(stored: try StoredRow(0..<columnCount, of: self))
    }

    // MARK: Reading

    /// The column's value as `T`, or as `T?` if it may be NULL.
    ///
    /// - Parameter index: The column's index, from 0.
    /// - Throws: ``ExtractionError`` if there is no such column, the value is NULL and `T` isn't
    ///   optional, or the value doesn't fit. Also the error of the type's own conversion.
    @inlinable public func get<T: ColumnDecodable>(_ index: Int) throws -> T {
        try T.decode(from: self, at: index)
    }

    /// The value of the leftmost column with that name, case-insensitively for ASCII letters, as
    /// `T` or `T?`.
    ///
    /// - Throws: The same as the form with an index.
    @inlinable public func get<T: ColumnDecodable>(_ name: String) throws -> T {
        try T.decode(from: self, at: index(of: name, for: T.self))
    }

    /// The column's value. It traps with a message if `get(_:)` would throw.
    @inlinable public subscript<T: Extractable>(index: Int) -> T {
        do {
            return try get(index)
        } catch {
            trap("\(error)")
        }
    }

    /// The column's value, or nil if it is NULL, doesn't fit or isn't there.
    @inlinable public subscript<T: Extractable>(index: Int) -> T? {
        try? T?.decode(from: self, at: index)
    }

    /// The value of the column with that name. It traps with a message if `get(_:)`
    /// would throw.
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

    /// The column's value, in the storage class that SQLite keeps it in. In a TEXT, bytes that
    /// aren't UTF-8 are replaced by U+FFFD.
    ///
    /// - Throws: ``ExtractionError`` if there is no such column.
    public func bindingValue(at index: Int) throws -> BindingValue {
        try check(index, for: BindingValue.self)
        return try copiedValue(at: index)
    }

    /// Calls `body` with the bytes of a TEXT or a BLOB, which aren't copied and are valid inside
    /// `body` only. A TEXT is UTF-8, unless other bytes were stored, which are given as they are.
    ///
    /// - Throws: ``ExtractionError`` for NULL, numbers and a missing column; also the error of
    ///   `body`.
    public func withUnsafeBytes<Result>(
        at index: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try check(index, for: UnsafeRawBufferPointer.self)
        let malformedText = stored?.malformedTexts[index]
        switch malformedText.map(BindingValue.blob) ?? stored?.values[index] {
        case .blob(let data): return try data.withUnsafeBytes(body)
        case .text(var text): return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
        default: break
        }
        if let value = cell(at: index, ifStoredAs: SQLITE_TEXT) {
            return try body(UnsafeRawBufferPointer(utf8(of: value)))
        }
        if let value = cell(at: index, ifStoredAs: SQLITE_BLOB) {
            return try body(bytes(ofBlob: value))
        }
        // A value of any other class has no bytes, and this throws.
        return try convert(at: index, as: UnsafeRawBufferPointer.self) { _ in nil }
    }

    // MARK: Checks

    /// Whether the row can still be read.
    var isCurrent: Bool {
        if let statement {
            return statement.generation == generation
        }
        return function.map { $0.call.number == generation } ?? true
    }

    var sql: SQL? { stored?.sql ?? statement?.sql }

    func check(_ index: Int, for type: Any.Type) throws {
        if index < 0 || index >= columnCount {
            throw extractionError(.noColumn, type, at: index)
        }
    }

    // MARK: Names

    @usableFromInline func index(of name: String, for type: Any.Type) throws -> Int {
        guard let index = optionalIndex(of: name) else {
            throw missingColumnError(name, for: type)
        }
        return index
    }

    @usableFromInline @inline(__always) func optionalIndex(of name: String) -> Int? {
        statement?.columns.lookups.next(name, generation: generation) ?? search(for: name)
    }

    @inline(never) private func search(for name: String) -> Int? {
        let index = columnNames.firstIndex { $0.equalsIgnoringASCIICase(name) }
        statement?.columns.lookups.remember(name, at: index)
        return index
    }

    /// The column whose name is the given one in snake case.
    @inline(__always) func optionalIndex(ofSnakeCase name: String) -> Int? {
        statement?.columns.snakeCaseLookups.next(name, generation: generation)
            ?? searchSnakeCase(of: name)
    }

    @inline(never) private func searchSnakeCase(of name: String) -> Int? {
        let column = name.inSnakeCase
        let index = columnNames.firstIndex { $0.equalsIgnoringASCIICase(column) }
        statement?.columns.snakeCaseLookups.remember(name, at: index)
        return index
    }

    // MARK: Errors

    func missingColumnError(
        _ name: String,
        for type: Any.Type
    ) -> ExtractionError {
        ExtractionError(
            reason: .noColumn,
            column: name,
            availableColumns: columnNames,
            expectedType: "\(type)",
            sql: sql
        )
    }

    func trapStale() -> Never {
        let sql = sql?.excerpt(around: 0) ?? ""
        trap(
            """
            a row was read after its statement, or the function call, went on; keep its values, \
            or row.detached(), in: \(sql)
            """
        )
    }

    /// The error for a column that can't be read as `type`.
    ///
    /// - Parameters:
    ///   - value: The column's value; nil if there is no such column.
    ///   - form: The form of a value of that type.
    ///   - cause: The error of the type's own decoding.
    @inline(never) func extractionError(
        _ reason: ExtractionError.Reason,
        _ type: Any.Type,
        at index: Int,
        value: BindingValue? = nil,
        form: String? = nil,
        cause: (any Error)? = nil
    ) -> ExtractionError {
        let exists = reason != .noColumn
        return ExtractionError(
            reason: reason,
            column: exists ? columnNames[index] : nil,
            index: index,
            availableColumns: exists ? [] : columnNames,
            storageClass: value?.storageClass,
            expectedType: "\(type)",
            expectedForm: form,
            sql: sql,
            cause: cause.map(ExtractionError.Cause.init)
        )
    }
}

@available(*, unavailable, message: "values leave an access, rows don't")
extension Row: Sendable {}

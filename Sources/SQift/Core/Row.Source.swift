internal import CSQift

extension Row {
    /// Where a row's values are.
    @usableFromInline enum Source {
        /// In a statement that has stepped to the row.
        case live(Statement)
        /// In the arguments of an SQL function's call.
        case arguments(FunctionContext)
        /// In memory of the row's own.
        case stored(StoredRow)
    }
}

/// The values that a detached row owns.
@usableFromInline final class StoredRow {
    let names: ColumnNames
    let values: [BindingValue]
    let sql: SQL?

    init(names: ColumnNames, values: [BindingValue], sql: SQL?) {
        self.names = names
        self.values = values
        self.sql = sql
    }
}

// Reading a cell without a copy of the row, which would be retained.
//
// `sqlite3_column_value` finds the cell once, and `sqlite3_value_*` then read it. That is faster
// than several `sqlite3_column_*` calls. SQLite calls such a value unprotected: two threads mustn't
// use it at the same time. A `Connection` belongs to one thread.
// https://sqlite.org/c3ref/column_blob.html
extension Row.Source {
    /// SQLite's value of a cell. Returns nil if the row is stored or stale, or has no such column.
    ///
    /// - Parameter generation: The row's `generation`.
    @inline(__always) func value(at index: Int, generation: Int) -> OpaquePointer? {
        switch self {
        case .live(let statement):
            guard statement.generation == generation,
                UInt(bitPattern: index) < UInt(bitPattern: statement.columnCount)
            else {
                return nil
            }
            return sqlite3_column_value(statement.handle, Int32(truncatingIfNeeded: index))
        case .arguments(let context):
            return context.argument(at: index, callNumber: generation)
        case .stored:
            return nil
        }
    }

    /// SQLite's value of a cell if it has that storage class.
    @inline(__always) func value(
        at index: Int,
        generation: Int,
        ifStoredAs storageClass: Int32
    ) -> OpaquePointer? {
        guard let value = value(at: index, generation: generation),
            sqlite3_value_type(value) == storageClass
        else {
            return nil
        }
        return value
    }

    /// An INTEGER. Returns nil for anything else.
    @usableFromInline func int64(at index: Int, generation: Int) -> Int64? {
        value(at: index, generation: generation, ifStoredAs: SQLITE_INTEGER).map {
            sqlite3_value_int64($0)
        }
    }

    /// A REAL or an INTEGER. Returns nil for anything else.
    @usableFromInline func double(at index: Int, generation: Int) -> Double? {
        guard let value = value(at: index, generation: generation) else { return nil }
        let storageClass = sqlite3_value_type(value)
        guard storageClass == SQLITE_FLOAT || storageClass == SQLITE_INTEGER else { return nil }
        return sqlite3_value_double(value)
    }
}

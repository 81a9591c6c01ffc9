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

    static var empty: StoredRow { StoredRow(names: ColumnNames([]), values: [], sql: nil) }

    init(names: ColumnNames, values: [BindingValue], sql: SQL?) {
        self.names = names
        self.values = values
        self.sql = sql
    }
}

// Reading a cell.
//
// `sqlite3_column_value` finds the cell once, and `sqlite3_value_*` then read it. That is faster
// than several `sqlite3_column_*` calls. SQLite calls such a value unprotected: two threads mustn't
// use it at the same time. A `Connection` belongs to one thread.
// https://sqlite.org/c3ref/column_blob.html
extension Row {
    /// SQLite's value of a cell. Returns nil if the row is stored or stale, or has no such column.
    @inline(__always) func cell(at index: Int) -> OpaquePointer? {
        if let statement {
            return statement.value(at: index, generation: generation)
        }
        return function?.argument(at: index, callNumber: generation)
    }

    /// SQLite's value of a cell if it has that storage class.
    @inline(__always) func cell(at index: Int, ifStoredAs storageClass: Int32) -> OpaquePointer? {
        guard let value = cell(at: index), sqlite3_value_type(value) == storageClass else {
            return nil
        }
        return value
    }
}

// Inlined code reads the numbers of a live row here, so that the row is neither retained nor copied
// for a cell.
extension Statement {
    @inline(__always) func value(at index: Int, generation: Int) -> OpaquePointer? {
        guard self.generation == generation,
            UInt(bitPattern: index) < UInt(bitPattern: columnCount)
        else {
            return nil
        }
        return sqlite3_column_value(handle, Int32(truncatingIfNeeded: index))
    }

    /// An INTEGER. Returns nil for anything else.
    @usableFromInline func int64(at index: Int, generation: Int) -> Int64? {
        guard let value = value(at: index, generation: generation),
            sqlite3_value_type(value) == SQLITE_INTEGER
        else {
            return nil
        }
        return sqlite3_value_int64(value)
    }

    /// A REAL or an INTEGER. Returns nil for anything else.
    @usableFromInline func double(at index: Int, generation: Int) -> Double? {
        guard let value = value(at: index, generation: generation) else { return nil }
        let storageClass = sqlite3_value_type(value)
        guard storageClass == SQLITE_FLOAT || storageClass == SQLITE_INTEGER else { return nil }
        return sqlite3_value_double(value)
    }
}

internal import CSQift
import Foundation

extension Connection {
    /// Compares two strings. The result must be a total order. If an index uses it, the order must
    /// stay the same forever.
    public typealias Collation = (_ lhs: String, _ rhs: String) -> ComparisonResult

    /// Adds a collation, for `COLLATE name` in SQL, or replaces the one with that name.
    ///
    /// ```swift
    /// try connection.addCollation(named: "NUMERIC") {
    ///     $0.compare($1, options: [.numeric], locale: nil)
    /// }
    /// let names: [String] = try connection.query(
    ///     "SELECT name FROM files ORDER BY name COLLATE NUMERIC"
    /// )
    /// ```
    ///
    /// Strings that compare as equal are equal to SQLite, even in `UNIQUE`, `DISTINCT` and `GROUP
    /// BY`.
    ///
    /// Only connections that have the collation can use an index or a table with it. If the order
    /// changes, the index is corrupt; the order of the current locale changes with the user's
    /// settings.
    ///
    /// The closure is called in the middle of a statement, on its thread, and must not use the
    /// connection. If `PRAGMA threads` allows helper threads, SQLite sorts on them and calls the
    /// closure there. Bytes that aren't UTF-8 are passed to it as U+FFFD.
    ///
    /// - Throws: ``SQLiteError``: `SQLITE_BUSY` if a collation is replaced while statements are
    ///   running, `SQLITE_MISUSE` after ``close()``.
    ///
    /// SQLite: [sqlite3_create_collation](https://sqlite.org/c3ref/create_collation.html)
    public func addCollation(named name: String, _ compare: @escaping Collation) throws {
        let name = try name.withoutNUL()
        try withUnsafeHandle { handle in
            let box = Unmanaged.passRetained(CollationBox(compare))
            // "The xDestroy callback is not called if the sqlite3_create_collation_v2() function
            // fails.": https://sqlite.org/c3ref/create_collation.html
            let code = sqlite3_create_collation_v2(
                handle,
                name,
                SQLITE_UTF8,
                box.toOpaque(),
                { box, count, bytes, otherCount, otherBytes in
                    guard let box else { return 0 }
                    let text = UnsafeRawBufferPointer(start: bytes, count: Int(count))
                    let other = UnsafeRawBufferPointer(start: otherBytes, count: Int(otherCount))
                    let result = Unmanaged<CollationBox>.fromOpaque(box).takeUnretainedValue()
                        .collation(
                            String(decoding: text, as: UTF8.self),
                            String(decoding: other, as: UTF8.self)
                        )
                    return Int32(result.rawValue)
                },
                releaseObject
            )
            // SQLite doesn't call the destructor of a collation that it refuses. (It does for a
            // function.)
            if code != SQLITE_OK {
                box.release()
            }
            try check(code)
        }
    }

    /// Removes a collation.
    ///
    /// - Throws: ``SQLiteError``: `SQLITE_BUSY` if statements are running.
    public func removeCollation(named name: String) throws {
        let name = try name.withoutNUL()
        try withUnsafeHandle { handle in
            try check(sqlite3_create_collation_v2(handle, name, SQLITE_UTF8, nil, nil, nil))
        }
    }
}

private final class CollationBox {
    let collation: Connection.Collation

    init(_ collation: @escaping Connection.Collation) {
        self.collation = collation
    }
}

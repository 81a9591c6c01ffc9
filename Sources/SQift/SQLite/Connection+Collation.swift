internal import CSQift
import Foundation

extension Connection {
    /// Compares two texts. It must be an order, and the same one for ever where an index uses it.
    public typealias Collation = (_ lhs: String, _ rhs: String) -> ComparisonResult

    /// Adds a collation, for `COLLATE name` in SQL, or replaces the one with that name.
    ///
    /// ```swift
    /// try connection.addCollation(named: "NUMERIC") { $0.compare($1, options: [.numeric], locale: nil) }
    /// let names: [String] = try connection.query("SELECT name FROM files ORDER BY name COLLATE NUMERIC")
    /// ```
    ///
    /// Texts that compare as equal are equal to SQLite: in `UNIQUE`, `DISTINCT` and `GROUP BY` too.
    /// An index or a table that uses the collation can be used only by connections that have it,
    /// and is corrupt where its order has changed, as the current locale's does with the user's
    /// settings. The closure is called in the middle of a statement, on its thread, and must not
    /// use the connection; where `PRAGMA threads` allows helper threads, SQLite sorts on them and
    /// calls it there. Bytes that aren't UTF-8 reach it as U+FFFD.
    ///
    /// - Throws: `SQLiteError`: `SQLITE_BUSY` if statements are running while one is replaced,
    ///   `SQLITE_MISUSE` after `close()`.
    ///
    /// https://sqlite.org/c3ref/create_collation.html
    public func addCollation(named name: String, _ compare: @escaping Collation) throws {
        let name = try name.withoutNUL()
        try withUnsafeHandle { handle in
            let box = Unmanaged.passRetained(CollationBox(compare))
            let code = sqlite3_create_collation_v2(
                handle,
                name,
                SQLITE_UTF8,
                box.toOpaque(),
                { box, count, bytes, otherCount, otherBytes in
                    guard let box else { return 0 }
                    let compare = Unmanaged<CollationBox>.fromOpaque(box).takeUnretainedValue()
                        .compare
                    return Int32(
                        compare(
                            String(
                                decoding: UnsafeRawBufferPointer(start: bytes, count: Int(count)),
                                as: UTF8.self
                            ),
                            String(
                                decoding: UnsafeRawBufferPointer(
                                    start: otherBytes,
                                    count: Int(otherCount)
                                ),
                                as: UTF8.self
                            )
                        ).rawValue
                    )
                },
                { if let box = $0 { Unmanaged<CollationBox>.fromOpaque(box).release() } }
            )
            guard code == SQLITE_OK else {
                // Unlike a function's, a collation's destructor isn't called when it can't be
                // registered.
                box.release()
                throw error(code, hasOffset: false)
            }
        }
    }

    /// As `addCollation(named:_:)`, in SQift 5.1's form, which doesn't throw.
    ///
    /// - Returns: The error, if SQLite refuses it.
    @available(*, deprecated, renamed: "addCollation(named:_:)")
    @discardableResult public func createCollation(
        named name: String,
        collate: @escaping Collation
    ) -> SQLiteError? {
        do {
            try addCollation(named: name, collate)
            return nil
        } catch {
            return error as? SQLiteError
        }
    }

    /// Removes a collation.
    ///
    /// - Throws: `SQLiteError`: `SQLITE_BUSY` if statements are running.
    public func removeCollation(named name: String) throws {
        let name = try name.withoutNUL()
        try withUnsafeHandle { handle in
            let code = sqlite3_create_collation_v2(handle, name, SQLITE_UTF8, nil, nil, nil)
            guard code == SQLITE_OK else { throw error(code, hasOffset: false) }
        }
    }
}

private final class CollationBox {
    let compare: Connection.Collation

    init(_ compare: @escaping Connection.Collation) {
        self.compare = compare
    }
}

internal import CSQift

// Properties of a connection, and of the SQLite library.
extension Connection {
    /// The absolute path of the main database's file, or an empty string if there is no file.
    ///
    /// SQLite: [sqlite3_db_filename](https://sqlite.org/c3ref/db_filename.html)
    public var fileName: String { (try? file(of: "main")) ?? "" }

    /// The path of a database's file, or nil if it has none, or if there is no such database.
    func file(of database: String) throws -> String? {
        let name = try database.withoutNUL()
        return try withUnsafeHandle { handle in
            let path = sqlite3_db_filename(handle, name).map(String.init) ?? ""
            // The VFS `memdb` has names, but no files.
            return path.isEmpty || sqift_is_memdb(handle, name) != 0 ? nil : path
        }
    }

    /// Whether only this connection can see the main database: it is temporary, or in memory
    /// without a name that the process's other connections share.
    var isDatabasePrivate: Bool { fileName.isEmpty && !opening.sharesMemoryByName }

    /// Whether the main database can only be read.
    ///
    /// SQLite: [sqlite3_db_readonly](https://sqlite.org/c3ref/db_readonly.html)
    public var readOnly: Bool { handle != nil && sqlite3_db_readonly(handle, nil) == 1 }

    /// Whether SQLite was built for use from several threads.
    ///
    /// SQLite: [sqlite3_threadsafe](https://sqlite.org/c3ref/threadsafe.html)
    public var threadSafe: Bool { sqlite3_threadsafe() > 0 }

    /// The rowid of the last row that this connection inserted, 0 before the first.
    ///
    /// SQLite: [sqlite3_last_insert_rowid](https://sqlite.org/c3ref/last_insert_rowid.html)
    public var lastInsertRowID: Int64 { handle == nil ? 0 : sqlite3_last_insert_rowid(handle) }

    /// How many rows the last INSERT, UPDATE or DELETE changed, not counting changes by triggers
    /// and foreign keys.
    ///
    /// SQLite: [sqlite3_changes](https://sqlite.org/c3ref/changes.html)
    public var changes: Int { handle == nil ? 0 : Int(clamping: sqift_changes(handle)) }

    /// How many rows this connection has changed since it was opened, counting changes by triggers
    /// and foreign keys.
    ///
    /// SQLite: [sqlite3_total_changes](https://sqlite.org/c3ref/total_changes.html)
    public var totalChanges: Int {
        handle == nil ? 0 : Int(clamping: sqift_total_changes(handle))
    }

    /// Whether a transaction is open, no matter how it was begun.
    ///
    /// SQLite: [sqlite3_get_autocommit](https://sqlite.org/c3ref/get_autocommit.html)
    public var isInsideTransaction: Bool { handle != nil && sqlite3_get_autocommit(handle) == 0 }

    /// Calls `body` with the `sqlite3 *`, for what SQift doesn't cover: `import CSQift` and call
    /// the C API.
    ///
    /// The pointer isn't valid after `body`. Don't close it, and don't finalize statements that
    /// SQift prepared. Don't set a progress handler: SQift's own is silent during COMMIT, whose
    /// interruption might otherwise be reported after it took effect.
    ///
    /// - Throws: ``SQLiteError`` (`SQLITE_MISUSE`) after ``close()``, and what `body` throws.
    @discardableResult public func withUnsafeHandle<T>(
        _ body: (OpaquePointer) throws -> T
    ) throws -> T {
        guard let handle else { throw unusableError }
        return try body(handle)
    }

    /// The version of the SQLite library in use, such as `3.46.1`.
    ///
    /// SQLite: [sqlite3_libversion](https://sqlite.org/c3ref/libversion.html)
    public static var sqliteVersion: String { String(cString: sqlite3_libversion()) }

    /// Whether SQLite was built with an option, such as `ENABLE_FTS5`, with or without `SQLITE_` in
    /// front.
    ///
    /// SQLite: [Compile-time Options](https://sqlite.org/compile.html)
    public static func hasCompileOption(_ name: String) -> Bool {
        sqlite3_compileoption_used(name) != 0
    }
}

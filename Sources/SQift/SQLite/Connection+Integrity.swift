internal import CSQift

extension Connection {
    /// Reads a whole database and returns the errors in it; an empty array if there are none.
    ///
    /// ```swift
    /// let errors = try connection.integrityCheck()
    /// let orphans = try connection.foreignKeyViolations()
    /// print(errors.isEmpty && orphans.isEmpty ? "sound" : "damaged")
    /// ```
    ///
    /// It takes longer than reading the file. It doesn't check foreign keys: use
    /// `foreignKeyViolations()`.
    ///
    /// - Parameters:
    ///   - maximumErrors: The number of errors after which it stops, at least 1.
    ///   - database: The name of the database; nil checks all.
    /// - Throws: ``SQLiteError`` if the damage prevents the check itself: `SQLITE_CORRUPT`,
    ///   `SQLITE_NOTADB`; `SQLITE_MISUSE` if `maximumErrors` is less than 1.
    ///
    /// SQLite: [PRAGMA integrity_check](https://sqlite.org/pragma.html#pragma_integrity_check)
    public func integrityCheck(
        maximumErrors: Int = 100,
        database: String? = nil
    ) throws -> [String] {
        try check("integrity_check", maximumErrors: maximumErrors, database: database)
    }

    /// Does the same as `integrityCheck`, but doesn't compare indexes with their tables nor check
    /// uniqueness. It is much faster.
    ///
    /// SQLite: [PRAGMA quick_check](https://sqlite.org/pragma.html#pragma_quick_check)
    public func quickCheck(maximumErrors: Int = 100, database: String? = nil) throws -> [String] {
        try check("quick_check", maximumErrors: maximumErrors, database: database)
    }

    private func check(
        _ pragma: SQL,
        maximumErrors: Int,
        database: String?
    ) throws -> [String] {
        guard maximumErrors > 0 else {
            throw misuse("maximumErrors must be at least 1: \(maximumErrors)")
        }
        let schema = database.map { "\($0.quotedAsIdentifier)." } ?? ""
        let errors: [String] = try query(
            "PRAGMA \(schema)\(pragma)(\(Int32(clamping: maximumErrors)))"
        )
        return errors == ["ok"] ? [] : errors
    }

    /// The rows whose foreign keys have no parent, whether or not foreign keys are enforced.
    ///
    /// - Parameter database: The name of the database; nil checks all.
    /// - Throws: ``SQLiteError``, for example if a foreign key refers to columns that aren't unique
    ///   in the parent.
    ///
    /// SQLite: [PRAGMA foreign_key_check](https://sqlite.org/pragma.html#pragma_foreign_key_check)
    public func foreignKeyViolations(database: String? = nil) throws -> [ForeignKeyViolation] {
        var violations: [ForeignKeyViolation] = []
        for database in try databases(database) {
            try forEachForeignKeyViolation(database: database) { violations.append($0) }
        }
        return violations
    }

    /// Calls `body` with each row of a database whose foreign key has no parent.
    func forEachForeignKeyViolation(
        database: String,
        _ body: (ForeignKeyViolation) -> Void
    ) throws {
        var keys: [String: [Int: ForeignKey]] = [:]
        let pragma = "PRAGMA \(database.quotedAsIdentifier).foreign_key_check"
        try forEachRow(pragma) { row in
            let table: String = try row.get(0)
            let keysOfTable = try keys[table] ?? foreignKeysByID(of: table, database: database)
            keys[table] = keysOfTable
            body(
                ForeignKeyViolation(
                    database: database,
                    table: table,
                    rowID: try row.get(1),
                    parent: try row.get(2),
                    columns: keysOfTable[try row.get(3)]?.columns ?? []
                )
            )
        }
    }

    /// Whether SQLite has the fix of a bug that can corrupt a database in WAL mode: if one
    /// connection restarts the WAL at the same moment as another one writes or checkpoints.
    ///
    /// The bug is fixed in 3.51.3 and later, and in the releases 3.50.7 and 3.44.6 of older lines.
    /// A distribution may have added the fix to another version; this property can't know that.
    /// Without the fix, let only one connection write and checkpoint.
    ///
    /// SQLite: [The WAL-Reset Bug](https://sqlite.org/wal.html#the_wal_reset_bug)
    public static var hasWALResetFix: Bool {
        let version = sqlite3_libversion_number()
        return switch version / 1000 {
        case 3044: version >= 3_044_006
        case 3050: version >= 3_050_007
        default: version >= 3_051_003
        }
    }
}

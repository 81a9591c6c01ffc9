/// An error while migrations run: a migration failed, or none could run.
public struct MigratorError: ReasonedError {
    /// The kinds of error. Later versions may add some, so give a `switch` a `default`.
    public enum Reason: Sendable {
        /// The migration threw `underlyingError`; or it ended or left open a transaction, and that
        /// is nil. The database is as it was before the migration, except after a migration without
        /// a transaction.
        case failed

        /// The migration leaves rows whose foreign keys have no parent. The database is as it was
        /// before the migration, except after a migration without a transaction.
        case foreignKeyViolations

        /// The database has migrations that the code doesn't know: a newer version of the program
        /// has made it. Nothing was changed.
        case databaseIsNewer

        /// The SQL of a migration was edited after it had run. Nothing was changed.
        case edited

        /// The connection is in a transaction, in which foreign keys can't be switched off. Nothing
        /// was changed.
        case insideTransaction

        /// Migrations are pending, and the connection can't write.
        case readOnly

        /// The names or records contradict each other.
        ///
        /// - Two migrations have the same name.
        /// - The migration to run up to doesn't exist, or comes before one that has run.
        /// - `replaces` names a migration that is still in the list, stands beside
        ///   `replacesVersion`, or the database has only some of its names.
        /// - `schema_migrations` isn't SQift's.
        ///
        /// The migration that this is about has changed nothing.
        case inconsistent

        /// A file, or a migration's SQL, can't be used: it can't be read, its name has no number,
        /// or it would do something else than its author means, such as run a down part too.
        /// Nothing was changed.
        case unusableFile
    }

    /// The kind of error.
    public let reason: Reason

    /// The name of the migration, if the error is about a single one.
    public let migration: String?

    /// What happened, and where.
    public let message: String

    /// The error that the migration threw, or with which reading a file failed; nil for other
    /// reasons. For SQL it is a ``SQLiteError`` with the offset in the script.
    public let underlyingError: (any Error)?

    init(
        _ reason: Reason,
        _ message: String,
        migration: String? = nil,
        underlying: (any Error)? = nil
    ) {
        self.reason = reason
        self.migration = migration
        self.message = message
        underlyingError = underlying
    }

    /// The error for a database that has something that the program doesn't know.
    ///
    /// - Parameter squash: A pending migration, which may have to replace that.
    static func newer(
        _ unknown: String,
        unlessReplacedBy squash: Migration? = nil
    ) -> MigratorError {
        var message =
            """
            the database is newer than the program: it has \(unknown), which the program doesn't \
            know
            """
        if let squash {
            message += "; or it is older, and \(squash.name) has no list that replaces it"
        }
        return MigratorError(.databaseIsNewer, message)
    }
}

/// The conditions under which the closure of an access runs.
@usableFromInline struct AccessMode: Sendable {
    /// The transaction that the closure runs in, if any.
    var transaction: Connection.TransactionType?
    /// Whether statements are kept from writing (`PRAGMA query_only`). A connection that was opened
    /// read-only needs no pragma for it.
    var isQueryOnly = false
    /// Whether a transaction may stay open from one closure to the next. Otherwise one that the
    /// closure leaves open is rolled back and reported.
    var mayLeaveTransactionOpen = false

    /// SQift 5.1's access: the connection as it is.
    @usableFromInline static var raw: AccessMode { AccessMode(mayLeaveTransactionOpen: true) }
    /// For writing, each statement by itself.
    @usableFromInline static var plain: AccessMode { AccessMode() }
    /// For reading, each statement by itself.
    @usableFromInline static var plainRead: AccessMode { AccessMode(isQueryOnly: true) }
    /// For reading one state of the database.
    @usableFromInline static var read: AccessMode {
        AccessMode(transaction: .deferred, isQueryOnly: true)
    }
    /// For writing, all or nothing.
    @usableFromInline static var write: AccessMode { AccessMode(transaction: .immediate) }
}

/// The conditions under which the closure of an access runs.
@usableFromInline enum AccessKind: Sendable {
    /// The connection as it is: for `ConnectionQueue.execute`.
    case unmanaged
    /// In the transaction that a snapshot is.
    case snapshot
    /// For writing, each statement by itself.
    case autocommit
    /// For reading, each statement by itself.
    case autocommitRead
    /// For reading one state of the database.
    case read
    /// For writing, all or nothing.
    case write

    /// The transaction that the closure runs in, if any.
    var transaction: Connection.TransactionType? {
        switch self {
        case .read: .deferred
        case .write: .immediate
        case .unmanaged, .snapshot, .autocommit, .autocommitRead: nil
        }
    }

    /// Whether the closure can't write.
    var isQueryOnly: Bool { self == .read || self == .autocommitRead }

    /// Whether a transaction may stay open from one closure to the next. Otherwise one that the
    /// closure leaves open is rolled back and reported.
    var mayLeaveTransactionOpen: Bool { self == .unmanaged || self == .snapshot }
}

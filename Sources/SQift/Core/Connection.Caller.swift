extension Connection {
    /// Whose statements run. It decides which callbacks of the program's are asked.
    enum Caller: Comparable {
        /// The program's own: its authorizer and its progress handler are asked.
        case program
        /// `transaction` or `savepoint`, to begin or end one of the program's: only the authorizer
        /// is asked.
        case transaction
        /// The library, for what the program didn't ask for: none is asked.
        case library
        /// The library, to begin or end the transaction of an access: none is asked.
        case accessTransaction
    }

    /// Whether the authorizer isn't asked, so that the statements are cached by themselves.
    var isShielded: Bool { caller >= .library }

    /// Whether the progress handler isn't asked.
    var isUninterrupted: Bool { caller != .program }

    /// Whether a transaction is being begun or ended.
    var isInTransactionStatement: Bool { caller == .transaction || caller == .accessTransaction }
}

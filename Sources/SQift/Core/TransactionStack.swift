/// The transactions and savepoints whose closures run on a connection, and the undo that a failed
/// one still needs.
struct TransactionStack {
    /// The undo of a failed transaction.
    enum Undo {
        case rollback
        case rollbackTo(quotedSavepoint: String)

        var sql: SQL {
            switch self {
            case .rollback: "ROLLBACK"
            case .rollbackTo(let name): "ROLLBACK TO SAVEPOINT \(name); RELEASE SAVEPOINT \(name)"
            }
        }

        /// Whether it undoes the whole transaction, not only a savepoint in it.
        var isWhole: Bool {
            if case .rollback = self { true } else { false }
        }
    }

    /// How many `transaction` and `savepoint` closures are running.
    private(set) var depth = 0
    /// The undo that hasn't succeeded yet.
    var pendingUndo: Undo?
    /// Why SQLite ended the transaction by itself, if it did.
    private(set) var causeOfLoss: String?
    /// How many transactions have been rolled back on this connection, by SQLite or by a statement.
    var rollbackCount = 0

    @inline(__always) var hasPendingUndo: Bool { pendingUndo != nil }

    mutating func enter() {
        depth += 1
    }

    mutating func leave() {
        depth -= 1
        if depth == 0 {
            causeOfLoss = nil
        }
    }

    /// Remembers the first error with which SQLite ended the transaction.
    mutating func noteLoss(by error: SQLiteError) {
        if depth > 0, causeOfLoss == nil {
            causeOfLoss = "SQLite rolled it back (\(error.message))"
        }
    }
}

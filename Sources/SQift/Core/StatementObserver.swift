/// Is told about the statements of a connection while somebody listens to its changes.
///
/// This is a class, with methods that do nothing: a call of a protocol's method would count
/// references in each run of a statement.
class StatementObserver: ConnectionAttachment {
    // The compiler's exclusivity checks are off for what each run of a statement touches.

    /// What the open transaction has changed so far.
    @exclusivity(unchecked) final var written = TableChanges() {
        didSet { lastAdded = nil }
    }
    /// The tables that were added last, so that the same statement adds nothing when it runs again.
    @exclusivity(unchecked) final var lastAdded: StatementTables?

    /// The statement's first step follows.
    func willRun(_ statement: Statement) {}

    /// The statement has made its first step, in which it does all of its writing.
    ///
    /// - Parameter code: The step's result.
    func hasRun(_ statement: Statement, code: Int32) {}

    /// The statement was reset. A transaction may be over.
    func hasEnded(_ statement: Statement) {}

    /// Something else than a statement has written to a table, or nil for all of them.
    func noteWrite(to table: StatementTables.Table?) {}

    /// Something else than a statement reads a table.
    func noteRead(of table: StatementTables.Table) {}

    func transactionWasRolledBack() {}

    /// Calls the listeners if a transaction is over. This is called whenever one may be.
    func reportEndOfTransaction() {}
}

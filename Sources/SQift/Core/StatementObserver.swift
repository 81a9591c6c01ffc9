/// Is told about the statements of a connection while somebody listens to its changes.
protocol StatementObserver: AnyObject {
    /// What the open transaction has changed so far.
    var written: TableChanges { get set }

    /// The statement's first step follows.
    func willRun(_ statement: Statement)

    /// The statement has made its first step, in which it does all of its writing.
    ///
    /// - Parameter code: The step's result.
    func hasRun(_ statement: Statement, code: Int32)

    /// The statement was reset. A transaction may be over.
    func hasEnded(_ statement: Statement)

    /// Something else than a statement has written to a table, or nil for all of them.
    func noteWrite(to table: StatementTables.Table?)

    /// The table with its names as the schema spells them.
    func spelling(of table: StatementTables.Table) -> StatementTables.Table

    /// Something else than a statement reads a table.
    func noteRead(of table: StatementTables.Table)

    func transactionWasRolledBack()

    /// Calls the listeners if a transaction is over. This is called whenever one may be.
    func reportEndOfTransaction()
}

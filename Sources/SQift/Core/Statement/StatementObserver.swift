/// Is told what the statements of a connection do, once there is a listener.
///
/// This is a class, with methods that do nothing: a call of a protocol's method would count
/// references in each run of a statement.
class StatementObserver: ConnectionAttachment {
    /// A table, as SQLite names it.
    struct Table: Hashable {
        let database: String
        let name: String
    }

    /// The four strings that describe an action to the authorizer.
    typealias ActionStrings = [UnsafePointer<CChar>?]

    // MARK: Compiling

    /// SQLite compiles SQL next, since the library asks for it.
    func willCompile() {}

    func hasCompiled() {}

    /// What was compiled last has become this statement.
    func hasPrepared(_ statement: Statement) {}

    /// Whatever SQLite compiles is going to do this, unless an authorizer forbids it.
    func mayDo(_ action: Int32, _ strings: ActionStrings) {}

    // MARK: Running

    /// The statement's first step follows.
    func willRun(_ statement: Statement) {}

    /// The statement was reset. A transaction may be over.
    ///
    /// - Parameter hasSucceeded: Whether its last step was without an error.
    func hasEnded(_ statement: Statement, hasSucceeded: Bool) {}

    /// Something else than a statement has written to a table, or nil for all of them.
    func noteWrite(to table: Table?) {}

    /// Something else than a statement reads a table.
    func noteRead(of table: Table) {}

    // MARK: Transactions

    /// A savepoint inside a transaction has begun. They end in the reverse order.
    func savepointHasBegun() {}

    func savepointHasEnded(isUndone: Bool) {}

    func transactionWasRolledBack() {}

    /// Calls the listeners if a transaction is over. This is called whenever one may be.
    func reportEndOfTransaction() {}
}

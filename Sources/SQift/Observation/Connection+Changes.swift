// SQLite's own hooks run inside the commit, where the connection can't be used, and there is one of
// each. These closures run after it, and there may be any number of them.
extension Connection {
    /// Calls `body` after each commit of this connection that has changed a table. The connection
    /// can be used there, and not closed.
    ///
    /// ```swift
    /// connection.didCommit { changes in
    ///     if changes.concerns("orders") { sendMails() }
    /// }
    /// ```
    ///
    /// It is called on the connection's thread, before the statement or the `transaction` that has
    /// committed returns. If `body` writes, the listeners are called for that too, afterwards. What
    /// was rolled back isn't reported, nor what was written by a C function of your own.
    ///
    /// A statement that has changed something reports every table that it could have written, by
    /// triggers and foreign keys too. `ROLLBACK TO` that you write yourself, and a statement with
    /// triggers that fails inside a transaction, undo changes that are reported nevertheless.
    ///
    /// While there is a listener, SQLite takes a little longer to compile statements. The first one
    /// makes it compile the connection's statements again. The connection keeps `body` until the
    /// listener ends, or the connection is closed.
    ///
    /// - Parameters:
    ///   - once: Whether the listener ends with the first call, just before it. It ends by itself
    ///     only then: a transaction that is rolled back isn't counted.
    ///   - body: What to do after a commit.
    /// - Returns: A listener whose `end()` ends the calls. It needn't be kept.
    @discardableResult
    public func didCommit(
        once: Bool = false,
        _ body: @escaping (TableChanges) -> Void
    ) -> ChangeListener {
        let listener = attachment(ChangeTracker.self).add(body)
        listener.isOnce = once
        return listener
    }
}

/// Identifies a closure that listens to changes, for `removeListener(_:)` of the object that
/// returned it. Listeners of different objects can be equal.
public struct ChangeListener: Sendable, Hashable {
    let number: Int
}

// SQLite's own hooks run inside the commit, where the connection can't be used, and there is one of
// each. These closures run after it, and there may be any number of them.
extension Connection {
    /// Calls `body` after each commit of this connection that has changed a table. The connection
    /// can be used there.
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
    /// `ROLLBACK TO` that you write yourself undoes changes that are reported nevertheless. Changes
    /// of a statement that failed inside a transaction may be reported too, if it has triggers. A
    /// statement that can write to several tables `WITHOUT ROWID` or virtual tables, by triggers or
    /// foreign keys, reports all of these if it has written to one. In a transaction that has
    /// written to a full-text index, a statement can be reported that has changed no row.
    ///
    /// While there is a listener, SQLite takes a little longer to compile statements. The
    /// connection keeps `body` until it is removed, or the connection is closed.
    ///
    /// - Returns: For ``removeListener(_:)``.
    @discardableResult
    public func didCommit(_ body: @escaping (TableChanges) -> Void) -> ChangeListener {
        let tracker = attachment(ChangeTracker.self)
        return tracker.addListener { tracker.commitListeners[$0] = body }
    }

    /// Calls `body` after each transaction that was rolled back as a whole. The connection can be
    /// used there. Otherwise as ``didCommit(_:)``.
    @discardableResult
    public func didRollback(_ body: @escaping () -> Void) -> ChangeListener {
        let tracker = attachment(ChangeTracker.self)
        return tracker.addListener { tracker.rollbackListeners[$0] = body }
    }

    /// Removes a closure of `didCommit(_:)` or `didRollback(_:)`. Removing it again does nothing.
    ///
    /// Pass only what this connection has returned: another connection's listeners have the same
    /// numbers.
    public func removeListener(_ listener: ChangeListener) {
        existingAttachment(ChangeTracker.self)?.removeListener(listener.number)
    }

    /// Calls `body`.
    ///
    /// - Returns: Its result, and the keys of the tables that its statements read.
    func gatheringReads<T>(_ body: () throws -> T) rethrows -> (T, tables: Set<String>) {
        try attachment(ChangeTracker.self).gatheringReads(body)
    }

    /// Gives a database all changes from now on, or none.
    func publishChanges(to publish: ((TableChanges) -> Void)?) {
        let tracker = attachment(ChangeTracker.self)
        if let publisher = tracker.publisher {
            removeListener(publisher)
        }
        tracker.publisher = publish.map { didCommit($0) }
        isPublishingChanges = publish != nil
    }
}

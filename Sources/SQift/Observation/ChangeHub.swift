internal import CSQift

/// Tells all listeners of a database what its writer has committed, and those who poll that others
/// have committed.
final class ChangeHub: DatabaseObserver {
    private struct WeakListener {
        weak var listener: DatabaseChangeListener?
        let isPolling: Bool
    }

    private struct State {
        var listeners: [ObjectIdentifier: WeakListener] = [:]
        /// The writer and its data version at the last look. Nil before the first look since
        /// polling began.
        var lastLook: (connection: ObjectIdentifier, version: Int64)?
        var isLookInLine = false
        /// Whether the writer is in use by a look.
        var isLooking = false
        /// Whether an access has used the writer since polling began.
        var wasUsed = false
    }

    private let state = Locked(State())

    func add(_ listener: DatabaseChangeListener, of writer: Lane) {
        let isPolling = listener.isPolling
        state.withLock { state in
            if isPolling, !state.listeners.values.contains(where: \.isPolling) {
                state.lastLook = nil
                state.wasUsed = writer.isInUse && !state.isLooking
            }
            state.listeners[ObjectIdentifier(listener)] = WeakListener(
                listener: listener,
                isPolling: isPolling
            )
        }
        if writer.gate.isClosed {
            listener.end()
        }
        if isPolling {
            // At once, before another access has the connection.
            look(at: writer)
        }
    }

    func remove(_ listener: DatabaseChangeListener) {
        state.withLock { $0.listeners[ObjectIdentifier(listener)] = nil }
    }

    private func forEachListener(_ body: (DatabaseChangeListener) -> Void) {
        state.withLock { $0.listeners.values.compactMap(\.listener) }.forEach(body)
    }

    func publish(_ changes: TableChanges) {
        forEachListener { $0.add(changes) }
    }

    // MARK: The database

    func accessWillBegin(on writer: Connection) {
        let isWanted = state.withLock { state in
            state.wasUsed = true
            return !state.listeners.isEmpty
        }
        let tracker = writer.attachment(ChangeTracker.self)
        if isWanted != tracker.isPublishing {
            tracker.publish(to: isWanted ? { [weak self] in self?.publish($0) } : nil)
        }
    }

    func accessHasEnded(on writer: Connection) {
        // A listener came during the access. What it has written isn't known.
        let isWanted = state.withLock { !$0.listeners.isEmpty }
        if isWanted, !writer.attachment(ChangeTracker.self).isPublishing {
            publish(.unknown)
        }
    }

    func hasResumed() {
        forEachListener { $0.wake() }
    }

    func hasClosed() {
        forEachListener { $0.finish() }
    }

    // MARK: Commits of others

    /// Looks whether others have committed, once the writer isn't in use, unless a look waits for
    /// that already. One look serves all listeners that poll.
    func look(at writer: Lane) {
        let isInLine = state.withLock { state in
            defer { state.isLookInLine = true }
            return state.isLookInLine
        }
        guard !isInLine else { return }
        writer.line.async {
            // From here on another look may be needed: that of a listener that is added meanwhile.
            self.state.withLock { state in
                state.isLookInLine = false
                state.isLooking = true
            }
            defer { self.state.withLock { $0.isLooking = false } }
            writer.withConnection { connection in
                guard self.hasNewCommit(connection) else { return }
                var changes = TableChanges.unknown
                changes.isExternal = true
                self.forEachListener { listener in
                    if listener.isPolling {
                        listener.add(changes)
                    }
                }
            }
        }
    }

    /// The writer sees a new data version for the commits of others only.
    private func hasNewCommit(_ writer: Connection) -> Bool {
        let before = writer.pagerVersion
        // While another connection locks the file, nothing is known.
        guard let version = writer.withoutWaiting({ try? writer.dataVersion }) else {
            return false
        }
        let isUnseen = before != writer.pagerVersion
        let look = (ObjectIdentifier(writer), version)
        return state.withLock { state in
            defer { state.lastLook = look }
            // At the first look, what others have committed since the writer was last used. If it
            // was used since polling began, that is no answer.
            guard let last = state.lastLook else { return isUnseen || state.wasUsed }
            return last != look
        }
    }
}

extension Connection {
    /// The version of the main database that this connection knows, without a look at the file.
    ///
    /// SQLite: [SQLITE_FCNTL_DATA_VERSION](
    /// https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntldataversion)
    fileprivate var pagerVersion: UInt32 {
        guard let handle else { return 0 }
        var version: UInt32 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return version
    }
}

extension Database {
    /// The database's hub, which exists from the first listener on.
    var changeHub: ChangeHub {
        observer.withLock { observer in
            let hub = observer as? ChangeHub ?? ChangeHub()
            observer = hub
            return hub
        }
    }
}

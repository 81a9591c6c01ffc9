/// Hands the changes of a database's connection that writes to everybody who listens.
final class ChangeHub: DatabaseObserver {
    private struct WeakListener {
        weak var listener: DatabaseChangeListener?
    }

    private struct State {
        var listeners: [ObjectIdentifier: WeakListener] = [:]
        var isClosed = false
    }

    private let state = Locked(State())
    /// 1 while somebody listens. Each access that writes reads it, without the lock.
    private let isListening = AtomicWords(count: 1)
    private let uses = AtomicWords(count: 1)

    /// How often the connection that writes has been lent, or has seen what others had committed.
    var useCount: UInt { uses[0] }

    private var listeners: [DatabaseChangeListener] {
        state.withLock { $0.listeners.values.compactMap(\.listener) }
    }

    func add(_ listener: DatabaseChangeListener) {
        let isClosed = state.withLock { state in
            state.listeners[ObjectIdentifier(listener)] = WeakListener(listener: listener)
            isListening[0] = 1
            return state.isClosed
        }
        if isClosed {
            listener.end()
        }
    }

    func remove(_ listener: DatabaseChangeListener) {
        state.withLock { state in
            state.listeners[ObjectIdentifier(listener)] = nil
            isListening[0] = state.listeners.isEmpty ? 0 : 1
        }
    }

    private func publish(_ changes: TableChanges) {
        for listener in listeners {
            listener.add(changes)
        }
    }

    // MARK: The database

    func willLend(_ connection: Connection) {
        noteUse()
        let isWanted = isListening[0] != 0
        let tracker = connection.attachment(ChangeTracker.self)
        if isWanted != tracker.isPublishing {
            tracker.publish(to: isWanted ? { [weak self] in self?.publish($0) } : nil)
        }
    }

    /// Called by who has the connection that writes.
    func noteUse() {
        uses[0] &+= 1
    }

    func hasLent(_ connection: Connection) {
        // Somebody began to listen during the access. What it has written isn't known.
        if isListening[0] != 0, !connection.attachment(ChangeTracker.self).isPublishing {
            publish(.unknown)
        }
    }

    func hasResumed() {
        for listener in listeners {
            listener.wake()
        }
    }

    func hasClosed() {
        state.withLock { $0.isClosed = true }
        for listener in listeners {
            listener.finish()
        }
    }
}

extension Database {
    /// The database's hub, which exists once somebody has listened.
    var changeHub: ChangeHub {
        observation.withLock { observation in
            if let hub = observation.observer as? ChangeHub {
                return hub
            }
            let hub = ChangeHub()
            if observation.isClosed {
                hub.hasClosed()
            }
            observation.observer = hub
            return hub
        }
    }
}

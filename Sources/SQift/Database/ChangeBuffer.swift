/// What a listener hasn't read yet, united. So a slow listener needs no more memory than a fast
/// one.
final class ChangeBuffer: Sendable {
    private struct State {
        var changes = TableChanges()
        /// The tasks that wait for a change: one, unless several share a sequence.
        var waiters: [CheckedContinuation<Void, Never>] = []
        var hasEnded = false

        mutating func take() -> TableChanges {
            defer { changes = TableChanges() }
            return changes
        }

        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            defer { waiters = [] }
            return waiters
        }
    }

    private let state = Locked(State())
    /// The keys of the tables that the listener asked for, nil for all.
    private let tables: Set<String>?
    /// Called when the buffer isn't empty any more.
    private let notify: (@Sendable (ChangeBuffer) -> Void)?

    init(tables: [String]?, notify: (@Sendable (ChangeBuffer) -> Void)? = nil) {
        self.tables = tables.map { Set($0.map(TableChanges.key)) }
        self.notify = notify
    }

    /// Adds what concerns the listener.
    func add(_ changes: TableChanges) {
        var changes = changes
        if let tables {
            guard changes.concerns(anyOf: tables) else { return }
            changes.tables = changes.tables.filter { tables.contains(TableChanges.key(of: $0)) }
        }
        let (mustNotify, waiters) = state.withLock { state in
            let wasEmpty = state.changes.isEmpty
            state.changes.formUnion(changes)
            return (wasEmpty && !state.hasEnded, state.takeWaiters())
        }
        for waiter in waiters {
            waiter.resume()
        }
        if mustNotify {
            notify?(self)
        }
    }

    /// Empties the buffer, and returns what was in it.
    @discardableResult func take() -> TableChanges {
        state.withLock { $0.take() }
    }

    /// Waits for changes. Nil at the end, and when the task is cancelled.
    func next() async -> TableChanges? {
        while true {
            await waitForChanges()
            if Task.isCancelled {
                return nil
            }
            let (changes, hasEnded) = state.withLock { ($0.take(), $0.hasEnded) }
            // Another task can have taken them.
            if !changes.isEmpty || hasEnded {
                return changes.isEmpty ? nil : changes
            }
        }
    }

    private func waitForChanges() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    // Asked under the lock: a later cancellation finds the continuation.
                    guard state.changes.isEmpty, !state.hasEnded, !Task.isCancelled else {
                        return false
                    }
                    state.waiters.append(continuation)
                    return true
                }
                if !mustWait {
                    continuation.resume()
                }
            }
        } onCancel: {
            for waiter in state.withLock({ $0.takeWaiters() }) {
                waiter.resume()
            }
        }
    }

    /// Ends the listening, after what is in the buffer.
    func end() {
        let waiters = state.withLock { state in
            state.hasEnded = true
            return state.takeWaiters()
        }
        for waiter in waiters {
            waiter.resume()
        }
    }
}

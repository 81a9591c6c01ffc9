/// What a listener hasn't read yet, united. So a slow listener needs no more memory than a fast
/// one.
final class ChangeBuffer: Sendable {
    private struct State {
        var changes = TableChanges()
        /// The task that waits for a change.
        var waiter: CheckedContinuation<Void, Never>?
        var hasEnded = false
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
        let (wasEmpty, waiter) = state.withLock { state in
            let wasEmpty = state.changes.isEmpty
            let waiter = state.waiter
            state.changes.formUnion(changes)
            state.waiter = nil
            return (wasEmpty && !state.hasEnded, waiter)
        }
        waiter?.resume()
        if wasEmpty {
            notify?(self)
        }
    }

    /// Empties the buffer, and returns what was in it.
    @discardableResult func take() -> TableChanges {
        state.withLock { state in
            let changes = state.changes
            state.changes = TableChanges()
            return changes
        }
    }

    /// Waits for changes. Nil at the end, and when the task is cancelled.
    func next() async -> TableChanges? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard state.changes.isEmpty, !state.hasEnded else { return false }
                    state.waiter = continuation
                    return true
                }
                if !mustWait {
                    continuation.resume()
                }
            }
        } onCancel: {
            end()
        }
        let changes = take()
        return changes.isEmpty ? nil : changes
    }

    /// Ends the listening, after what is in the buffer.
    func end() {
        let waiter = state.withLock { state in
            let waiter = state.waiter
            state.waiter = nil
            state.hasEnded = true
            return waiter
        }
        waiter?.resume()
    }
}

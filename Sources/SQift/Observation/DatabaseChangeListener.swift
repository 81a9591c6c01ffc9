import Foundation

/// Hears of a database's commits until `end()`, see ``Database/onChanges(in:pollingEvery:_:)``.
///
/// It keeps what nobody has read yet, united. So a slow listener needs no more memory than a fast
/// one.
public final class DatabaseChangeListener: Sendable {
    private struct State {
        var changes = TableChanges()
        /// Called when there are changes and were none before.
        var notify: (@Sendable () -> Void)?
        var timer: (any DispatchSourceTimer)?
        var hasEnded = false
    }

    private let state = Locked(State())
    /// An element for a loop to look at the changes, which are here once.
    private let (wakes, waker) = AsyncStream.makeStream(
        of: Void.self,
        bufferingPolicy: .bufferingNewest(1)
    )
    /// The keys of the tables to hear of, nil for all.
    private let tables: Set<String>?
    private let hub: ChangeHub

    init(to database: Database, in tables: [String]?, pollingEvery interval: TimeInterval?) {
        self.tables = tables.map { Set($0.map(TableChanges.key)) }
        hub = database.changeHub
        hub.add(self)
        if let interval {
            poll(database, every: interval)
        }
    }

    deinit {
        end()
    }

    /// Ends the listening. A call of its closure that has begun continues, and no other one
    /// follows. Ending it again does nothing.
    public func end() {
        _ = take()
        finish()
    }

    /// Ends the listening, after what is there already.
    func finish() {
        hub.remove(self)
        let (timer, notify) = state.withLock { state in
            defer { state = State(changes: state.changes, hasEnded: true) }
            return (state.timer, state.notify)
        }
        timer?.cancel()
        waker.finish()
        // Its closure may hold the last reference to anything, so it isn't released in the lock.
        withExtendedLifetime(notify) {}
    }

    // MARK: Changes

    /// Adds what concerns the listener.
    func add(_ changes: TableChanges) {
        var changes = changes
        if let tables {
            guard changes.concerns(anyOf: tables) else { return }
            changes.tables = changes.tables.filter { tables.contains(TableChanges.key(of: $0)) }
        }
        let notify = state.withLock { state in
            let wasEmpty = state.changes.isEmpty
            state.changes.formUnion(changes)
            return wasEmpty ? state.notify : nil
        }
        wake()
        notify?()
    }

    /// Makes a loop that waits look around.
    func wake() {
        waker.yield()
    }

    /// Returns the changes that there are, and forgets them.
    func take() -> TableChanges {
        state.withLock { state in
            defer { state.changes = TableChanges() }
            return state.changes
        }
    }

    /// Calls `body` whenever there are changes and were none before, and lives until it ends.
    func notify(_ body: @escaping @Sendable (DatabaseChangeListener) -> Void) {
        let isLate = state.withLock { state in
            if !state.hasEnded {
                state.notify = { body(self) }
            }
            return !state.changes.isEmpty
        }
        if isLate {
            body(self)
        }
    }

    /// Waits for changes, which may be empty if it was woken without any. Nil at the end, and when
    /// the task is cancelled.
    func next() async -> TableChanges? {
        var iterator = wakes.makeAsyncIterator()
        guard await iterator.next() != nil, !Task.isCancelled else { return nil }
        return take()
    }

    // MARK: Commits of others

    /// Looks for commits of others at an interval. The connection that writes sees a new data
    /// version for these only, not for its own.
    private func poll(_ database: Database, every interval: TimeInterval) {
        let poll = DataVersionPoll(of: database) { [weak self] in
            var changes = TableChanges.unknown
            changes.isExternal = true
            self?.add(changes)
        }
        // At once, before somebody else has the connection.
        poll.look(at: database)
        let timer = DispatchSource.makeTimerSource()
        // A timer of 0 ms would fire without a pause.
        let pause = DispatchTimeInterval.milliseconds(max(Int(interval.milliseconds), 1))
        timer.schedule(deadline: .now() + pause, repeating: pause)
        timer.setEventHandler { [weak database] in
            database.map(poll.look)
        }
        // Even if it has ended: releasing a suspended timer would stop the process.
        timer.resume()
        let hasEnded = state.withLock { state in
            state.timer = timer
            return state.hasEnded
        }
        if hasEnded {
            finish()
        }
    }
}

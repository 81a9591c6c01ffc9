import Foundation

/// Hears of a database's commits until `end()`, see ``Database/onChanges(in:pollingEvery:_:)``.
///
/// It keeps what nobody has read yet, united. So a slow listener needs no more memory than a fast
/// one.
public final class DatabaseChangeListener: Sendable {
    private let changes = Locked(TableChanges())
    /// An element for a loop to look at the changes, which are here once. It ends with the
    /// listener.
    let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation
    /// The keys of the tables to hear of, nil for all.
    private let tables: Set<String>?
    private let hub: ChangeHub
    /// Has the hub look for commits of others; nil if the listener doesn't hear of them.
    private let timer: Locked<any DispatchSourceTimer>?

    init(to database: Database, in tables: [String]?, pollingEvery interval: TimeInterval?) {
        (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.tables = tables.map { Set($0.map(TableChanges.key)) }
        hub = database.changeHub
        timer = interval.map { _ in Locked(DispatchSource.makeTimerSource()) }
        hub.add(self, of: database.writerConnectionQueue.lane)
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
        timer?.withLock { $0.cancel() }
        waker.finish()
    }

    // MARK: Changes

    /// Adds what concerns the listener.
    func add(_ newChanges: TableChanges) {
        var newChanges = newChanges
        if let tables {
            guard newChanges.concerns(anyOf: tables) else { return }
            newChanges.tables = newChanges.tables.filter {
                tables.contains(TableChanges.key(of: $0))
            }
        }
        changes.withLock { $0.formUnion(newChanges) }
        wake()
    }

    /// Makes a loop that waits look around.
    func wake() {
        waker.yield()
    }

    /// Returns the changes that there are, and forgets them.
    func take() -> TableChanges {
        changes.withLock { changes in
            defer { changes = TableChanges() }
            return changes
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

    var isPolling: Bool { timer != nil }

    private func poll(_ database: Database, every interval: TimeInterval) {
        // At once, before somebody else has the connection.
        hub.look(at: database.writerConnectionQueue.lane)
        timer?.withLock { timer in
            // A timer of 0 ms would fire without a pause.
            let pause = DispatchTimeInterval.milliseconds(max(Int(interval.milliseconds), 1))
            timer.schedule(deadline: .now() + pause, repeating: pause)
            timer.setEventHandler { [weak database, hub] in
                database.map { hub.look(at: $0.writerConnectionQueue.lane) }
            }
            // Even if it has ended: releasing a suspended timer would stop the process.
            timer.resume()
        }
    }
}

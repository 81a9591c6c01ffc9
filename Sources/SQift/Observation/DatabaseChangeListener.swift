import Foundation

/// Hears of a database's commits until `end()`, see ``Database/onChanges(in:pollingEvery:_:)``.
///
/// Changes that it hasn't read yet are merged, so a slow listener needs no more memory than a fast
/// one.
public final class DatabaseChangeListener: Sendable {
    private let changes = Locked(TableChanges())
    /// An element for a loop to look at the changes, which are here once. It ends with the
    /// listener.
    let wakes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    /// The keys of the tables to hear of, nil for all.
    private let tables: Set<String>?
    private let hub: ChangeHub
    /// Has the hub look for commits of others; nil if the listener doesn't hear of them.
    private let polling: Task<Void, Never>?

    init(to database: Database, in tables: [String]?, pollingEvery interval: TimeInterval?) {
        self.tables = tables.map { Set($0.map(TableChanges.key)) }
        hub = database.changeHub
        polling = interval.map { [hub] interval in
            // A pause of 0 ms would be none.
            let pause = Duration.milliseconds(max(interval.milliseconds, 1))
            return Task.detached { [weak database] in
                while (try? await Task.sleep(for: pause)) != nil {
                    database.map { hub.look(at: $0.writerLane) }
                }
            }
        }
        hub.add(self, of: database.writerLane)
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
        polling?.cancel()
        wakes.continuation.finish()
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
        wakes.continuation.yield()
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
        var iterator = wakes.stream.makeAsyncIterator()
        guard await iterator.next() != nil, !Task.isCancelled else { return nil }
        return take()
    }

    /// Whether it hears of commits of others.
    var isPolling: Bool { polling != nil }
}

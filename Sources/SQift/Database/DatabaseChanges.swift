import Foundation

/// The changes that ``Database/changes(in:pollingEvery:)`` listens to.
///
/// Iterate it once: several loops would share the changes. It listens until the loop has ended and
/// the sequence is released.
public struct DatabaseChanges: AsyncSequence, Sendable {
    /// What has changed since the loop asked last.
    public typealias Element = TableChanges

    let subscription: ChangeSubscription

    /// A loop over the changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let subscription: ChangeSubscription

        /// Waits for changes, and returns all that were made since the last call. Nil once the task
        /// is cancelled or the database is closed.
        public mutating func next() async -> TableChanges? {
            await subscription.buffer.next()
        }
    }

    /// Returns a loop over the changes from the call of `changes` on.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(subscription: subscription)
    }
}

/// Listens to a database's changes as long as it lives.
final class ChangeSubscription: Sendable {
    let buffer: ChangeBuffer
    private let hub: ChangeHub
    private let number: Int

    init(to database: Database, tables: [String]?, pollingEvery interval: TimeInterval?) {
        buffer = ChangeBuffer(tables: tables)
        hub = database.changeHub
        number = database.addListener(buffer, pollingEvery: interval)
    }

    deinit {
        hub.remove(number)
    }
}

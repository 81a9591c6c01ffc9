/// The changes that ``Database/changes(in:pollingEvery:)`` listens to.
///
/// Iterate it once: several loops would share the changes. It listens until the loop has ended and
/// the sequence is released.
public struct DatabaseChanges: AsyncSequence, Sendable {
    /// What has changed since the loop asked last.
    public typealias Element = TableChanges

    let listener: DatabaseChangeListener

    /// A loop over the changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let listener: DatabaseChangeListener

        /// Waits for changes, and returns all that were made since the last call. Nil once the task
        /// is cancelled or the database is closed.
        public mutating func next() async -> TableChanges? {
            while let changes = await listener.next() {
                if !changes.isEmpty {
                    return changes
                }
            }
            return nil
        }
    }

    /// Returns a loop over the changes from the call of `changes` on.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(listener: listener)
    }
}

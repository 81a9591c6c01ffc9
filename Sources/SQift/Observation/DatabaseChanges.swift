import Foundation

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

        /// Waits for changes as `next()` does, but no longer than some seconds: changes that are
        /// empty say that the time is over.
        ///
        /// ```swift
        /// var jobs = database.changes(in: ["jobs"]).makeAsyncIterator()
        /// repeat {
        ///     while let job = try claimJob(database) { try await run(job) }
        /// } while await jobs.next(within: 30) != nil
        /// ```
        ///
        /// - Parameter seconds: How long to wait, up to 24 days. Zero or less returns what there is
        ///   already.
        public mutating func next(within seconds: TimeInterval) async -> TableChanges? {
            let isOver = Locked(false)
            let alarm = Task.detached { [listener] in
                if (try? await Task.sleep(for: .milliseconds(seconds.milliseconds))) != nil {
                    isOver.withLock { $0 = true }
                    listener.wake()
                }
            }
            defer { alarm.cancel() }

            while let changes = await listener.next() {
                // A wait before this one may have left its alarm.
                if !changes.isEmpty || isOver.value {
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

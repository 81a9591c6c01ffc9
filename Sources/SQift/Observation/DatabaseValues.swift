import Foundation

/// The results of a closure that reads, as ``Database/values(pollingEvery:_:)`` describes.
///
/// Each loop over it listens by itself.
public struct DatabaseValues<Value: Sendable>: AsyncSequence, Sendable {
    /// A result of the closure.
    public typealias Element = Value

    let database: Database
    let interval: TimeInterval?
    let body: @Sendable (Connection) throws -> Value
    var isDuplicate: (@Sendable (Value, Value) -> Bool)?

    /// A loop over the values.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let values: DatabaseValues
        private let listener: DatabaseChangeListener
        /// The keys of the tables that the closure has read the last time. Nil if nothing was read
        /// yet, or the last read was refused, since the database was suspended.
        private var tables: Set<String>?
        private var last: Value?

        init(_ values: DatabaseValues) {
            self.values = values
            listener = DatabaseChangeListener(
                to: values.database,
                in: nil,
                pollingEvery: values.interval
            )
            listener.wake()
        }

        /// Waits for a change, and reads the value; the first call reads at once. Nil once the task
        /// is cancelled or the database is closed.
        ///
        /// - Throws: What the closure throws, SQLite's errors, and ``AccessError``. Afterwards it
        ///   returns nil.
        public mutating func next() async throws -> Value? {
            while let changes = await listener.next() {
                guard tables.map(changes.concerns(anyOf:)) ?? true else { continue }
                do {
                    let value = try await read()
                    if let last, let isDuplicate = values.isDuplicate, isDuplicate(last, value) {
                        continue
                    }
                    last = value
                    return value
                } catch let error as AccessError where error.reason == .suspended {
                    // `resume()` wakes the loop.
                    tables = nil
                } catch {
                    listener.end()
                    let isClosed = (error as? AccessError)?.reason == .closed
                    guard isClosed || error is CancellationError else { throw error }
                }
            }
            return nil
        }

        private mutating func read() async throws -> Value {
            // Before the read, which sees these changes. What is added from now on may be newer
            // than the read, and leads to another one.
            _ = listener.take()
            let body = values.body
            let result = try await values.database.readers.asyncAccess(.read) { connection in
                try connection.attachment(ChangeTracker.self).gatheringReads {
                    try body(connection)
                }
            }
            tables = result.tables
            return result.value
        }
    }

    /// Returns a loop over the values, which begins with the present one.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }
}

extension DatabaseValues where Value: Equatable {
    /// The same values without those that equal the one before.
    public func removingDuplicates() -> DatabaseValues {
        var values = self
        values.isDuplicate = { $0 == $1 }
        return values
    }
}

import SQift
import Testing

/// A thread that keeps a queue or a pool's connection in use until `release()`.
package final class Holder: Sendable {
    private let end = Gate()
    private let worker: Worker<Void>

    /// Returns when `use` has called its closure.
    package init(_ use: @escaping @Sendable (_ hold: () -> Void) throws -> Void) {
        let (begin, end) = (Gate(), end)
        worker = Worker {
            try use {
                begin.open()
                end.wait()
            }
        }
        begin.wait()
    }

    package convenience init(of queue: ConnectionQueue) {
        self.init { hold in try queue.execute { _ in hold() } }
    }

    /// Holds one connection.
    package convenience init(of pool: ConnectionPool) {
        self.init { hold in try pool.execute { _ in hold() } }
    }

    package var isReleased: Bool { end.isOpen }

    package func release() throws {
        end.open()
        try worker.value()
    }
}

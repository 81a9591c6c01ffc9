/// Prepares a connection for use.
typealias Preparation = @Sendable (Connection) throws -> Void

/// Closures that are registered with a database when some of its connections are open already. Each
/// connection runs each of them once, before its next access.
final class Registrations: Sendable {
    private let closures = Locked<[Preparation]>([])
    // Each access reads it, without the lock.
    private let count = AtomicWords(count: 1)

    /// Registers a closure.
    func append(_ closure: @escaping Preparation) {
        closures.withLock { closures in
            closures.append(closure)
            count[0] = UInt(closures.count)
        }
    }

    /// Runs the closures that the connection hasn't run yet, in their order. One that throws is run
    /// again the next time.
    @inline(__always) func apply(to connection: Connection) throws {
        if connection.registrationCount != count[0] {
            try applyMissing(to: connection)
        }
    }

    private func applyMissing(to connection: Connection) throws {
        let closures = closures.withLock { $0 }
        while connection.registrationCount < closures.count {
            try connection.prepare(by: closures[Int(connection.registrationCount)])
            connection.registrationCount += 1
        }
    }
}

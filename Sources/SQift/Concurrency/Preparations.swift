/// Prepares a connection for use.
typealias Preparation = @Sendable (Connection) throws -> Void

/// What each connection of a database runs once, when it is opened: the settings, then the user's
/// closures. A connection that is open when another closure is added runs that before its next
/// access.
final class Preparations: Sendable {
    private let closures = Locked<[Preparation]>([])
    // Each access reads it, without the lock.
    private let count = AtomicNumbers(count: 1)

    init(_ settings: Preparation? = nil) {
        settings.map(append)
    }

    /// Adds a user's closure. SQLite's errors in it say where they come from, because any access
    /// that needs a connection can throw them.
    ///
    /// - Parameter name: The closure's name in the public API.
    func append(_ name: String, _ closure: Preparation?) {
        guard let closure else { return }
        append { connection in
            do {
                try closure(connection)
            } catch var error as SQLiteError {
                error.message = "in \(name): \(error.message)"
                throw error
            }
        }
    }

    private func append(_ closure: @escaping Preparation) {
        closures.withLock { closures in
            closures.append(closure)
            count[0] = UInt(closures.count)
        }
    }

    /// Runs the closures that the connection hasn't run yet, in their order. One that throws is run
    /// again the next time.
    @inline(__always) func apply(to connection: Connection) throws {
        if count[0] > 0 {
            try applyMissing(to: connection)
        }
    }

    private func applyMissing(to connection: Connection) throws {
        let applied = connection.attachment(AppliedRegistrations.self)
        guard applied.count != count[0] else { return }
        for closure in closures.withLock({ $0 }).dropFirst(Int(applied.count)) {
            try connection.prepare(by: closure)
            applied.count += 1
        }
    }
}

private final class AppliedRegistrations: ConnectionAttachment {
    /// How many of them the connection has run.
    var count: UInt = 0
}

extension Connection {
    /// Prepares a connection of a pool or a database: registers functions, runs pragmas.
    public typealias Preparation = @Sendable (Connection) throws -> Void
}

/// What each connection of a database runs once, when it is opened: the settings, then the user's
/// closures. A connection that is open when another closure is added runs that before its next
/// access.
final class Preparations: Sendable {
    let closures: Locked<[Connection.Preparation]>

    init(_ settings: Connection.Preparation...) {
        closures = Locked(settings)
    }

    /// Adds a user's closure. SQLite's errors in it say where they come from, because any access
    /// that needs a connection can throw them.
    ///
    /// - Parameter name: The closure's name in the public API.
    func append(_ name: String, _ closure: Connection.Preparation?) {
        guard let closure else { return }
        let preparation: Connection.Preparation = { connection in
            do {
                try closure(connection)
            } catch var error as SQLiteError {
                error.message = "in \(name): \(error.message)"
                throw error
            }
        }
        closures.withLock { $0.append(preparation) }
    }

    /// Runs the closures that the connection hasn't run yet, in their order. One that throws is run
    /// again the next time.
    func apply(to connection: Connection) throws {
        let applied = connection.attachment(AppliedPreparations.self)
        let closures = closures.value
        while applied.count < closures.count {
            try connection.lending(closures[applied.count])
            connection.keepCallbacks()
            applied.count += 1
            connection.distrustSchemaWithOthersFunctions()
        }
    }
}

private final class AppliedPreparations: ConnectionAttachment {
    /// How many of them the connection has run.
    var count = 0
}

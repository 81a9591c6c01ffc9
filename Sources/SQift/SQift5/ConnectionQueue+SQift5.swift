extension ConnectionQueue {
    /// The connection. Use it in this queue's closures only, where it is the argument.
    @available(*, deprecated, message: "use execute, whose closure receives the connection")
    public var connection: Connection {
        guard let connection = lane.connection else { trap("a queue has a connection") }
        return connection
    }

    /// Calls `closure` in a transaction: committed when it returns, rolled back when it throws.
    ///
    /// - Throws: As `Connection.transaction`, and ``AccessError``.
    @discardableResult public func executeInTransaction<T>(
        transactionType: Connection.TransactionType = .deferred,
        closure: (Connection) throws -> T
    ) throws -> T {
        try execute { connection in
            try connection.unlending {
                try connection.transaction(transactionType: transactionType) {
                    try connection.lending(closure)
                }
            }
        }
    }

    /// Calls `closure` in a savepoint: released when it returns, rolled back when it throws.
    ///
    /// - Throws: As `Connection.savepoint`, and ``AccessError``.
    @discardableResult public func executeInSavepoint<T>(
        named name: String,
        closure: (Connection) throws -> T
    ) throws -> T {
        try execute { connection in
            try connection.unlending {
                try connection.savepoint(named: name) { try connection.lending(closure) }
            }
        }
    }

    /// Calls `closure` in a savepoint of this name.
    @discardableResult public func executeInSavepoint<T>(
        _ name: String,
        closure: (Connection) throws -> T
    ) throws -> T {
        try executeInSavepoint(named: name, closure: closure)
    }
}

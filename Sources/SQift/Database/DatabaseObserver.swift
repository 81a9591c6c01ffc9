/// Is told what happens to a database, once somebody wants to know it.
protocol DatabaseObserver: AnyObject, Sendable {
    /// The connection that writes is lent next.
    func willLend(_ connection: Connection)

    func hasLent(_ connection: Connection)

    func hasResumed()

    func hasClosed()
}

/// A database's observer, if it has one.
struct DatabaseObservation {
    var observer: (any DatabaseObserver)?
    private(set) var isClosed = false

    /// - Returns: The observer, to be told once the lock is released.
    mutating func close() -> (any DatabaseObserver)? {
        isClosed = true
        return observer
    }
}

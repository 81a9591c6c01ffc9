/// Is told what happens to a database, once somebody wants to know it.
protocol DatabaseObserver: AnyObject, Sendable {
    func accessWillBegin(on writer: Connection)

    func accessHasEnded(on writer: Connection)

    func hasResumed()

    func hasClosed()
}

/// Is told what happens to a database, once there is a listener.
protocol DatabaseObserver: AnyObject, Sendable {
    func accessWillBegin(on writer: Connection)

    func accessHasEnded(on writer: Connection)

    func hasResumed()

    func hasClosed()
}

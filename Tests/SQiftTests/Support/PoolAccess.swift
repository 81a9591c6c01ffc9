import SQift

/// Every blocking way to use a pool.
enum PoolAccess: CaseIterable, Sendable {
    case execute, read

    @discardableResult
    func callAsFunction<T>(_ pool: ConnectionPool, _ body: (Connection) throws -> T) throws -> T {
        switch self {
        case .execute: try pool.execute(closure: body)
        case .read: try pool.read(body)
        }
    }
}

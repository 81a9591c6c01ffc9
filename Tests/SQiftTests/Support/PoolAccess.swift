import SQift

/// Every blocking way to use a pool.
package enum PoolAccess: CaseIterable, Sendable {
    case execute, read

    @discardableResult
    package func callAsFunction<T>(
        _ pool: ConnectionPool,
        _ body: (Connection) throws -> T
    ) throws -> T {
        switch self {
        case .execute: try pool.execute(closure: body)
        case .read: try pool.read(body)
        }
    }
}

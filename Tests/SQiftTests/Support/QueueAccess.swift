import SQift

/// Every blocking way to use a queue.
package enum QueueAccess: CaseIterable, Sendable {
    case execute, executeInTransaction, executeInSavepoint, executeInUnlabelledSavepoint
    case read, write, writeWithoutTransaction

    package static let writingInTransactions: [Self] = [
        .executeInTransaction, .executeInSavepoint, .executeInUnlabelledSavepoint, .write,
    ]

    @discardableResult
    package func callAsFunction<T>(
        _ queue: ConnectionQueue,
        _ body: (Connection) throws -> T
    ) throws -> T {
        switch self {
        case .execute: try queue.execute(closure: body)
        case .executeInTransaction: try queue.executeInTransaction(closure: body)
        case .executeInSavepoint: try queue.executeInSavepoint(named: "it's one", closure: body)
        case .executeInUnlabelledSavepoint: try queue.executeInSavepoint("another", closure: body)
        case .read: try queue.read(body)
        case .write: try queue.write(body)
        case .writeWithoutTransaction: try queue.writeWithoutTransaction(body)
        }
    }
}

/// Every asynchronous way to use a queue.
package enum AsyncQueueAccess: CaseIterable, Sendable {
    case read, write, writeWithoutTransaction

    @discardableResult
    package func callAsFunction<T: Sendable>(
        _ queue: ConnectionQueue,
        _ body: @escaping @Sendable (Connection) throws -> T
    ) async throws -> T {
        switch self {
        case .read: try await queue.read(body)
        case .write: try await queue.write(body)
        case .writeWithoutTransaction: try await queue.writeWithoutTransaction(body)
        }
    }
}

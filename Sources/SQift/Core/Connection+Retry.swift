internal import CSQift
import Foundation

// Some errors are temporary: SQLite refuses a call before it has done anything, and accepts the
// same call a moment later.
extension Connection {
    /// Calls SQLite, and calls it again after a temporary error.
    func retryingRefusals(_ call: () -> Int32) -> Int32 {
        retryingRefusal(call(), call)
    }

    /// Calls SQLite again if the error is a temporary one.
    ///
    /// - Parameter code: The result of the first call.
    /// - Returns: The last result.
    func retryingRefusal(_ code: Int32, _ call: () -> Int32) -> Int32 {
        switch ResultCode(code) {
        case .lockedSharedCache: return retryingWhileTableIsLocked(code, call)
        case .readOnlyRollback:
            guard let takeInJournal else { return code }
            // If this fails, another connection may be doing the same.
            try? takeInJournal()
            return call()
        default: return code
        }
    }

    /// Calls SQLite again as long as another connection of the shared cache has locked the table
    /// and the policy says to wait. A cancellation ends the waiting.
    private func retryingWhileTableIsLocked(_ firstCode: Int32, _ call: () -> Int32) -> Int32 {
        guard case .poll(let interval) = tableLockPolicy else { return firstCode }

        let start = DispatchTime.now()
        var code = firstCode
        while code == ResultCode.lockedSharedCache.rawValue,
            start.secondsAgo < TableLockPolicy.longestWait,
            !isCancelled
        {
            Thread.sleep(forTimeInterval: max(interval, 0.001))
            code = call()
        }
        return code
    }

    /// Calls `body` again while other connections hold a lock that it needs. A cancellation ends
    /// the waiting.
    func retryingWhileLocked<T>(
        for timeout: TimeInterval = 5,
        _ body: () throws -> T
    ) throws -> T {
        let start = DispatchTime.now()
        while true {
            try checkObstacles()
            do {
                return try body()
            } catch let error as SQLiteError
                where error.isLock && start.secondsAgo < timeout
            {
                Thread.sleep(forTimeInterval: 0.002)
            }
        }
    }

    /// Opens a database for writing and reads it once. SQLite then first undoes the unfinished
    /// transaction that left a rollback journal. The file is never created.
    ///
    /// https://sqlite.org/atomiccommit.html#_rollback
    static func takeInJournal(
        of storageLocation: StorageLocation,
        configuration: Configuration,
        cancellation: Cancellation
    ) throws {
        var configuration = configuration
        configuration.flags &= ~SQLITE_OPEN_CREATE
        let connection = try Connection(
            storageLocation: storageLocation.forExistingFile,
            configuration: configuration
        )
        connection.makeCancellable(by: Cancellation(sharingFlagOf: cancellation))

        try connection.runCached("SELECT 1 FROM sqlite_schema LIMIT 1")
        try connection.close()
    }
}

extension SQLiteError {
    /// Whether another connection's lock is the cause.
    var isLock: Bool { resultCode == .busy || resultCode == .locked }
}

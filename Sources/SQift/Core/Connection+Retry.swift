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
        case .lockedSharedCache:
            guard case .poll(let interval) = tableLockPolicy else { return code }
            let longestWait = TableLockPolicy.longestWait
            let last = try? retryingWhileLocked(for: longestWait, every: max(interval, 0.001)) {
                let code = ResultCode(call())
                guard code != .lockedSharedCache else { throw SQLiteError(code: code) }
                return code.rawValue
            }
            return last ?? code
        case .readOnlyRollback:
            guard let takeInJournal else { return code }
            // If this fails, another connection may be doing the same.
            try? takeInJournal()
            return call()
        default: return code
        }
    }

    /// Calls `body` again while other connections hold a lock that it needs. A cancellation ends
    /// the waiting.
    func retryingWhileLocked<T>(
        for timeout: TimeInterval = 5,
        every interval: TimeInterval = 0.002,
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
                Thread.sleep(forTimeInterval: interval)
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

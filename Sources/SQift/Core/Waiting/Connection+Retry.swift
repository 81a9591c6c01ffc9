internal import CSQift
import Foundation

// Some errors are temporary: SQLite refuses a call before it has done anything, and accepts the
// same call a moment later.
extension Connection {
    /// Calls SQLite, and calls it again after a temporary error.
    ///
    /// - Parameter firstCode: The result of the first call, if it was made already.
    /// - Returns: The last result.
    func retryingRefusals(after firstCode: Int32? = nil, _ call: () -> Int32) -> Int32 {
        let code = firstCode ?? call()
        switch ResultCode(code) {
        case .lockedSharedCache:
            guard case .poll(let interval) = tableLockPolicy else { return code }
            // Without a limit, two connections of one thread would wait forever.
            let last = try? retryingWhileLocked(for: 60, every: max(interval, 0.001)) {
                let code = ResultCode(call())
                guard code != .lockedSharedCache else { throw SQLiteError(code: code) }
                return code.rawValue
            }
            return last ?? code
        case .readOnlyRollback:
            guard let rollBackHotJournal else { return code }
            rollBackHotJournal(self)
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
}

extension SQLiteError {
    /// Whether another connection's lock is the cause.
    var isLock: Bool { resultCode == .busy || resultCode == .locked }
}

internal import CSQift
import Foundation

extension Connection {
    /// Answers whether to try again for a lock that another connection holds.
    ///
    /// - Parameter invocationCount: How often it was asked before about the same lock.
    public typealias CustomBusyHandler = (_ invocationCount: Int32) -> Bool

    /// What to do about another connection's lock.
    public enum BusyHandler {
        /// Waits and tries again for so many seconds in all; milliseconds count. Zero and less is
        /// `.defaultBehavior`.
        case timeout(TimeInterval)
        /// Asks a closure, which does the waiting; false gives up.
        case custom(CustomBusyHandler)
        /// Fails with `SQLITE_BUSY` at once.
        case defaultBehavior
    }

    /// Sets what happens when another connection holds a lock that a statement needs. It replaces
    /// what was set before, by `Configuration.busyTimeout` or `PRAGMA busy_timeout` too.
    ///
    /// SQLite doesn't ask where waiting can't help: a transaction that has read and now wants to
    /// write after another connection did fails with `SQLITE_BUSY_SNAPSHOT` at once. Begin it as
    /// `.immediate`. The closure is called in the middle of a statement, on its thread, and must
    /// not use the connection.
    ///
    /// - Throws: `SQLiteError` (`SQLITE_MISUSE`) after `close()`.
    ///
    /// https://sqlite.org/c3ref/busy_handler.html and https://sqlite.org/c3ref/busy_timeout.html
    public func busyHandler(_ handler: BusyHandler) throws {
        try withUnsafeHandle { handle in
            var custom: CustomBusyHandler?
            switch handler {
            case .timeout(let seconds)
            where transactionState.cancellation == nil || seconds.milliseconds == 0:
                sqlite3_busy_timeout(handle, seconds.milliseconds)
            case .timeout(let seconds): custom = waiting(seconds)
            case .defaultBehavior: sqlite3_busy_timeout(handle, 0)
            case .custom(let closure):
                let state = transactionState
                custom = { [unowned state] in !state.isCancelled && closure($0) }
            }
            if custom != nil || hasCallbacks {
                callbacks.busyHandler = custom
            }
            if custom != nil {
                installBusyHandler()
            }
        }
    }

    /// Whether a closure is set.
    var hasBusyHandler: Bool { hasCallbacks && callbacks.busyHandler != nil }

    /// Makes SQLite ask the closure that is set.
    func installBusyHandler() {
        sqlite3_busy_handler(
            handle,
            { callbacks, count in
                guard let callbacks = Callbacks.at(callbacks) else { return 0 }
                let triesAgain = callbacks.callingBack { callbacks.busyHandler?(count) }
                return triesAgain == true ? 1 : 0
            },
            callbacks.pointer
        )
    }

    /// SQLite's own way to wait for a lock, in shorter steps, between which it looks for a
    /// cancellation.
    private func waiting(_ timeout: TimeInterval) -> CustomBusyHandler {
        let cancellation = transactionState.cancellation
        var start = DispatchTime.now()
        return { count in
            if count == 0 {
                start = .now()
            }
            let left = timeout - start.secondsAgo
            guard left > 0, cancellation?.value ?? 0 == 0 else { return false }
            Thread.sleep(forTimeInterval: min(left, 0.001 * Double(min(1 << min(count, 4), 10))))
            return true
        }
    }
}

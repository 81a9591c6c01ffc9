internal import CSQift
import Foundation

extension Connection {
    /// Decides whether to try again for a lock that another connection holds.
    ///
    /// - Parameter invocationCount: How often it was called before about the same lock.
    /// - Returns: Whether SQLite tries again.
    public typealias CustomBusyHandler = (_ invocationCount: Int32) -> Bool

    /// What to do about another connection's lock.
    public enum BusyHandler {
        /// Waits and tries again for this many seconds in all, with a precision of milliseconds.
        /// Zero and less is `.defaultBehavior`.
        case timeout(TimeInterval)
        /// Calls a closure, which does the waiting; false gives up.
        case custom(CustomBusyHandler)
        /// Fails with `SQLITE_BUSY` immediately.
        case defaultBehavior

        /// How long it waits; nil if a closure decides.
        var seconds: TimeInterval? {
            switch self {
            case .timeout(let seconds): TimeInterval(seconds.milliseconds) / 1000
            case .custom: nil
            case .defaultBehavior: 0
            }
        }
    }

    /// How many seconds a statement waits for another connection's lock, with a precision of
    /// milliseconds; 0 fails with `SQLITE_BUSY` immediately.
    ///
    /// Setting it replaces a busy handler, and does nothing after ``close()``. Set in a closure of
    /// a queue, a pool or a `Database`, it ends with that closure's access.
    ///
    /// On the connections of a queue, a pool or a `Database`, SQift does the waiting, so that
    /// cancelling the task ends it; `PRAGMA busy_timeout` then reads 0. Don't set that pragma:
    /// SQLite would wait, in all later accesses, and couldn't be cancelled.
    ///
    /// SQLite: [sqlite3_busy_timeout](https://sqlite.org/c3ref/busy_timeout.html)
    public var busyTimeout: TimeInterval {
        get { waiting.seconds ?? 0 }
        set { try? busyHandler(.timeout(newValue)) }
    }

    /// Sets what happens when another connection holds a lock that a statement needs.
    ///
    /// It replaces what was set before, even by ``busyTimeout`` or `PRAGMA busy_timeout`. Set in a
    /// closure of a queue, a pool or a `Database`, it ends with that closure's access.
    ///
    /// SQLite doesn't call it if waiting can't help: a transaction that has read, and wants to
    /// write after another connection wrote, fails with `SQLITE_BUSY_SNAPSHOT` immediately. Begin
    /// it as `.immediate`. The closure is called in the middle of a statement, on its thread, and
    /// must not use the connection.
    ///
    /// - Throws: ``SQLiteError`` (`SQLITE_MISUSE`) after ``close()``.
    ///
    /// SQLite: [sqlite3_busy_handler](https://sqlite.org/c3ref/busy_handler.html),
    /// [sqlite3_busy_timeout](https://sqlite.org/c3ref/busy_timeout.html)
    public func busyHandler(_ handler: BusyHandler) throws {
        guard handle != nil else { throw unusableError }
        restoringAfterAccess { [old = waiting] in $0.waiting = old }
        waiting = handler
    }

    /// What SQLite does about a lock, as far as it can be known.
    var waiting: BusyHandler {
        get {
            let timeout = timeoutOfSQLite
            if timeout > 0 {
                return .timeout(Double(timeout) / 1000)
            }
            return attachment(BusyHandlerAttachment.self).handler ?? .defaultBehavior
        }
        set {
            guard let handle else { return }
            let attachment = attachment(BusyHandlerAttachment.self)
            // SQLite's own way to wait doesn't look at the cancellation.
            if cancellation == nil, let seconds = newValue.seconds {
                attachment.handler = nil
                sqlite3_busy_timeout(handle, seconds.milliseconds)
                return
            }
            // "There can only be a single busy handler for a particular database connection at any
            // given moment.": https://sqlite.org/c3ref/busy_timeout.html
            attachment.handler = newValue
            sqlite3_busy_handler(
                handle,
                { BusyHandlerAttachment.at($0)?.isToTryAgain($1) == true ? 1 : 0 },
                attachment.pointer
            )
        }
    }

    /// SQLite's own timeout in milliseconds, perhaps set by the pragma; 0 while a handler is set.
    private var timeoutOfSQLite: Int32 { (try? pragmaValue("busy_timeout")) ?? 0 }

    /// Calls `body` while SQLite reports a lock immediately.
    func withoutWaiting<T>(_ body: () throws -> T) rethrows -> T {
        // The handler only gives up, and isn't taken away: SQLite drops it for the pragma without
        // telling, and it mustn't be set again then.
        let attachment = attachment(BusyHandlerAttachment.self)
        let handler = attachment.handler
        let timeout = timeoutOfSQLite
        attachment.handler = .defaultBehavior
        if timeout > 0 {
            sqlite3_busy_timeout(handle, 0)
        }
        defer {
            attachment.handler = handler
            if timeout > 0 {
                sqlite3_busy_timeout(handle, timeout)
            }
        }
        return try body()
    }
}

private final class BusyHandlerAttachment: ConnectionAttachment {
    /// Nil if SQLite itself waits.
    var handler: Connection.BusyHandler?
    private var start = DispatchTime.now()

    /// Whether SQLite tries again for a lock.
    func isToTryAgain(_ count: Int32) -> Bool {
        guard let handler, !connection.isCancelled else { return false }
        if case .custom(let closure) = handler {
            return connection.callingClosure { closure(count) }
        }
        if count == 0 {
            start = .now()
        }
        let left = (handler.seconds ?? 0) - start.secondsAgo
        guard left > 0 else { return false }
        // As SQLite does, but in shorter steps, after which it looks at the cancellation.
        let pauses = [0.001, 0.002, 0.004, 0.008, 0.01]
        let pause = pauses[min(Int(count), pauses.count - 1)]
        Thread.sleep(forTimeInterval: min(left, pause))
        return true
    }

    override func detach(from handle: OpaquePointer) {
        sqlite3_busy_handler(handle, nil, nil)
    }
}

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
    }

    /// Sets what happens when another connection holds a lock that a statement needs. It replaces
    /// what was set before, also by `Configuration.busyTimeout` or `PRAGMA busy_timeout`. Set in a
    /// closure of a queue, a pool or a `Database`, it ends with that closure's access.
    ///
    /// SQLite doesn't call it if waiting can't help: a transaction that has read, and wants to
    /// write after another connection wrote, fails with `SQLITE_BUSY_SNAPSHOT` immediately. Begin
    /// it as `.immediate`. The closure is called in the middle of a statement, on its thread, and
    /// must not use the connection.
    ///
    /// - Throws: ``SQLiteError`` (`SQLITE_MISUSE`) after ``close()``.
    ///
    /// <https://sqlite.org/c3ref/busy_handler.html> and
    /// <https://sqlite.org/c3ref/busy_timeout.html>
    public func busyHandler(_ handler: BusyHandler) throws {
        guard let handle else { throw unusableError }
        restoringAfterAccess { [old = existingAttachment(BusyHandlerAttachment.self)?.closure] in
            $0.setBusyClosure(old)
        }
        switch handler {
        case .timeout(let seconds) where cancellation != nil && seconds.milliseconds > 0:
            setBusyClosure(waiting(atMost: seconds))
        case .timeout(let seconds):
            existingAttachment(BusyHandlerAttachment.self)?.closure = nil
            sqlite3_busy_timeout(handle, seconds.milliseconds)
        case .defaultBehavior:
            try busyHandler(.timeout(0))
        case .custom(let closure):
            setBusyClosure { [unowned self] in !isCancelled && closure($0) }
        }
    }

    /// Whether a closure is set, which may be the library's own. Still true after
    /// `PRAGMA busy_timeout = 0`, by which SQLite drops the handler without telling anybody.
    var hasBusyHandler: Bool { existingAttachment(BusyHandlerAttachment.self)?.closure != nil }

    /// Sets a closure, or nil, which waits for nothing.
    private func setBusyClosure(_ closure: CustomBusyHandler?) {
        attachment(BusyHandlerAttachment.self).closure = closure
        installBusyHandler()
    }

    /// Makes SQLite call the closure that is set.
    private func installBusyHandler() {
        sqlite3_busy_handler(
            handle,
            { attachment, count in
                guard let attachment = BusyHandlerAttachment.at(attachment),
                    let closure = attachment.closure
                else { return 0 }
                return attachment.connection.callingClosure { closure(count) } ? 1 : 0
            },
            attachment(BusyHandlerAttachment.self).pointer
        )
    }

    /// Calls `body` without a busy handler, so that SQLite reports a lock immediately.
    ///
    /// Only for a connection with a cancellation, whose timeouts are closures (`adoptBusyTimeout`).
    /// A timeout of SQLite's own would not be restored.
    func withoutBusyHandler<T>(_ body: () throws -> T) rethrows -> T {
        sqlite3_busy_handler(handle, nil, nil)
        defer { if hasBusyHandler { installBusyHandler() } }
        return try body()
    }

    // MARK: Waiting that a cancellation ends

    /// SQLite's own way to wait for a lock, but in shorter steps, which look at the cancellation.
    private func waiting(atMost timeout: TimeInterval) -> CustomBusyHandler {
        let cancellation = cancellation
        var start = DispatchTime.now()
        return { count in
            if count == 0 {
                start = .now()
            }
            let left = timeout - start.secondsAgo
            guard left > 0, cancellation?.isRequested != true else { return false }
            let step = 0.001 * Double(min(1 << min(count, 4), 10))
            Thread.sleep(forTimeInterval: min(left, step))
            return true
        }
    }

    /// Replaces a timeout of SQLite's own, which doesn't look at the cancellation.
    func adoptBusyTimeout() {
        let milliseconds = (try? pragmaValue("busy_timeout")) ?? 0
        if milliseconds > 0 {
            setBusyClosure(waiting(atMost: Double(milliseconds) / 1000))
        }
    }

    /// Replaces the timeout if the statement is `PRAGMA busy_timeout`, which takes effect when
    /// SQLite compiles it. Its only column has the name `timeout`.
    func adoptBusyTimeout(ifSetBy statement: OpaquePointer) {
        guard cancellation != nil, sqlite3_column_count(statement) == 1,
            let name = sqlite3_column_name(statement, 0), strcmp(name, "timeout") == 0
        else { return }
        adoptBusyTimeout()
    }
}

private final class BusyHandlerAttachment: ConnectionAttachment {
    var closure: Connection.CustomBusyHandler?

    override func detach(from handle: OpaquePointer) {
        sqlite3_busy_handler(handle, nil, nil)
    }
}

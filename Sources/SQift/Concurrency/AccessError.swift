/// Why an access to a queue, a pool or a database couldn't begin, or didn't end as it should have.
///
/// ```swift
/// do {
///     return try database.read { try $0.query("SELECT * FROM cars") as [Car] }
/// } catch let error as AccessError where error.reason == .poolExhausted {
///     throw Overload()
/// }
/// ```
public struct AccessError: ReasonedError, Hashable {
    /// The kinds of error. Later versions may add some, so give a `switch` a `default`.
    public enum Reason: Sendable {
        /// A closure used the queue, pool or database that it runs on. Pass the connection on
        /// instead.
        case reentrant
        /// It was closed, or `close(interrupting: true)` has ended the access.
        case closed
        /// It is suspended, or `suspend()` has ended the access.
        case suspended
        /// All connections stayed in use for the whole acquisition timeout.
        case poolExhausted
        /// A transaction was open after a closure that should have ended it, or before a closure
        /// that needs its own.
        case transactionLeftOpen
        /// Several connections can't share the database, or it can't have snapshots.
        case notShareable
        /// SQLite refused a setting.
        case settingRefused
    }

    /// The kind of error.
    public let reason: Reason
    /// What happened, to which database, and what to do about it.
    public let message: String

    init(_ reason: Reason, label: String, _ message: String) {
        self.reason = reason
        self.message = "\(label): \(message)"
    }
}

extension AccessError {
    /// The error of an access that can't begin, or that another thread has ended. It is nil for a
    /// cancellation: the task knows about it.
    static func stopped(by reason: Cancellation.Reason?, label: String) -> AccessError? {
        switch reason {
        case .closing: AccessError(.closed, label: label, "it is closed")
        case .suspension:
            AccessError(
                .suspended,
                label: label,
                "it is suspended: resume() lets accesses begin again"
            )
        case .task, nil: nil
        }
    }
}

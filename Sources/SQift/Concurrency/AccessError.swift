import Foundation

/// Why an access to a queue, a pool or a database couldn't take place, or didn't end as it should
/// have.
///
/// ```swift
/// do {
///     return try database.read { try $0.query("SELECT * FROM cars") as [Car] }
/// } catch let error as AccessError where error.reason == .poolExhausted {
///     throw Overload()
/// }
/// ```
public struct AccessError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// What kind of error it is.
    public struct Reason: ErrorReason {
        let name: String

        /// A closure used the queue, pool or database that it runs on. Pass the connection on
        /// instead.
        public static let reentrant = Reason(name: "reentrant")
        /// It was closed.
        public static let closed = Reason(name: "closed")
        /// It is suspended, or the access was ended by `suspend()`.
        public static let suspended = Reason(name: "suspended")
        /// All connections stayed in use for the whole acquisition timeout.
        public static let poolExhausted = Reason(name: "poolExhausted")
        /// A transaction was open after a closure that ought to have ended it, or before one that
        /// needs its own.
        public static let transactionLeftOpen = Reason(name: "transactionLeftOpen")
        /// The database is one that can't be shared by several connections, or that can't have
        /// snapshots.
        public static let notShareable = Reason(name: "notShareable")
        /// A setting was refused by SQLite.
        public static let settingRefused = Reason(name: "settingRefused")
    }

    /// What kind of error it is.
    public let reason: Reason
    /// What happened, to which database, and what to do about it.
    public let message: String

    init(_ reason: Reason, _ label: String, _ message: String) {
        self.reason = reason
        self.message = "\(label): \(message)"
    }

    /// The message.
    public var description: String { message }

    /// The same as `description`.
    public var errorDescription: String? { message }

    static func reentrant(_ label: String) -> AccessError {
        AccessError(
            .reentrant,
            label,
            "this thread is in one of its closures already: use the closure's connection, whose transactions nest as savepoints"
        )
    }

    /// The error of an access that was ended by another thread. Nil for a cancellation, of which
    /// the task knows.
    static func stopped(_ reason: Cancellation.Reason?, _ label: String) -> AccessError? {
        switch reason {
        case .closing: stopped(PoolState.Phase.closed, label)
        case .suspension: stopped(PoolState.Phase.suspended, label)
        case .task, nil: nil
        }
    }

    static func stopped(_ phase: PoolState.Phase, _ label: String) -> AccessError {
        phase == .closed
            ? AccessError(.closed, label, "it is closed")
            : AccessError(.suspended, label, "it is suspended: resume() lets accesses begin again")
    }
}

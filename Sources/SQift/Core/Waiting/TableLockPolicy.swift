import Foundation

/// What a connection with a shared cache does if another connection has locked a table.
///
/// It matters with `sharedCache: true` only. For locks between separate caches there is the busy
/// timeout.
///
/// SQLite: [SQLite Shared-Cache Mode](https://sqlite.org/sharedcache.html)
public enum TableLockPolicy: Hashable, Sendable {
    /// Tries `execute`, `prepare` and the first step again at this interval in seconds, at least
    /// 0.001, until the lock is released or a minute has passed.
    ///
    /// A function of yours that throws `.lockedSharedCache` is taken for such a lock, and called
    /// again.
    case poll(TimeInterval)

    /// Throws `SQLITE_LOCKED_SHAREDCACHE` immediately.
    case fastFail
}

import Foundation

/// What a connection with a shared cache does if another connection has locked a table.
///
/// It matters only with `sharedCache: true`. For locks between separate caches set a busy timeout.
///
/// https://sqlite.org/sharedcache.html
public enum TableLockPolicy: Hashable, Sendable {
    /// Tries `execute`, `prepare` and the first step again at this interval, in seconds, until the
    /// lock is released or a minute has passed.
    case poll(TimeInterval)

    /// Throws `SQLITE_LOCKED_SHAREDCACHE` immediately.
    case fastFail

    /// The longest time that `.poll` waits, in seconds. Without a limit two connections of one
    /// thread could wait for each other forever.
    static let longestWait: TimeInterval = 60
}

import Foundation

/// What a connection with a shared cache does when another one has locked a table.
///
/// It matters with `sharedCache: true` only; locks between separate caches are what the busy
/// timeout is for.
///
/// https://sqlite.org/sharedcache.html
public enum TableLockPolicy: Hashable, Sendable {
    /// Tries `execute`, `prepare` and the first step again at this interval, in seconds, until the
    /// lock is released or a minute is over.
    case poll(TimeInterval)

    /// Throws `SQLITE_LOCKED_SHAREDCACHE` at once.
    case fastFail

    /// The longest that `.poll` waits, in seconds, so that two connections of one thread can't wait
    /// for ever.
    static let longestWait: TimeInterval = 60
}

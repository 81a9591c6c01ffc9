import Foundation

/// Stops the process. It writes the reason to standard error first, since `preconditionFailure`
/// prints nothing in release builds.
///
/// Only these may trap: reading a stale row, `Row`'s non-optional subscripts, copying a row without
/// memory for it, declarations that no code can call, and SQift 5.1's `ConnectionQueue.connection`,
/// which no queue is without.
@usableFromInline @inline(never) func trap(_ message: String) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("SQift: \(message)\n".utf8))
    preconditionFailure(message)
}

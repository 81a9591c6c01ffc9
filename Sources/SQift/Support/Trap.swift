import Foundation

/// Stops the process. It writes the reason to standard error first, since `preconditionFailure`
/// prints nothing in release builds.
///
/// Only two things may trap: reading a stale row, and `Row`'s non-optional subscripts.
@usableFromInline @inline(never) func trap(_ message: String) -> Never {
    FileHandle.standardError.write(Data("SQift: \(message)\n".utf8))
    preconditionFailure(message)
}

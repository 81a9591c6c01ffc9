import Foundation

/// Stops the process, with the reason on standard error first: `preconditionFailure` prints nothing
/// in release builds.
///
/// Only reading a row by a non-optional subscript, and reading a row that is gone, may end here.
@usableFromInline @inline(never) func trap(_ message: @autoclosure () -> String) -> Never {
    let message = message()
    FileHandle.standardError.write(Data("SQift: \(message)\n".utf8))
    preconditionFailure(message)
}

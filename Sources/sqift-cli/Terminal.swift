import Foundation

/// Standard error, to which errors and progress go.
enum Terminal {
    /// Whether the output goes to a terminal, and not to a file or a pipe.
    static let isInteractive = isatty(STDERR_FILENO) != 0

    /// Prints a line. It takes the place of a progress bar, and of the `^C` that a terminal shows.
    static func printError(_ text: String) {
        let lineStart = isInteractive ? "\r\u{1B}[K" : ""
        write(lineStart + text + "\n")
    }

    static func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}

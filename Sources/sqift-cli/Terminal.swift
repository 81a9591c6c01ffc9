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

    /// Writes text, if it can be written. Otherwise the work goes on without it.
    static func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    /// How many columns it has.
    static var width: Int {
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }
}

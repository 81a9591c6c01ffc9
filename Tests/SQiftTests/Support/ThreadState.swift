import Foundation

/// Whether the thread that made this value is blocked.
package struct ThreadState {
    /// The thread's folder in `/proc`; nil if the system has none.
    private let name = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/thread-self"
    )
    private var timesSeenAsleep = 0

    package init() {}

    /// Whether the thread was asleep the last five times that this was asked.
    ///
    /// If the system doesn't show the states of threads, this is true at the fifth time.
    package mutating func hasBlocked() -> Bool {
        timesSeenAsleep = isAsleep ? timesSeenAsleep + 1 : 0
        return timesSeenAsleep >= 5
    }

    private var isAsleep: Bool {
        guard let name else { return true }
        // A thread that has ended has no file, and nobody needs to wait for it.
        guard let file = FileHandle(forReadingAtPath: "/proc/\(name)/stat"),
            let data = try? file.readToEnd()
        else { return true }
        let fields = String(decoding: data, as: UTF8.self)
        return fields.split(separator: ")").last?.hasPrefix(" S") ?? false
    }
}

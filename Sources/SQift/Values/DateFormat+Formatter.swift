import Foundation

// The process's date formatter.
extension DateFormat {
    static let current: Locked<DateFormatter> = {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        // The proleptic Gregorian calendar, as in SQLite. Without this line the formatter uses the
        // Julian calendar before 1582.
        formatter.gregorianStartDate = .distantPast
        formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss.SSS"
        return Locked(formatter)
    }()

    // Not 0 once the formatter was read or replaced. It is read for each date, so it isn't behind
    // the lock: the readers of a pool would wait for each other.
    static let customized = AtomicNumbers(count: 1)

    /// Whether the formatter was ever read or replaced, so that it may differ from the default.
    static var isCustom: Bool { customized[0] != 0 }
}

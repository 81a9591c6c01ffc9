import Foundation

/// The process's date formatter.
final class DateFormatterStorage: Sendable {
    private let current: Locked<DateFormatter>
    // Set once the formatter was read or replaced. It is read for each date, so it isn't behind
    // the lock: the readers of a pool would wait for each other.
    private let custom = AtomicFlag()

    init() {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        // The proleptic Gregorian calendar, as in SQLite. Without this line the formatter uses the
        // Julian calendar before 1582.
        formatter.gregorianStartDate = .distantPast
        formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss.SSS"
        current = Locked(formatter)
    }

    var isCustom: Bool {
        custom.isSet
    }

    var formatter: DateFormatter {
        get {
            custom.set()
            return current.withLock { $0 }
        }
        set {
            current.withLock { $0 = newValue }
            custom.set()
        }
    }

    func string(from date: Date) -> String {
        current.withLock { $0.string(from: date) }
    }

    func date(from text: String) -> Date? {
        current.withLock { $0.date(from: text) }
    }
}

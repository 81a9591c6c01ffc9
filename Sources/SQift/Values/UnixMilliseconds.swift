import Foundation

/// A date that is stored as a whole number: the milliseconds since 1970, as JavaScript, Java and
/// Android store it.
///
/// It is stored as INTEGER, also in a STRICT table, and read from INTEGER, and from REAL without a
/// fraction. Seconds are ``UnixDate``.
///
/// ```swift
/// let sql = "SELECT count(*) FROM events WHERE time >= ?"
/// let today: Int = try connection.query(sql, UnixMilliseconds(startOfDay))
/// ```
public struct UnixMilliseconds: RawRepresentable, Binding, Codable, Hashable, Comparable, Sendable {
    /// The milliseconds since 1970 in UTC, without leap seconds.
    public var rawValue: Int64

    /// Wraps the milliseconds since 1970.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// Wraps a date, rounded to the nearest millisecond. A date that is too far away is the last or
    /// the first that there is, 292 million years from 1970. One that isn't a number is the last.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        let limit: Int64 = milliseconds < 0 ? .min : .max
        self.init(rawValue: Int64(exactly: milliseconds) ?? limit)
    }

    /// The date, to the millisecond.
    public var date: Date { Date(timeIntervalSince1970: Double(rawValue) / 1000) }

    public static func < (one: UnixMilliseconds, other: UnixMilliseconds) -> Bool {
        one.rawValue < other.rawValue
    }
}

extension UnixMilliseconds: CustomStringConvertible {
    /// The date in UTC, `2026-01-31T12:00:00.250Z`; the number if the year isn't within 0 to 9999.
    public var description: String {
        DateFormat.defaultText(of: date).map { $0 + "Z" } ?? "\(rawValue)"
    }
}

extension UnixDate: CustomStringConvertible {
    /// The date in UTC, `2026-01-31T12:00:00.250Z`; the number if the year isn't within 0 to 9999.
    public var description: String {
        DateFormat.defaultText(of: date).map { $0 + "Z" } ?? "\(rawValue)"
    }
}

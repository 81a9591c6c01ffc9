import Foundation

/// A date that is stored as a number: the seconds since 1970, as FMDB and WCDB store it.
///
/// A `Date` is stored as text. Use this type where the column has numbers, also as a property of a
/// row's type, which can then be read and written:
///
/// ```swift
/// let sql = "SELECT max(opened) FROM accounts WHERE opened < ?"
/// let last: UnixDate? = try connection.query(sql, UnixDate(Date()))
/// ```
///
/// It is stored as REAL, and read from REAL and INTEGER. A column of the type INTEGER makes an
/// INTEGER of whole seconds. In a STRICT table it takes no others: round the ``rawValue``.
///
/// Every number is taken for seconds. Milliseconds are ``UnixMilliseconds``.
public struct UnixDate: RawRepresentable, Binding, Codable, Hashable, Comparable, Sendable {
    /// The seconds since 1970 in UTC, without leap seconds.
    public var rawValue: Double

    /// Wraps the seconds since 1970.
    public init(rawValue: Double) {
        self.rawValue = rawValue
    }

    /// Wraps a date.
    public init(_ date: Date) {
        self.init(rawValue: date.timeIntervalSince1970)
    }

    /// The date, which is exact to a fraction of a microsecond.
    public var date: Date { Date(timeIntervalSince1970: rawValue) }

    public static func < (one: UnixDate, other: UnixDate) -> Bool {
        one.rawValue < other.rawValue
    }
}

import Foundation
import SQift

extension FuzzTarget {
    /// Dates are read and written as SQLite does it.
    static let dates = FuzzTarget(name: "dates") { input in
        let connection = try Connection()
        let text = input.text
        try compareReading(of: text, on: connection)
        var input = input
        let bits = UInt64(bitPattern: input.int64())
        // Any number, and one whose year has four digits.
        let near = Double(Int64(bitPattern: bits) % 300_000_000_000_000) / 1000
        for seconds in [Double(bitPattern: bits), near] {
            try compareWriting(of: Date(timeIntervalSince1970: seconds), on: connection)
        }
    }

    /// A text that begins with a date is an instant for both or for none. SQLite also knows times
    /// without a date, Julian days and `now`, and stops at a NUL byte.
    private static func compareReading(of text: String, on connection: Connection) throws {
        var found: Date?
        try allowingErrors { found = try connection.query("SELECT ?", text) as Date }
        let value = Date.fromBindingValue(text)
        try expect(
            value == found,
            "\(text.debugDescription) is \(value as Any) and \(found as Any)"
        )
        let beginning = /[0-9]{4}-[0-9]{2}-[0-9]{2}/
        guard text.prefixMatch(of: beginning) != nil, !text.utf8.contains(0) else {
            try expect(found == nil || text.utf8.contains(0), "\(text.debugDescription) is a date")
            return
        }
        let expected = try milliseconds(of: text, on: connection)
        if expected == nil, let found, found.timeIntervalSince1970 * 1000 >= endOfSQLitesTime {
            // SQLite rounds it up to a year that it doesn't have.
            return
        }
        if expected == nil, text.contains(" 24:") || text.contains("T24:") {
            // Newer versions don't read the hour after the end of the day any more.
            return
        }
        let rounded = found.map { ($0.timeIntervalSince1970 * 1000).rounded() }
        let difference = rounded.flatMap { rounded in expected.map { abs(rounded - $0) } }
        // A fraction of a half millisecond may be rounded either way.
        let isSame = difference.map { $0 <= 1 } ?? (rounded == nil && expected == nil)
        try expect(
            isSame,
            "\(text.debugDescription) is \(rounded as Any), for SQLite \(expected as Any)"
        )
    }

    /// The last half millisecond of the year 9999.
    private static let endOfSQLitesTime = 253_402_300_799_999.5

    /// What SQLite takes a text for: milliseconds since 1970.
    private static func milliseconds(of text: String, on connection: Connection) throws -> Double? {
        let days: Double? = try connection.query("SELECT julianday(?)", text)
        return days.map { (($0 - 2_440_587.5) * 86_400_000).rounded() }
    }

    /// What is written is the same instant for SQLite, and when it is read back.
    private static func compareWriting(of date: Date, on connection: Connection) throws {
        var text: String?
        try allowingErrors { text = try connection.query("SELECT ?", date) }
        let seconds = date.timeIntervalSince1970
        let milliseconds = (seconds * 1000).rounded()
        let isWritable = (-62_167_219_200_000..<253_402_300_800_000).contains(milliseconds)
        try expect((text != nil) == isWritable, "\(seconds) is written as \(text ?? "nothing")")
        guard let text else { return }
        let known = try self.milliseconds(of: text, on: connection)
        try expect(known == milliseconds, "\(seconds) is \(text), for SQLite \(known as Any)")
        let again: Date = try connection.query("SELECT ?", text)
        let difference = abs(again.timeIntervalSince1970 * 1000 - milliseconds)
        // In the year 9999 the next Double is 0.03 ms away.
        try expect(
            difference < 0.1,
            "\(seconds) is \(text), read as \(again.timeIntervalSince1970)"
        )
        let written: String = try connection.query("SELECT ?", again)
        try expect(written == text, "\(text) is written as \(written) again")
    }
}

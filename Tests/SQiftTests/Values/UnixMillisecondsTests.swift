import Foundation
import SQift
import SQiftTestSupport
import Testing

struct UnixMillisecondsTests {
    @Test(arguments: [0, 1_769_860_800_250, -1, -62_167_219_200_000, .max, .min])
    func itIsStoredAsAnInteger(milliseconds: Int64) throws {
        let date = UnixMilliseconds(rawValue: milliseconds)
        #expect(try stored(date) == .integer(milliseconds))
        try expectRoundTrip(of: date)
    }

    @Test func itIsReadFromWholeNumbers() throws {
        try expectReading("1769860800250", is: UnixMilliseconds(rawValue: 1_769_860_800_250))
        try expectReading("-1", is: UnixMilliseconds(rawValue: -1))
        try expectReading("5.0", is: UnixMilliseconds(rawValue: 5))
        try expectReading("NULL", as: UnixMilliseconds.self, is: nil)
    }

    @Test(arguments: ["'1769860800250'", "x'00'", "1.5", "1e300"])
    func itIsReadFromNothingElse(value: String) throws {
        try expectMismatch(value, as: UnixMilliseconds.self)
    }

    @Test(.enabled(if: Capability.strictTables, "this SQLite has no STRICT"))
    func aStrictTableTakesIt() throws {
        let connection = try Connection()
        try connection.execute("CREATE TABLE events(time INTEGER NOT NULL) STRICT")
        let time = UnixMilliseconds(Date(timeIntervalSince1970: 1_769_860_800.25))
        try connection.run("INSERT INTO events VALUES(?)", time)
        try #expect(connection.query("SELECT time FROM events") == time)
        try #expect(connection.query("SELECT time FROM events") == 1_769_860_800_250)
    }

    @Test func aDateIsRounded() {
        let dates: [(seconds: Double, milliseconds: Int64)] = [
            (1.0004, 1000), (1.0006, 1001), (-1.0006, -1001), (0, 0),
        ]
        for (seconds, milliseconds) in dates {
            let date = UnixMilliseconds(Date(timeIntervalSince1970: seconds))
            #expect(date.rawValue == milliseconds)
            #expect(date.date == Date(timeIntervalSince1970: Double(milliseconds) / 1000))
        }
    }

    @Test func aDateThatIsTooFarAwayIsTheLast() {
        #expect(UnixMilliseconds(Date(timeIntervalSince1970: 1e300)).rawValue == .max)
        #expect(UnixMilliseconds(Date(timeIntervalSince1970: -1e300)).rawValue == .min)
        #expect(UnixMilliseconds(Date(timeIntervalSince1970: .infinity)).rawValue == .max)
    }

    @Test func theyAreCompared() {
        #expect(UnixMilliseconds(rawValue: 1) < UnixMilliseconds(rawValue: 2))
        #expect(!(UnixMilliseconds(rawValue: 2) < UnixMilliseconds(rawValue: 2)))
    }

    @Test func bothTypesDescribeTheDate() {
        let date = Date(timeIntervalSince1970: 1_769_860_800.25)
        #expect("\(UnixMilliseconds(date))" == "2026-01-31T12:00:00.250Z")
        #expect("\(UnixDate(date))" == "2026-01-31T12:00:00.250Z")
    }

    private static let descriptions: [(Int64, String)] = [
        (1, "1970-01-01T00:00:00.001Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (253_402_300_800_000, "253402300800000"),
        (.min, "\(Int64.min)"),
        (.max, "\(Int64.max)"),
    ]

    @Test(arguments: descriptions)
    func aYearOfMoreThanFourDigitsIsANumber(milliseconds: Int64, description: String) {
        #expect("\(UnixMilliseconds(rawValue: milliseconds))" == description)
    }

    @Test func secondsThatAreNoDateAreANumber() {
        #expect("\(UnixDate(rawValue: 1e300))" == "1e+300")
        #expect("\(UnixDate(rawValue: -.infinity))" == "-inf")
        #expect("\(UnixDate(rawValue: .nan))" == "nan")
    }
}

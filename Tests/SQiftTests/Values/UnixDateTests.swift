import Foundation
import SQift
import SQiftTestSupport
import Testing

private struct Account: Codable, Equatable, ExpressibleByRow {
    var name: String
    var opened: UnixDate
    var closed: UnixDate?
}

struct UnixDateTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute("CREATE TABLE accounts(name TEXT, opened REAL, closed INTEGER)")
    }

    @Test(arguments: [0, 1_769_860_800, 1_769_860_800.25, -0.5, -62_167_219_200, 1e300])
    func itIsStoredAsRealSeconds(seconds: Double) throws {
        let date = UnixDate(rawValue: seconds)
        #expect(try stored(date) == .real(seconds))
        try expectRoundTrip(of: date)
        #expect(UnixDate(date.date).rawValue == seconds)
    }

    @Test func itIsReadFromEveryNumber() throws {
        try expectReading("1769860800", is: UnixDate(rawValue: 1_769_860_800))
        try expectReading("1769860800.25", is: UnixDate(rawValue: 1_769_860_800.25))
        try expectReading("-1", is: UnixDate(rawValue: -1))
    }

    @Test func itIsReadFromNothingElse() throws {
        try expectMismatch("'2026-01-31 12:00:00'", as: UnixDate.self)
        try expectMismatch("'1769860800'", as: UnixDate.self)
        try expectMismatch("x'00'", as: UnixDate.self)
        try expectReading("NULL", as: UnixDate.self, is: nil)
    }

    @Test func whatIsNoNumberIsRefused() throws {
        try expectRefused(UnixDate(rawValue: .nan))
    }

    @Test func oneTypeReadsAndWritesTheRow() throws {
        let ada = Account(
            name: "Ada",
            opened: UnixDate(rawValue: 1_769_860_800.1),
            closed: UnixDate(rawValue: 1_769_860_801)
        )
        let bob = Account(name: "Bob", opened: UnixDate(Date(timeIntervalSince1970: 5)))
        for account in [ada, bob] {
            try connection.run(
                "INSERT INTO accounts VALUES(:name, :opened, :closed)",
                encoding: account
            )
        }

        let types = try connection.query(
            "SELECT typeof(opened), typeof(closed) FROM accounts",
            as: (String, String).self
        )
        #expect(types.map { "\($0.0) \($0.1)" } == ["real integer", "real null"])
        #expect(try connection.query("SELECT * FROM accounts") == [ada, bob])
        #expect(
            try connection.query(
                "SELECT * FROM accounts WHERE opened >= ?",
                ada.opened
            ) as [Account] == [ada]
        )
    }

    @Test(.enabled(if: Capability.strictTables, "SQLite has no STRICT tables"))
    func anIntegerColumnThatIsStrictTakesWholeSeconds() throws {
        try connection.execute("CREATE TABLE logins(at INTEGER) STRICT")
        let sql = "INSERT INTO logins VALUES(?)"
        let now = UnixDate(rawValue: 1_769_860_800.25)

        let error = sqliteError { try connection.run(sql, now) }
        try connection.run(sql, UnixDate(rawValue: now.rawValue.rounded(.down)))

        expect(error, .constraintDataType)
        #expect(try connection.query("SELECT at FROM logins") == Int(1_769_860_800))
    }

    @Test func itIsANumberInJSON() throws {
        let dates = ArrayBinding(elements: [UnixDate(rawValue: 1.5), UnixDate(rawValue: 2)])
        try connection.execute("INSERT INTO accounts(opened) VALUES(1.5), (2), (3)")
        let count: Int = try connection.query(
            "SELECT count(*) FROM accounts WHERE opened IN (SELECT value FROM json_each(?))",
            dates
        )
        #expect(try stored(dates) == .text("[1.5,2]"))
        #expect(count == 2)
    }

    @Test func datesCompareAsTheirSecondsDo() {
        let dates = [3, -1, 2].map { UnixDate(rawValue: $0) }
        #expect(dates.sorted().map(\.rawValue) == [-1, 2, 3])
        #expect(Set(dates + dates).count == 3)
    }

    @Test func noDateIsBeforeItself() {
        let date = UnixDate(rawValue: 1.5)
        #expect(!(date < date))
        #expect(date <= date)
        #expect(date >= date)
    }
}

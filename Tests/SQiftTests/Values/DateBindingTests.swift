import Foundation
import SQiftTestSupport
import Testing

import SQift

private func date(_ milliseconds: Int64) -> Date {
    Date(timeIntervalSince1970: Double(milliseconds) / 1000)
}

/// The first and the last millisecond that can be stored.
private let storableMilliseconds: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

struct DateBindingTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000"), (1, "1970-01-01T00:00:00.001"),
        (-1, "1969-12-31T23:59:59.999"),
        (-1000, "1969-12-31T23:59:59.000"), (951_782_400_000, "2000-02-29T00:00:00.000"),
        (1_709_210_096_789, "2024-02-29T12:34:56.789"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000"),
        (4_107_542_399_999, "2100-02-28T23:59:59.999"),
        (-2_203_891_200_001, "1900-02-28T23:59:59.999"),
        (-2_203_891_200_000, "1900-03-01T00:00:00.000"),
        (-62_162_121_600_000, "0000-02-29T00:00:00.000"),
        (-12_219_292_800_000, "1582-10-15T00:00:00.000"),
        (-12_219_292_800_001, "1582-10-14T23:59:59.999"),
        (-62_135_596_800_000, "0001-01-01T00:00:00.000"),
        (-62_135_596_800_001, "0000-12-31T23:59:59.999"),
        (storableMilliseconds.lowerBound, "0000-01-01T00:00:00.000"),
        (storableMilliseconds.upperBound, "9999-12-31T23:59:59.999"),
        (1_735_689_599_999, "2024-12-31T23:59:59.999"),
    ])
    func isStoredAsTextInUTCAndReadBack(milliseconds: Int64, text: String) throws {
        let date = date(milliseconds)
        #expect(try stored(date) == .text(text))
        #expect(date.bindingValue == .text(text))
        try expectRoundTrip(of: date)
        try expectReading("'\(text)'", as: Date.self, is: date)
        #expect(Date.fromBindingValue(text) == date)
    }

    @Test(arguments: [
        (0.0004, "1970-01-01T00:00:00.000"), (0.0006, "1970-01-01T00:00:00.001"),
        (-0.0004, "1970-01-01T00:00:00.000"),
        (-0.0006, "1969-12-31T23:59:59.999"), (59.9996, "1970-01-01T00:01:00.000"),
        (86_399.9996, "1970-01-02T00:00:00.000"), (-62_167_219_200.0004, "0000-01-01T00:00:00.000"),
    ])
    func isRoundedToTheNearestMillisecond(seconds: Double, text: String) throws {
        #expect(try stored(Date(timeIntervalSince1970: seconds)) == .text(text))
    }

    @Test func theCurrentTimeComesBackToTheMillisecond() throws {
        let now = Date()
        let read = try roundTrip(now)
        #expect(abs(read.timeIntervalSince(now)) <= 0.000501)
        // Once rounded it no longer changes.
        try expectRoundTrip(of: read)
    }

    @Test(arguments: [
        -62_167_219_200.0006, 253_402_300_800, 253_402_300_799.9996, -1e12, 1e12, 1e300, -1e300,
        .infinity, -.infinity,
        .nan,
    ])
    func aDateOutsideTheYears0To9999IsRefused(seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        try expectRefused(date)
        try expectRefused(Date?.some(date))
        #expect(date.bindingValue == .null)
    }

    @Test(arguments: [Date.distantPast, .distantFuture])
    func theDistantDatesAreStorable(date: Date) throws {
        try expectRoundTrip(of: date)
    }

    // MARK: SQLite's other time strings

    @Test(arguments: [
        ("2024-02-29", 1_709_164_800), ("2024-02-29 12:34", 1_709_210_040),
        ("2024-02-29T12:34", 1_709_210_040),
        ("2024-02-29 12:34:56", 1_709_210_096), ("2024-02-29T12:34:56", 1_709_210_096),
        ("2024-02-29 12:34:56.5", 1_709_210_096.5), ("2024-02-29T12:34:56.789", 1_709_210_096.789),
        ("2024-02-29 12:34:56.7", 1_709_210_096.7), ("2024-02-29 12:34:56.78", 1_709_210_096.78),
        ("2024-02-29 12:34:56.789Z", 1_709_210_096.789), ("2024-02-29 12:34:56z", 1_709_210_096),
        ("2024-02-29T12:34Z", 1_709_210_040), ("2024-02-29 12:34:56 Z", 1_709_210_096),
        ("2024-02-29 12:34:56+02:00", 1_709_202_896), ("2024-02-29 12:34:56-02:30", 1_709_219_096),
        ("2024-02-29T12:34+00:00", 1_709_210_040),
        ("2024-02-29 12:34:56.789 +14:00", 1_709_159_696.789),
        ("2024-02-29 12:34:56-14:59", 1_709_264_036), ("2024-02-29 12:34:56 ", 1_709_210_096),
        ("2024-02-29   12:34:56", 1_709_210_096), ("2024-02-29T", 1_709_164_800),
        ("2024-02-29 ", 1_709_164_800),
        ("2024-01-01 00:30+01:00", 1_704_065_400), ("2023-12-31 23:30-01:00", 1_704_069_000),
        ("2024-02-30", 1_709_251_200), ("2023-02-29", 1_677_628_800), ("2023-02-31", 1_677_801_600),
        ("2024-04-31 06:00", 1_714_543_200), ("2024-02-29 24:00:00", 1_709_251_200),
        ("1969-12-31 23:59:59.999", -0.001),
        ("0000-01-01", -62_167_219_200), ("9999-12-31 23:59:59.999", 253_402_300_799.999),
        ("2024-02-29 12:34:56.123456", 1_709_210_096.123456),
    ])
    func everyTimeStringOfSQLiteIsReadAsSQLiteReadsIt(text: String, seconds: Double) throws {
        try expectReading("'\(text)'", as: Date.self, is: Date(timeIntervalSince1970: seconds))
        #expect(Date.fromBindingValue(text) == Date(timeIntervalSince1970: seconds))
        let milliseconds: Int64 = try Connection().query(
            "SELECT CAST(round((julianday(?) - 2440587.5) * 86400000) AS INTEGER)",
            text
        )
        #expect(
            milliseconds == Int64((seconds * 1000).rounded()),
            "SQLite itself reads something else"
        )
    }

    @Test(arguments: ["1234567", "1234569", "12345699999999999999999999"])
    func digitsAfterTheSixthAreDropped(digits: String) throws {
        let date = Date(timeIntervalSince1970: 1_709_210_096.123456)
        try expectReading("'2024-02-29 12:34:56.\(digits)'", as: Date.self, is: date)
    }

    @Test func theClockOfSQLiteIsRead() throws {
        let before = Date(timeIntervalSinceNow: -2)
        let connection = try Connection()
        let stamp: Date = try connection.query("SELECT CURRENT_TIMESTAMP")
        let day: Date = try connection.query("SELECT CURRENT_DATE")
        #expect(stamp >= before && stamp <= Date(timeIntervalSinceNow: 1))
        #expect(day <= stamp && stamp.timeIntervalSince(day) < 86_402)
    }

    @Test(arguments: [
        "", " ", "now", "12:34", "12:34:56", "12:34:56.789", "2460369.5", "2024", "2024-02",
        "2024-2-29", "24-02-29",
        "2024-02-2", "2024/02/29", "20240229", "2024-00-10", "2024-13-10", "2024-01-00",
        "2024-01-32", "2024-02-29X",
        "2024-02-29 1:34", "2024-02-29 12", "2024-02-29 12:3", "2024-02-29 25:00",
        "2024-02-29 12:60",
        "2024-02-29 12:34:60", "2024-02-29 12:34:5", "2024-02-29 12:34:56.",
        "2024-02-29 12:34:56,5",
        "2024-02-29 12:34:56.5x", "2024-02-29 12:34:56Zx", "2024-02-29 12:34:56+2:00",
        "2024-02-29 12:34:56+0200",
        "2024-02-29 12:34:56+02", "2024-02-29 12:34:56+15:00", "2024-02-29 12:34:56+01:60",
        "2024-02-29 12:34:56 UTC",
        "2024-02-29 12:34:56+02:00Z", " 2024-02-29", "+2024-02-29", "12024-02-29", "2024-02-29Z",
        "2024-02-29+01:00",
        "２０２４-02-29", "2024-02-29 12:34 PM", "29.02.2024", "Feb 29 2024", "null",
        "2024-02-29 -1:00",
        "2024-02-29 12:-1",
    ])
    func aMalformedTimeStringIsAMismatch(text: String) throws {
        try expectMismatch("'\(text)'", as: Date.self)
        #expect(Date.fromBindingValue(text) == nil)
    }

    @Test(arguments: ["x''", "x'323032342D30322D3239'"])
    func aBlobIsNoDate(expression: String) throws {
        try expectMismatch(expression, as: Date.self)
    }

    // MARK: Unix seconds

    @Test(arguments: [
        ("0", 0.0), ("1709210096", 1_709_210_096), ("-1", -1),
        ("1709210096.789", 1_709_210_096.789), ("-0.5", -0.5),
        ("253402300799", 253_402_300_799), ("-62167219200", -62_167_219_200),
    ])
    func aNumberIsReadAsUnixSeconds(expression: String, seconds: Double) throws {
        try expectReading(expression, as: Date.self, is: Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        "9e999", "-9e999", "253402300800", "253402300799.9996", "-62167219201",
        "-62167219200.0006", "1700000000000", "1.7e15", "'9999-12-31 23:59:59-00:01'",
        "'9999-12-31 24:00'", "'0000-01-01 00:00+00:01'",
    ])
    func noDateIsReadThatCannotBeWritten(expression: String) throws {
        try expectMismatch(expression, as: Date.self)
        let value: BindingValue = try Connection().query("SELECT \(expression)")
        #expect(Date.fromBindingValue(value) == nil)
    }

    // MARK: Agreement with SQLite

    @Test func randomDatesAreWrittenAsSQLiteWritesThem() throws {
        var generator = SeededGenerator(state: 2024)
        let connection = try Connection()
        for _ in 0..<4000 {
            let milliseconds = Int64.random(in: storableMilliseconds, using: &generator)
            let texts: [String] = try connection.query(
                "SELECT ?1 UNION ALL SELECT strftime('%Y-%m-%dT%H:%M:', ?2 / 86400000.0 + 2440587.5)",
                date(milliseconds),
                milliseconds
            )
            // The seconds' fraction is left out: a julian day number has no room for it.
            #expect(
                texts[0].hasPrefix(texts[1]) || abs(milliseconds % 60_000) < 2
                    || abs(milliseconds % 60_000) > 59_998
            )
            #expect(
                try connection.query(
                    "SELECT strftime('%Y-%m-%dT%H:%M:%f', ?)",
                    date(milliseconds)
                ) == [texts[0]]
            )
            #expect(
                try connection.query(
                    "SELECT strftime('%s', ?)",
                    date(milliseconds)
                ) == "\(Int64((Double(milliseconds) / 1000).rounded(.down)))"
            )
        }
    }

    @Test func randomDatesComeBackAsTheSameDouble() throws {
        var generator = SeededGenerator(state: 9999)
        let connection = try Connection()
        for _ in 0..<4000 {
            let milliseconds = Int64.random(in: storableMilliseconds, using: &generator)
            #expect(
                try connection.query("SELECT ?", date(milliseconds)) as Date == date(milliseconds)
            )
        }
    }

    @Test func randomTimesOfSQLiteAreReadAsSQLiteMeansThem() throws {
        var generator = SeededGenerator(state: 5)
        let connection = try Connection()
        let formats = [
            "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d", "%Y-%m-%d %H:%M:%f",
            "%Y-%m-%dT%H:%M:%fZ",
        ]
        for number in 0..<3000 {
            let seconds = Int64.random(in: -62_167_219_200...253_402_300_799, using: &generator)
            let zone = ["", "Z", "+05:45", "-03:30"][number % 4]
            let format = formats[number % formats.count]
            let suffix = format.hasSuffix("Z") || format.hasSuffix("d") ? "" : zone
            let row: [String: String] = try connection.query(
                "SELECT t, strftime('%s', t) FROM (SELECT strftime(?, ?, 'unixepoch') || ? AS t)",
                format,
                seconds,
                suffix
            )
            let (text, expected) = try #require(row.first)
            let read: Date = try connection.query("SELECT ?", text)
            #expect("\(Int64(read.timeIntervalSince1970))" == expected, "\(text)")
        }
    }

    @Test func everyDayOfFourHundredYearsAgreesWithSQLite() throws {
        let connection = try Connection()
        // From the year 400: before it, this SQLite prints the 29th of February in years that have
        // none.
        let start: Int64 = -573_431
        var day = start
        var mistakes: [String] = []
        try connection.forEachRow(
            """
            WITH RECURSIVE days(d) AS (SELECT '0400-01-01' UNION ALL SELECT date(d, '+1 day') FROM days LIMIT 146500)
            SELECT d FROM days
            """
        ) { row in
            let text: String = try row.get(0)
            let read: Date = try row.get(0)
            if read != date(day * 86_400_000) || read.bindingValue != .text(text + "T00:00:00.000")
            {
                mistakes.append(text)
            }
            day += 1
        }
        #expect(mistakes == [])
        #expect(day == start + 146_500)
    }

    // A text that ends with a space isn't of the default format's length, but means the same.

    /// Every day of the 400 years after which the calendar repeats itself, and every 29th of all.
    @Test(arguments: [("1600-01-01", 1, 146_097), ("0000-01-01", 29, 125_930)])
    func everyDayInTheDefaultFormatIsReadAsWithASpaceAfterIt(
        first: String,
        step: Int,
        count: Int
    ) throws {
        let connection = try Connection()
        var mistakes: [String] = []
        var days = 0
        try connection.forEachRow(
            """
            WITH RECURSIVE days(n, day) AS (
                VALUES(0, ?1)
                UNION ALL
                SELECT n + 1, date(day, ?2 || ' days') FROM days WHERE n + 1 < ?3
            ),
            texts(text) AS (
                SELECT day || printf(
                    'T%02d:%02d:%02d.%03d', n % 24, n * 7 % 60, n * 11 % 60, n * 13 % 1000
                )
                FROM days
            )
            SELECT text, text || ' ' FROM texts
            """,
            [first, step, count]
        ) { row in
            let read: Date = try row.get(0)
            let other: Date = try row.get(1)
            if read != other {
                mistakes.append(try row.get(0))
            }
            days += 1
        }
        #expect(mistakes == [])
        #expect(days == count)
    }

    @Test func everyBrokenByteInTheDefaultFormatIsReadAsWithASpaceAfterIt() throws {
        let connection = try Connection()
        let text = Array("2024-02-29T13:45:59.678".utf8)
        let select = try connection.prepare("SELECT CAST(?1 AS TEXT), CAST(?1 || x'20' AS TEXT)")
        for index in text.indices {
            for byte in UInt8.min...UInt8.max {
                var broken = text
                broken[index] = byte
                let row: Row = try #require(try select.bind(Data(broken)).query())
                let read: Date? = row[0]
                #expect(read == row[1], "\(byte) at \(index)")
            }
        }
    }

    // MARK: In SQL

    @Test func textOrderIsTimeOrder() throws {
        var generator = SeededGenerator(state: 3)
        let connection = try Connection()
        try connection.execute("CREATE TABLE t(v TEXT)")
        let dates = (0..<300).map { _ in
            date(Int64.random(in: storableMilliseconds, using: &generator))
        }
        for date in dates {
            try connection.run("INSERT INTO t VALUES(?)", date)
        }
        let sorted: [Date] = try connection.query("SELECT v FROM t ORDER BY v")
        #expect(sorted == dates.sorted())
        #expect(
            try connection.query("SELECT count(*) FROM t WHERE v < ?", dates[0]) as Int
                == dates.filter { $0 < dates[0] }.count
        )
    }

    @Test func dateRangesCountWholeDays() throws {
        let connection = try Connection()
        try connection.execute("CREATE TABLE cars(name TEXT, release_date TEXT)")
        for (name, text) in [
            ("a", "1969-12-31"), ("b", "1980-01-01"), ("c", "1999-12-31 23:59:59"),
            ("d", "2010-05-05"),
        ] {
            let date = try #require(Date.fromBindingValue(text))
            try connection.run("INSERT INTO cars VALUES(?, ?)", name, date)
        }
        let start = try #require(Date.fromBindingValue("1980-01-01"))
        let end = try #require(Date.fromBindingValue("2000-01-01"))
        #expect(
            try connection.query(
                "SELECT count(*) FROM cars WHERE release_date >= date(?) AND release_date <= date(?)",
                start,
                end
            ) == 2
        )
        #expect(
            try connection.query(
                "SELECT name FROM cars WHERE release_date >= ? AND release_date < ? ORDER BY name",
                start,
                end
            ) == ["b", "c"]
        )
    }

    @Test func theProcessTimeZoneDoesNotMatter() async {
        await #expect(processExitsWith: .success) {
            for zone in ["America/New_York", "Asia/Kolkata", "Pacific/Apia"] {
                setenv("TZ", zone, 1)
                tzset()
                NSTimeZone.resetSystemTimeZone()
                let summer = Date(timeIntervalSince1970: 1_720_000_000.5)
                try #expect(stored(summer) == .text("2024-07-03T09:46:40.500"))
                try #expect(roundTrip(summer) == summer)
            }
        }
    }
}

import Foundation
import SQiftTestSupport
import Testing

import SQift

// The formatter belongs to the process and can't be put back to its first state: each test has a
// process of its own.
struct DateFormatterTests {
    @Test func theDefaultFormatterHasTheFormatOfTheFastPath() async {
        await #expect(processExitsWith: .success) {
            let connection = try Connection()
            var generator = SeededGenerator(state: 7)
            let old = [-62_135_596_800.0, -14_830_974_000, -12_219_292_800, -1, 0]
            let random = (0..<500).map { _ in
                Double(
                    Int64.random(in: -2_000_000_000_000...4_000_000_000_000, using: &generator)
                ) / 1000
            }
            let dates = (old + random).map { Date(timeIntervalSince1970: $0) }
            var fast: [String] = []
            for date in dates {
                fast.append(try connection.query("SELECT ?", date))
            }
            #expect(bindingDateFormatter.dateFormat == "yyyy-MM-dd'T'HH:mm:ss.SSS")
            #expect(bindingDateFormatter.timeZone.secondsFromGMT() == 0)
            #expect(bindingDateFormatter.locale.identifier == "en_US_POSIX")
            // Having been read, the formatter is what writes from now on.
            for (date, text) in zip(dates, fast) {
                #expect(try connection.query("SELECT ?", date) == text)
                let read: Date = try connection.query("SELECT ?", text)
                #expect(abs(read.timeIntervalSince(date)) < 0.000_001)
            }
        }
    }

    @Test func aReplacedFormatterWritesAndReads() async {
        await #expect(processExitsWith: .success) {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(secondsFromGMT: 0)
            formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
            bindingDateFormatter = formatter
            let date = Date(timeIntervalSince1970: 1_709_210_096)
            try #expect(stored(date) == .text("2024-02-29 12:34:56"))
            #expect(date.bindingValue == .text("2024-02-29 12:34:56"))
            try #expect(roundTrip(date) == date)
            #expect(bindingDateFormatter === formatter)
            let connection = try Connection()
            #expect(
                try connection.query(
                    "SELECT ? BETWEEN '2024-02-29' AND '2024-03-01'",
                    date
                ) == 1
            )
        }
    }

    @Test func changingTheFormatOfTheFormatterThatWasReadTakesEffect() async {
        await #expect(processExitsWith: .success) {
            let date = Date(timeIntervalSince1970: 1_709_210_096)
            try #expect(stored(date) == .text("2024-02-29T12:34:56.000"))
            bindingDateFormatter.dateFormat = "yyyy-MM-dd"
            try #expect(stored(date) == .text("2024-02-29"))
        }
    }

    @Test func whatTheFormatterDoesNotReadIsReadAsSQLiteWould() async {
        await #expect(processExitsWith: .success) {
            bindingDateFormatter.dateFormat = "dd.MM.yyyy"
            let date = Date(timeIntervalSince1970: 1_709_164_800)
            try #expect(stored(date) == .text("29.02.2024"))
            try expectReading("'29.02.2024'", as: Date.self, is: date)
            try expectReading("'2024-02-29 00:00'", as: Date.self, is: date)
            try expectReading("'2024-02-29T00:00:00.000Z'", as: Date.self, is: date)
            try expectReading("1709164800", as: Date.self, is: date)
            try expectReading("1709164800.0", as: Date.self, is: date)
            try expectMismatch("'29.2'", as: Date.self)
            try expectMismatch("x'00'", as: Date.self)
        }
    }

    @Test
    func theFormatterIsReadAndReplacedFromSeveralThreads() async {
        await #expect(processExitsWith: .success) {
            @Sendable func formatter(_ format: String) -> DateFormatter {
                let formatter = DateFormatter()
                formatter.locale = Locale(identifier: "en_US_POSIX")
                formatter.timeZone = TimeZone(secondsFromGMT: 0)
                formatter.dateFormat = format
                return formatter
            }
            let date = Date(timeIntervalSince1970: 1_709_210_096)
            let texts: Set<String> = [
                "2024-02-29 12:34:56", "2024-02-29T12:34:56", "2024-02-29T12:34:56.000",
            ]
            // No block waits for another one, so it does no harm that few run at once.
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                for round in 0..<100 {
                    switch (thread + round) % 4 {
                    case 0: bindingDateFormatter = formatter("yyyy-MM-dd HH:mm:ss")
                    case 1: bindingDateFormatter = formatter("yyyy-MM-dd'T'HH:mm:ss")
                    case 2: #expect(bindingDateFormatter.dateFormat.hasPrefix("yyyy-MM-dd"))
                    default:
                        guard case .text(let text)? = try? stored(date) else {
                            Issue.record("no text")
                            return
                        }
                        #expect(texts.contains(text))
                        let read = try? roundTrip(date)
                        #expect(read == date)
                    }
                }
            }
        }
    }

    @Test func aDateThatCannotBeStoredIsRefusedWithACustomFormatterToo() async {
        await #expect(processExitsWith: .success) {
            bindingDateFormatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
            for seconds in [
                253_402_300_800, -62_167_219_201, .nan, .infinity, -.infinity, 1e300,
            ] {
                try expectRefused(Date(timeIntervalSince1970: seconds))
            }
        }
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

private struct Both: Binding, ExpressibleByRow, Equatable {
    typealias BindingType = Int64
    var number: Int
    var bindingValue: BindingValue { .integer(Int64(number)) }

    init(number: Int) {
        self.number = number
    }

    init(row: Row) throws {
        number = try row.get("number")
    }

    static func fromBindingValue(_ value: Any) -> Both? {
        (value as? Int64).map { Both(number: Int($0)) }
    }
}

private func isSendable<T>(_: T.Type) -> Bool {
    false
}
private func isSendable<T: Sendable>(_: T.Type) -> Bool {
    true
}

/// Nothing changes on its way into a value, and nothing is read as what it isn't.
struct ExactnessTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    @Test(arguments: [
        String(repeating: "1234567890", count: 6), "0." + String(repeating: "1234567890", count: 5),
        "1e500",
        "-" + String(repeating: "9", count: 60),
    ])
    func textWithMoreDigitsThanADecimalHoldsIsAMismatch(text: String) throws {
        expectExtractionError(.mismatch) { try connection.query("SELECT ?", text) as Decimal }
    }

    @Test(arguments: ["0", "000", "-0.000", "1.50", "00012.3400", "1e10", "12E-3", ".5", "5."])
    func leadingAndTrailingZeroesOfADecimalDoNotCount(text: String) throws {
        let decimal: Decimal = try connection.query("SELECT ?", text)

        #expect(decimal == Decimal(string: text))
    }

    @Test(arguments: ["a b", "%zz", "ü b", "http://[::1"])
    func textThatIsNoURLIsAMismatch(text: String) throws {
        expectExtractionError(.mismatch) { try connection.query("SELECT ?", text) as URL }
    }

    @Test func aTypeThatIsAValueAndARowIsMadeFromTheRowInEveryWholeResult() throws {
        let sql = "SELECT 'first', 7 AS number UNION ALL SELECT NULL, 8"
        let one: Both = try connection.query(sql)
        let optional: Both? = try connection.query(sql)
        let all: [Both] = try connection.query(sql)
        let optionals: [Both?] = try connection.query(sql)
        let column: Both =
            try connection.query("SELECT 9") { try $0.get(0) }.map { $0 } ?? Both(number: 0)

        #expect(one.number == 7)
        #expect(optional?.number == 7)
        #expect(all.map(\.number) == [7, 8])
        #expect(optionals == [Both(number: 7), Both(number: 8)])
        #expect(column.number == 9)
    }

    @Test func anOptionalBindingValueIsNilForNULL() throws {
        let one: BindingValue? = try connection.query("SELECT NULL")
        let all: [BindingValue?] = try connection.query("SELECT NULL UNION ALL SELECT 1")
        let plain: BindingValue = try connection.query("SELECT NULL")

        #expect(one == nil)
        #expect(all == [nil, .integer(1)])
        #expect(plain == .null)
        try connection.forEachRow("SELECT NULL") { row in
            try #expect(row.get(0) as BindingValue == .null)
            try #expect(row.get(0) as BindingValue? == nil)
        }
    }

    @Test func collectionsOfSendableElementsAreSendable() {
        #expect(isSendable(ArrayBinding<String>.self))
        #expect(isSendable(SetBinding<String>.self))
        #expect(isSendable(DictionaryBinding<String, Int>.self))
    }

    @Test func readingTheFormatterChangesNoDate() async {
        await #expect(processExitsWith: .success) {
            let connection = try Connection()
            let dates = [
                -62_135_596_800.0, -14_830_974_000, -12_219_292_800, -1, 0, 1_700_000_000.123,
            ].map {
                Date(timeIntervalSince1970: $0)
            }
            let before = try dates.map { try connection.query("SELECT ?", $0) as String }
            _ = bindingDateFormatter
            let after = try dates.map { try connection.query("SELECT ?", $0) as String }
            precondition(before == after, "\(before) \(after)")
            for (date, text) in zip(dates, before) {
                let read: Date = try connection.query("SELECT ?", text)
                precondition(abs(read.timeIntervalSince(date)) < 0.001, "\(text) \(read)")
            }
        }
    }
}

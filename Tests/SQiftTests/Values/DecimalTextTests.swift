import Foundation
import SQiftTestSupport
import Testing

import SQift

/// Which texts are read as a `Decimal`, and what that costs.
struct DecimalTextTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    /// The rule: a number and nothing else, all of whose digits are in the description of what
    /// Foundation makes of it.
    private static func decimal(_ text: String, _ pattern: some RegexComponent) -> Decimal? {
        guard text.wholeMatch(of: pattern) != nil, let decimal = Decimal(string: text),
            !decimal.isNaN, significantDigits("\(decimal)") == significantDigits(text)
        else { return nil }
        return decimal
    }

    private static func significantDigits(_ number: String) -> [Character] {
        let digits = number.prefix { $0 != "e" && $0 != "E" }.filter(\.isNumber)
        return Array(digits.drop { $0 == "0" }.reversed().drop { $0 == "0" })
    }

    @Test func randomTextsAreReadWhereEveryDigitIsKept() throws {
        let pattern = #/[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?/#
        let statement = try connection.prepare("SELECT ?")
        var generator = SeededGenerator(state: 38)
        var accepted = 0
        for _ in 0..<10_000 {
            let text = Self.randomText(&generator)
            let expected = Self.decimal(text, pattern)
            let found = try? statement.bind(text).query() as Decimal
            #expect(found == expected, "\(text)")
            accepted += found == nil ? 0 : 1
        }
        #expect((2_000..<8_000).contains(accepted))
    }

    private static func randomText(_ generator: inout SeededGenerator) -> String {
        func number(_ range: Range<Int>) -> Int {
            Int.random(in: range, using: &generator)
        }
        func digits(_ count: Int, zeros: Int) -> String {
            (0..<count).map { _ in "\(number(0..<4) < zeros ? 0 : number(0..<10))" }.joined()
        }
        let lengths = [0, 1, 2, 17, 37, 38, 39, 40, 60, 130]
        func length() -> Int {
            lengths[number(0..<lengths.count)]
        }

        var text = ["", "", "+", "-"][number(0..<4)]
        switch number(0..<8) {
        case 0:
            // Around what 128 bits hold.
            text += "3402823669209384634633746074317682114" + digits(2, zeros: 0)
            text += String(repeating: "0", count: number(0..<4))
            let offset = number(0..<text.count + 1)
            text.insert(".", at: text.index(text.startIndex, offsetBy: offset))
        case 1:
            let pieces = ["0", "7", "+", "-", ".", "e", "E", " ", "\u{301}", "é", "x", "\0", "٣"]
            text = (0..<number(0..<6)).map { _ in pieces[number(0..<pieces.count)] }.joined()
        case 2:
            text += "1" + digits(length(), zeros: 3) + "." + digits(length(), zeros: 3)
        case 3:
            text += String(repeating: "0", count: number(0..<45)) + digits(length(), zeros: 0)
            text += String(repeating: "0", count: number(0..<45))
        default:
            text += digits(length(), zeros: number(0..<4))
            if number(0..<2) == 0 {
                text += "." + digits(length(), zeros: number(0..<4))
            }
        }
        if number(0..<3) == 0 {
            let exponents = [
                "0", "5", "89", "90", "127", "128", "129", "166", "254", "255", "012", "",
            ]
            text += ["e", "E-", "e+"][number(0..<3)] + exponents[number(0..<exponents.count)]
        }
        return text
    }

    @Test(arguments: [
        "340282366920938463463374607431768211455", "34028236692093846346337460743176821145.5",
        "-99999999999999999999999999999999999999", "0.00000000000000000000000000000000000001",
        "100000000000000000000000000000000000000000000000000",
    ])
    func theLargestNumbersThatFitAreRead(text: String) throws {
        #expect(try connection.query("SELECT ?", text) == Decimal(string: text))
    }

    @Test(arguments: [
        "340282366920938463463374607431768211456", "340282366920938463463374607431768211457",
        "999999999999999999999999999999999999999", "1.00000000000000000000000000000000000000001",
    ])
    func numbersOfOneBitMoreAreRefused(text: String) throws {
        expectThrows(ExtractionError.self) {
            try connection.query("SELECT ?", text) as Decimal
        }
    }
}

import Foundation
import SQiftTestSupport
import Testing

import SQift

/// Types that share the storage of another one: `Substring` and `CGFloat`.
struct SmallConformanceTests {
    // MARK: Substring

    @Test(arguments: ["", "Škoda 🚗", "a\u{0}b", "'quoted'"])
    func aSubstringIsStoredAsText(text: String) throws {
        let part = ("<" + text + ">").dropFirst().dropLast()
        let read: String = try Connection().query("SELECT ?", part)
        #expect(try stored(part) == .text(text))
        #expect(part.bindingValue == .text(text))
        #expect(read == text)
    }

    @Test func aSubstringIsAParameterInEveryForm() throws {
        let part = "Audi A4".prefix(4)
        let none: Substring? = nil
        let connection = try Connection.withTable()
        try connection.run("INSERT INTO t VALUES(?)", part)
        try connection.run("INSERT INTO t VALUES(?)", [part])
        try connection.run("INSERT INTO t VALUES(:x)", ["x": part])
        try connection.prepare("INSERT INTO t VALUES(?)", part).run()
        try connection.run("INSERT INTO t VALUES(?)", none)
        let count: Int = try connection.query("SELECT count(*) FROM t WHERE x = ?", part)
        #expect(
            try connection.query("SELECT x FROM t ORDER BY rowid") as [String?] == [
                "Audi", "Audi", "Audi", "Audi", nil,
            ]
        )
        #expect(count == 4)
    }

    @Test func aLongSubstringIsStoredWhole() throws {
        let text = String(repeating: "Škoda", count: 50_000)
        let part = text.dropFirst(5)
        #expect(
            try Connection().query("SELECT ?", part) == String(repeating: "Škoda", count: 49_999)
        )
    }

    // MARK: CGFloat

    @Test(arguments: [
        0, 1, -1, 0.1, 1.5, -2.25, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity,
        -.infinity,
    ])
    func aCGFloatComesBack(number: Double) throws {
        let value = CGFloat(number)
        #expect(try stored(value) == .real(number))
        #expect(value.bindingValue == .real(number))
        try expectRoundTrip(of: value)
        #expect(CGFloat.fromBindingValue(number) == value)
    }

    @Test func aCGFloatIsReadFromNumbers() throws {
        try expectReading("3", as: CGFloat.self, is: 3)
        try expectReading("-7", as: CGFloat.self, is: -7)
        try expectReading("0.5", as: CGFloat.self, is: 0.5)
        try expectReading("NULL", as: CGFloat.self, is: nil)
        #expect(try Connection().query("VALUES(1), (NULL), (2.5)") as [CGFloat?] == [1, nil, 2.5])
    }

    @Test(arguments: ["'1.5'", "''", "x'31'", "x''"])
    func aCGFloatIsNotReadFromTextAndBlobs(expression: String) throws {
        try expectMismatch(expression, as: CGFloat.self)
    }

    @Test func aCGFloatThatIsNaNIsRefused() throws {
        try expectRefused(CGFloat.nan)
        try expectRefused(-CGFloat.nan)
        try expectRefused(CGFloat?.some(.nan))
    }

    @Test(arguments: [(-1.0, true), (0.5, true), (0, false), (-0.0, false), (2, true)])
    func everyNumberButZeroIsTrue(number: Double, expected: Bool) throws {
        #expect(Bool.fromBindingValue(number) == expected)
        #expect(Bool.fromBindingValue(Int64(number)) == (Int64(number) != 0))
        #expect(try Connection().query("SELECT ?", number) == expected)
    }
}

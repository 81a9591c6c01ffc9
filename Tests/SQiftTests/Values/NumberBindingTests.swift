import Foundation
import SQiftTestSupport
import Testing

import SQift

typealias StoredInteger = any (Binding & FixedWidthInteger).Type

private let smallTypes: [StoredInteger] = [
    Int8.self, Int16.self, Int32.self, UInt8.self, UInt16.self, UInt32.self,
]
private let allTypes: [StoredInteger] =
    smallTypes + [Int64.self, Int.self, UInt64.self, UInt.self]

struct IntegerBindingTests {
    @Test(arguments: allTypes)
    func isStoredAsIntegerAndComesBackUnharmed(type: StoredInteger) throws {
        func check<T: Binding & FixedWidthInteger>(_ type: T.Type) throws {
            for value in [T.min, T.min + 1, 0, 1, T.max / 2, T.max - 1, T.max] {
                #expect(try storageClass(of: value) == "integer")
                #expect(try stored(value) == value.bindingValue)
                try expectRoundTrip(of: value)
                #expect(T.fromBindingValue(Int64(truncatingIfNeeded: value)) as? T == value)
                #expect(try Connection().query("SELECT ?", [T?.some(value)]) as T? == value)
            }
        }
        try check(type)
    }

    @Test(arguments: smallTypes)
    func readsIntegersAndIntegralRealsThatFit(type: StoredInteger) throws {
        func check<T: Binding & FixedWidthInteger>(_ type: T.Type) throws {
            for value in [Int64(T.min) - 1, Int64(T.max) + 1, .min, .max] {
                try expectMismatch(
                    "\(value == .min ? "-9223372036854775807 - 1" : "\(value)")",
                    as: T.self,
                    .notExact
                )
                #expect(T.fromBindingValue(value) == nil)
            }
            for value in [T.min, 0, 1, 100, T.max] {
                try expectReading("\(value)", as: T.self, is: value)
                try expectReading("\(value).0", as: T.self, is: value)
                #expect(T.fromBindingValue(Double(value)) as? T == value)
            }
            try expectReading("-1", as: T.self, is: T(exactly: -1))
            try expectReading("-0.0", as: T.self, is: 0)
            try expectMismatch("\(T.max).0 + 1.0", as: T.self, .notExact)
            try expectMismatch("\(T.min).0 - 1.0", as: T.self, .notExact)
        }
        try check(type)
    }

    @Test(arguments: allTypes)
    func refusesRealsThatAreNoIntegersTextAndBlobsAndNull(type: StoredInteger) throws {
        func check<T: Binding & FixedWidthInteger>(_ type: T.Type) throws {
            for real in ["0.5", "-0.5", "1.000000001", "2e19", "-2e19", "1e300", "9e999", "-9e999"]
            {
                try expectMismatch(real, as: T.self, .notExact)
            }
            for real in [0.5, 1e300, .infinity, -.infinity, .nan] {
                #expect(T.fromBindingValue(real) == nil)
            }
            for other in ["'1'", "''", "x'31'", "x''"] {
                try expectMismatch(other, as: T.self)
            }
            try expectReading("NULL", as: T.self, is: nil)
            #expect(T.fromBindingValue("1") == nil)
            #expect(T.fromBindingValue(Data([1])) == nil)
        }
        try check(type)
    }

    @Test func theBoundsOfInt64AsRealAreExact() throws {
        try expectReading("-1", as: Int64.self, is: -1)
        try expectReading("-1", as: Int.self, is: -1)
        try expectReading("-9223372036854775808.0", as: Int64.self, is: .min)
        try expectMismatch("9223372036854775808.0", as: Int64.self, .notExact)
        try expectReading("9223372036854774784.0", as: Int64.self, is: 9_223_372_036_854_774_784)
        try expectMismatch("-9223372036854777856.0", as: Int.self, .notExact)
    }

    @Test(arguments: [0, 1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max - 1, .max])
    func uint64KeepsItsBits(value: UInt64) throws {
        #expect(try stored(value) == .integer(Int64(bitPattern: value)))
        #expect(try stored(UInt(value)) == .integer(Int64(bitPattern: value)))
        try expectReading("\(Int64(bitPattern: value))", as: UInt64.self, is: value)
        try expectReading("\(Int64(bitPattern: value))", as: UInt.self, is: UInt(value))
    }

    @Test func uint64AboveInt64MaxSortsAsNegative() throws {
        let connection = try Connection()
        #expect(
            try connection.query(
                "SELECT column1 FROM (VALUES(?), (?), (?)) ORDER BY 1",
                0 as UInt64,
                UInt64.max,
                UInt64(1) << 63
            ) as [UInt64] == [1 << 63, .max, 0]
        )
    }

    @Test func uint64ReadsAnIntegralRealThatFits() throws {
        try expectReading("3.0", as: UInt64.self, is: 3)
        try expectReading("9223372036854775808.0", as: UInt64.self, is: 1 << 63)
        try expectReading("18446744073709549568.0", as: UInt.self, is: 18_446_744_073_709_549_568)
        try expectMismatch("18446744073709551616.0", as: UInt64.self, .notExact)
        try expectMismatch("-1.0", as: UInt64.self, .notExact)
        try expectMismatch("-1.0", as: UInt.self, .notExact)
    }

    @Test func randomIntegersComeBack() throws {
        var generator = SeededGenerator(state: 1)
        let connection = try Connection()
        for _ in 0..<2000 {
            let value =
                Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<64, using: &generator)
            #expect(try connection.query("SELECT ?", value) as Int64 == value)
            #expect(
                try connection.query("SELECT ?", UInt64(bitPattern: value))
                    == UInt64(bitPattern: value)
            )
        }
    }
}

struct RealBindingTests {
    static let doubles: [Double] = [
        0, -0.0, 1, -1, 0.1, -0.1, .pi, .ulpOfOne, .leastNonzeroMagnitude, .leastNormalMagnitude,
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .infinity, -.infinity,
        9_007_199_254_740_991, 1e-300,
    ]

    @Test(arguments: doubles)
    func doubleIsStoredAsRealAndComesBackWithAllItsBits(value: Double) throws {
        #expect(try stored(value) == .real(value))
        // In a table SQLite keeps an integral REAL as an integer, which loses the sign of zero: a
        // column without affinity and a bare parameter don't.
        let read: Double = try Connection().query("SELECT ?", value)
        #expect(read.bitPattern == value.bitPattern)
        try expectRoundTrip(of: value)
        #expect(Double.fromBindingValue(value) == value)
    }

    @Test(arguments: [
        0, -0.0, 1, -1, 0.1, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity,
        -.infinity,
    ])
    func floatIsStoredAsRealAndComesBackWithAllItsBits(value: Float) throws {
        #expect(try stored(value) == .real(Double(value)))
        let read: Float = try Connection().query("SELECT ?", value)
        #expect(read.bitPattern == value.bitPattern)
        #expect(Float.fromBindingValue(Double(value)) == value)
    }

    @Test func nanIsRefused() throws {
        try expectRefused(Double.nan)
        try expectRefused(-Double.nan)
        try expectRefused(Double.signalingNaN)
        try expectRefused(Float.nan)
        try expectRefused(BindingValue.real(.nan))
        try expectRefused(Double?.some(.nan))
    }

    @Test func theErrorForNaNIsAMismatchThatNamesTheParameterAndTheSQL() throws {
        let connection = try Connection()
        let error = sqliteError { try connection.query("SELECT ?, ?", 1, Double.nan) as Int }
        #expect(error?.extendedResultCode == .mismatch)
        #expect(error?.message.contains("parameter 2") == true)
        #expect(error?.sql == "SELECT ?, ?")
    }

    @Test(arguments: [
        ("0", 0.0), ("-1", -1), ("9223372036854775807", 9_223_372_036_854_775_808), ("'' IS ''", 1),
    ])
    func anIntegerReadsAsDouble(expression: String, value: Double) throws {
        try expectReading(expression, as: Double.self, is: value)
        try expectReading(expression, as: Float.self, is: Float(value))
        #expect(Double.fromBindingValue(Int64(1)) == 1)
    }

    @Test func anIntegerBeyond53BitsReadsAsTheNearestDouble() throws {
        try expectReading("9007199254740993", as: Double.self, is: 9_007_199_254_740_992)
        try expectReading("9007199254740995", as: Double.self, is: 9_007_199_254_740_996)
        try expectReading("-9007199254740993", as: Double.self, is: -9_007_199_254_740_992)
    }

    @Test(arguments: [
        ("0.1", Float(0.1)), ("1e300", .infinity), ("-1e300", -.infinity), ("1e-300", 0),
        ("16777217", 16_777_216),
        ("16777219.0", 16_777_220), ("3.4028234663852886e38", .greatestFiniteMagnitude),
        ("9e999", .infinity),
    ])
    func floatRoundsToNearest(expression: String, value: Float) throws {
        try expectReading(expression, as: Float.self, is: value)
    }

    @Test func floatRoundsAnIntegerOnce() throws {
        // By way of Double this would be rounded twice: first down to a tie, and then the tie down
        // to even.
        let integer: Int64 = 1 << 60 + 1 << 36 + 1
        try expectReading("\(integer)", as: Float.self, is: Float(integer))
    }

    @Test(arguments: ["'1.5'", "''", "x'31'", "x''"])
    func textAndBlobsAreNoNumbers(expression: String) throws {
        try expectMismatch(expression, as: Double.self)
        try expectMismatch(expression, as: Float.self)
    }

    @Test func nullIsNoNumber() throws {
        try expectMismatchOfNull(Double.self)
        try expectMismatchOfNull(Float.self)
        try expectMismatchOfNull(Int.self)
        try expectMismatchOfNull(UInt64.self)
        try expectMismatchOfNull(Bool.self)
    }

    private func expectMismatchOfNull<T: Extractable & Equatable>(_ type: T.Type) throws {
        try expectReading("NULL", as: T.self, is: nil)
        let connection = try Connection()
        expectExtractionError(.null, storageClass: .null, expectedType: "\(T.self)") {
            try connection.query("SELECT NULL") as T
        }
        let optional: T? = try connection.query("SELECT NULL")
        #expect(optional == nil)
    }
}

struct BoolBindingTests {
    @Test(arguments: [true, false])
    func isStoredAsOneOrZero(value: Bool) throws {
        #expect(try stored(value) == .integer(value ? 1 : 0))
        try expectRoundTrip(of: value)
        #expect(try Connection().query("SELECT ? IS TRUE", value) as Int == (value ? 1 : 0))
    }

    @Test(arguments: [
        ("0", false), ("1", true), ("-1", true), ("2", true), ("256", true), ("4294967296", true),
        ("9223372036854775807", true), ("0.0", false), ("-0.0", false), ("0.5", true),
        ("-1.5", true), ("1e-300", true),
        ("9e999", true),
    ])
    func isTrueUnlessTheNumberIsZero(expression: String, value: Bool) throws {
        try expectReading(expression, as: Bool.self, is: value)
    }

    @Test(arguments: ["'true'", "'1'", "''", "x'01'", "x''"])
    func refusesTextAndBlobs(expression: String) throws {
        try expectMismatch(expression, as: Bool.self)
    }
}

import Foundation
import SQiftTestSupport
import Testing

import SQift

struct StringBindingTests {
    static let texts = [
        "", "a", "it's", "\"quoted\"", "'); DROP TABLE t;--", "å", "e\u{301}", "日本語", "😀", "👩‍👩‍👧‍👦",
        "\u{10FFFF}", "\u{0}",
        "a\u{0}b", "\u{0}a", "a\u{0}", "\u{0}\u{0}\u{0}", "line\nline\r\n\ttab", "\u{FEFF}bom", "1",
        "1.5", "NULL",
        "?1",
    ]

    @Test(arguments: texts)
    func isStoredAsTextByteForByte(text: String) throws {
        #expect(try stored(text) == .text(text))
        let read = try roundTrip(text)
        #expect(Array(read.utf8) == Array(text.utf8))
        #expect(
            try Connection().query("SELECT hex(?)", text)
                == text.utf8.map { String(format: "%02X", $0) }.joined()
        )
        #expect(String.fromBindingValue(text) == text)
    }

    @Test func everyPlaneOfUnicodeSurvives() throws {
        let connection = try Connection()
        for start in stride(from: 0 as UInt32, to: 0x110000, by: 0x800) {
            let scalars = (start..<start + 0x800).compactMap(Unicode.Scalar.init)
            var text = ""
            text.unicodeScalars.append(contentsOf: scalars)
            let read: String = try connection.query("SELECT ?", text)
            #expect(read.utf8.elementsEqual(text.utf8))
        }
    }

    @Test(arguments: ["1", "1.5", "x'61'", "x''"])
    func refusesOtherStorageClasses(expression: String) throws {
        try expectMismatch(expression, as: String.self)
    }

    @Test func bytesThatAreNotUTF8AreReplacedAndStayReadableAsTheyAre() throws {
        let connection = try Connection()
        #expect(try connection.query("SELECT CAST(x'61ff62' AS TEXT)") == "a\u{FFFD}b")
        let bytes: [UInt8]? = try connection.query("SELECT CAST(x'61ff62' AS TEXT)") { row in
            try row.withUnsafeBytes(at: 0) { Array($0) }
        }
        #expect(bytes == [0x61, 0xff, 0x62])
    }
}

struct DataBindingTests {
    // Computed: the leak checker can't see through the tagged pointer of a Data in a global.
    static var blobs: [Data] {
        [
            Data(), Data([0]), Data([0, 0]), Data([0xff]), Data("text".utf8), Data(0...255),
            Data(count: 10_000),
        ]
    }

    @Test(arguments: blobs)
    func isStoredAsBlobByteForByte(data: Data) throws {
        #expect(try stored(data) == .blob(data))
        try expectRoundTrip(of: data)
        #expect(try Connection().query("SELECT length(?)", data) == data.count)
        #expect(Data.fromBindingValue(data) == data)
    }

    @Test func anEmptyBlobIsNotNull() throws {
        let connection = try Connection()
        try connection.execute("CREATE TABLE t(v BLOB NOT NULL)")
        try connection.run("INSERT INTO t VALUES(?)", Data())
        #expect(try connection.query("SELECT v FROM t") as Data? == Data())
        let isNull: Bool = try connection.query("SELECT v IS NULL FROM t")
        #expect(!isNull)
        let row: Row? = try connection.query("SELECT v FROM t")
        #expect(row?[0] == Data())
        #expect(row?.value(at: 0) as Any? as? Data == Data())
    }

    @Test func aSliceIsBoundFromItsOwnStart() throws {
        let slice = Data(0...99)[40..<44]
        #expect(try stored(slice) == .blob(Data([40, 41, 42, 43])))
        #expect(try stored(Data(0...9)[5..<5]) == .blob(Data()))
    }

    @Test func aBlobOf100MegabytesComesBack() throws {
        let connection = try Connection()
        var data = Data(count: 100 << 20)
        data[0] = 1
        data[50 << 20] = 2
        data[data.count - 1] = 3
        try connection.execute("CREATE TABLE t(v)")
        try connection.run("INSERT INTO t VALUES(?)", data)
        let read: Data = try connection.query("SELECT v FROM t")
        let isEqual = read == data
        #expect(isEqual)
        #expect(try connection.query("SELECT length(v) FROM t") == [100 << 20])
    }

    @Test(arguments: ["1", "1.5", "''", "'text'"])
    func refusesOtherStorageClasses(expression: String) throws {
        try expectMismatch(expression, as: Data.self)
    }
}

struct URLBindingTests {
    @Test(arguments: [
        "https://example.org/a?b=c#d", "file:///tmp/a%20b", "mailto:a@b.c", "relative/path",
        "http://[::1]:80/", "#x",
    ])
    func isStoredAsItsAbsoluteString(string: String) throws {
        let url = try #require(URL(string: string))
        #expect(try stored(url) == .text(string))
        try expectRoundTrip(of: url)
        #expect(URL.fromBindingValue(string) == url)
    }

    @Test func aURLWithABaseIsStoredAbsolute() throws {
        let url = try #require(URL(string: "c", relativeTo: URL(string: "https://example.org/a/b")))
        #expect(try stored(url) == .text("https://example.org/a/c"))
    }

    @Test func theEmptyStringIsAMismatch() throws {
        try expectMismatch("''", as: URL.self)
        #expect(URL.fromBindingValue("") == nil)
    }

    @Test(arguments: [
        "1", "1.5", "x'61'", "x''", "'a b'", "'%zz'", "'ü b'", "'http://[::1'",
    ])
    func refusesWhatIsNoURL(expression: String) throws {
        try expectMismatch(expression, as: URL.self)
    }
}

struct UUIDBindingTests {
    let uuid = UUID(
        uuid: (
            0xE6, 0x21, 0xE1, 0xF8, 0xC3, 0x6C, 0x49, 0x5A, 0x93, 0xFC, 0x0C, 0x24, 0x7A, 0x3E,
            0x6E, 0x5F
        )
    )

    @Test func isStoredAsItsString() throws {
        #expect(try stored(uuid) == .text("E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        try expectRoundTrip(of: uuid)
    }

    @Test(arguments: [
        "'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'", "'e621e1f8-c36c-495a-93fc-0c247a3e6e5f'",
        "'E621e1F8-c36C-495a-93FC-0c247A3E6E5F'", "x'E621E1F8C36C495A93FC0C247A3E6E5F'",
    ])
    func isReadFromTextInAnyCaseAndFromABlob(expression: String) throws {
        try expectReading(expression, as: UUID.self, is: uuid)
    }

    @Test(arguments: [
        "''", "'E621E1F8'", "'E621E1F8C36C495A93FC0C247A3E6E5F'",
        "'G621E1F8-C36C-495A-93FC-0C247A3E6E5F'",
        "' E621E1F8-C36C-495A-93FC-0C247A3E6E5F'", "'E621E1F8-C36C-495A-93FC-0C247A3E6E5F '", "x''",
        "zeroblob(15)",
        "zeroblob(17)", "zeroblob(36)", "1", "1.5",
    ])
    func refusesEverythingElse(expression: String) throws {
        try expectMismatch(expression, as: UUID.self)
    }

    @Test func isMadeFromABindingValue() {
        #expect(UUID.fromBindingValue(uuid.uuidString.lowercased()) == uuid)
        #expect(
            UUID.fromBindingValue(Data(count: 16))
                == UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        )
        #expect(UUID.fromBindingValue(Int64(1)) == nil)
    }
}

struct DecimalBindingTests {
    static let decimals: [Decimal] = [
        0, 1, -1, Decimal(string: "0.1") ?? 9,
        Decimal(string: "-12345678901234567890.0987654321") ?? 9,
        Decimal(string: "1e100") ?? 9, Decimal(string: "1e-100") ?? 9, .greatestFiniteMagnitude,
        .pi,
        Decimal(Int64.min),
        -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
    ]

    @Test(arguments: decimals)
    func isStoredAsTextWithoutLosingADigit(decimal: Decimal) throws {
        #expect(try storageClass(of: decimal) == "text")
        try expectRoundTrip(of: decimal)
        #expect(try stored(decimal) == decimal.bindingValue)
    }

    @Test func theTextHasAPointInEveryLocale() throws {
        #expect(try stored(Decimal(string: "-1234567.25") ?? 0) == .text("-1234567.25"))
        #expect(try stored(Decimal(0)) == .text("0"))
    }

    @Test(arguments: [
        ("'1'", "1"), ("'-1.50'", "-1.5"), ("'+2'", "2"), ("'.5'", "0.5"), ("'5.'", "5"),
        ("'1e3'", "1000"),
        ("'1.25E-2'", "0.0125"),
        ("'12345678901234567890123456789012345678'", "12345678901234567890123456789012345678"),
        ("9223372036854775807", "9223372036854775807"), ("-1", "-1"), ("0.1", "0.1"),
        ("-0.3", "-0.3"),
        ("0.1 + 0.2", "0.30000000000000004"), ("1e22", "1e22"), ("1e-7", "0.0000001"), ("2.0", "2"),
        ("-0.0", "0"),
    ])
    func isReadFromTextIntegerAndTheShortestDigitsOfAReal(expression: String, value: String) throws
    {
        try expectReading(expression, as: Decimal.self, is: Decimal(string: value))
    }

    @Test(arguments: [
        "''", "' 1'", "'1 '", "'1,5'", "'1 000'", "'1abc'", "'abc'", "'0x10'", "'NaN'", "'nan'",
        "'inf'", "'-'", "'.'",
        "'1e'", "'--1'", "'1.2.3'", "'١'", "'1' || char(0) || '2'", "x'31'", "x''", "9e999",
        "-9e999",
    ])
    func refusesWhatIsNoNumber(expression: String) throws {
        try expectMismatch(expression, as: Decimal.self)
    }

    @Test func nanIsRefused() throws {
        try expectRefused(Decimal.nan)
        try expectRefused(Decimal?.some(.nan))
        expectSQLiteError(sql: "SELECT ?") { try Connection().run("SELECT ?", Decimal.nan) }
    }
}

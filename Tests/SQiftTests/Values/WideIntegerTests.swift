import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Integers of more than 64 bits, which reach the library as `any Bindable`: the compiler refuses
/// them, but a cast at run time doesn't.
struct WideIntegerTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute("CREATE TABLE t(x)")
    }

    private func bindable(_ value: Any) throws -> any Bindable {
        try #require(value as? any Bindable)
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    private static let tooWide: [any FixedWidthInteger & Sendable] = [
        Int128.max, Int128.min, Int128(Int64.max) + 1, Int128(Int64.min) - 1, UInt128.max,
        UInt128(Int64.max) + 1,
    ]

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    @Test(arguments: tooWide.indices)
    func oneThatDoesNotFitIsAnError(index: Int) throws {
        let value = try bindable(Self.tooWide[index])
        let insert = "INSERT INTO t VALUES(?)"
        let statement = try connection.prepare(insert)
        for error in [
            sqliteError { try connection.run(insert, [value]) },
            sqliteError { try connection.run("INSERT INTO t VALUES(:x)", ["x": value]) },
            sqliteError { try statement.bind([value]) },
        ] {
            expect(error, .mismatch, containing: "64 bits")
        }
        #expect(try connection.query("SELECT count(*) FROM t") == 0)
    }

    @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)
    @Test(arguments: [Int128(0), -1, Int128(Int64.max), Int128(Int64.min)])
    func oneThatFitsIsStored(value: Int128) throws {
        let found: Int64? = try connection.query("SELECT ?", [bindable(value)])
        #expect(found.map { Int128($0) } == value)
    }
}

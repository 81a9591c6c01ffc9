import Foundation
import SQift
import SQiftTestSupport
import Testing

private enum Key: String, CodingKey { case name }

/// What types have kept of the coders that they were given.
private final class Kept {
    nonisolated(unsafe) static var encoders: [any Encoder] = []
    nonisolated(unsafe) static var decoders: [any Decoder] = []
}

private struct Keeping: Codable, ExpressibleByRow {
    var name = "Beetle"

    init() {}

    init(from decoder: any Decoder) throws {
        Kept.decoders = [decoder]
        let container = try decoder.container(keyedBy: Key.self)
        name = try container.decode(String.self, forKey: .name)
        Kept.decoders.append(try container.superDecoder(forKey: .name))
    }

    func encode(to encoder: any Encoder) throws {
        Kept.encoders = [encoder]
        var container = encoder.container(keyedBy: Key.self)
        Kept.encoders.append(container.superEncoder())
        try container.encode(name, forKey: .name)
    }
}

/// Keeps the container of its first row or value, and the decoder of its third one.
private struct Holding: Codable, ExpressibleByRow, Equatable {
    nonisolated(unsafe) static var count = 0
    nonisolated(unsafe) static var decoding: KeyedDecodingContainer<Key>?
    nonisolated(unsafe) static var encoding: KeyedEncodingContainer<Key>?
    nonisolated(unsafe) static var decoder: (any Decoder)?
    /// What the kept ones say at each later row.
    nonisolated(unsafe) static var errors: [SQLiteError?] = []

    var name: String

    init(name: String) {
        self.name = name
    }

    static func reset() {
        count = 0
        decoding = nil
        encoding = nil
        decoder = nil
        errors = []
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        Self.count += 1
        if let kept = Self.decoding {
            Self.errors.append(sqliteError { _ = try kept.decode(String.self, forKey: .name) })
            Self.errors.append(
                sqliteError { _ = try kept.decodeIfPresent(String.self, forKey: .name) }
            )
        }
        if let kept = Self.decoder {
            Self.errors.append(
                sqliteError {
                    let late = try kept.container(keyedBy: Key.self)
                    _ = try late.decodeIfPresent(Int64.self, forKey: .name)
                }
            )
        }
        if Self.count == 1 {
            Self.decoding = container
        }
        if Self.count == 3 {
            Self.decoder = decoder
        }
        name = try container.decode(String.self, forKey: .name)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        Self.count += 1
        if var kept = Self.encoding {
            Self.errors.append(sqliteError { try kept.encode("late", forKey: .name) })
        }
        if Self.count == 1 {
            Self.encoding = container
        }
        try container.encode(name, forKey: .name)
    }
}

/// Has its decoder, for code that decodes further inside the same row.
private struct Undecoded: Decodable, ExpressibleByRow {
    let decoder: any Decoder

    init(from decoder: any Decoder) throws {
        self.decoder = decoder
    }
}

private struct Plain: Codable, ExpressibleByRow {
    let name: String
}

/// Decodes its row as another type while it is decoded.
private struct Nesting: Decodable, ExpressibleByRow {
    nonisolated(unsafe) static var row: Row?

    var names: [String]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        names = [try container.decode(String.self, forKey: .name)]
        let row = try #require(Self.row)
        names.append(try Plain(row: row).name)
        names.append(try container.decode(String.self, forKey: .name))
    }
}

/// Has its container, for the same.
private struct Opened: Decodable, ExpressibleByRow {
    let container: KeyedDecodingContainer<Key>

    init(from decoder: any Decoder) throws {
        container = try decoder.container(keyedBy: Key.self)
    }
}

/// Encoders and decoders that a type's own coding keeps.
@Suite(.serialized) struct KeptCoderTests {
    private func expectRefused(_ body: () throws -> Void) {
        let error = #expect(throws: SQLiteError.self, performing: body)
        expect(error, .misuse, containing: "Keeping was")
    }

    private func expectEncodersAreRefused() {
        for encoder in Kept.encoders {
            var container = encoder.container(keyedBy: Key.self)
            expectRefused { try container.encode("late", forKey: .name) }
            expectRefused { try container.encodeNil(forKey: .name) }
            var list = encoder.unkeyedContainer()
            expectRefused { try list.encode("late") }
        }
    }

    @Test func anEncoderIsRefusedAfterItsEncoding() throws {
        let connection = try Connection()
        let statement = try connection.prepare("SELECT :name").bind(encoding: Keeping())
        expectEncodersAreRefused()
        #expect(try statement.query() == "Beetle")
        try statement.forEachRow { _ in expectEncodersAreRefused() }
    }

    @Test func anEncoderIsRefusedWhenItsConnectionIsGone() throws {
        #expect(try Connection().query("SELECT :name", encoding: Keeping()) == "Beetle")
        expectEncodersAreRefused()
    }

    @Test(arguments: [false, true]) func aDecoderIsRefusedWhenItsRowIsOver(isGone: Bool) throws {
        let connection = isGone ? nil : try Connection()
        let read: Keeping = try (connection ?? Connection()).query("SELECT 'Golf' AS name")
        #expect(read.name == "Golf")

        let container = try Kept.decoders[0].container(keyedBy: Key.self)
        expectRefused { _ = try container.decode(String.self, forKey: .name) }
        expectRefused { _ = try container.decodeIfPresent([Int].self, forKey: .name) }
        expectRefused { _ = try container.decodeNil(forKey: .name) }
        #expect(container.allKeys.isEmpty)
        let nested = Kept.decoders[1]
        let value = try nested.singleValueContainer()
        #expect(!value.decodeNil())
        expectRefused { _ = try value.decode(String.self) }
        expectRefused { _ = try value.decode([Int].self) }
        expectRefused { _ = try nested.unkeyedContainer() }
    }

    // MARK: Rows and values after the one whose coder was kept

    private let names = ["a", "b", "c", "d", "e"]

    @Test func aKeptContainerDoesNotReadTheNextRow() throws {
        Holding.reset()
        defer { Holding.reset() }
        let connection = try Connection()
        let read: [Holding] = try connection.query(
            "SELECT column1 AS name FROM (VALUES('a'), ('b'), ('c'), ('d'), ('e'))"
        )
        #expect(read.map(\.name) == names)
        #expect(Holding.errors.count == 4 * 2 + 2)
        for error in Holding.errors {
            expect(error, .misuse, containing: "Holding was decoded further after its init(from:)")
        }
    }

    @Test func aKeptContainerDoesNotBindTheNextValue() throws {
        Holding.reset()
        defer { Holding.reset() }
        let connection = try Connection()
        let statement = try connection.prepare("SELECT :name")
        for name in names {
            #expect(try statement.bind(encoding: Holding(name: name)).query() == name)
        }
        #expect(Holding.errors.count == 4)
        for error in Holding.errors {
            expect(error, .misuse, containing: "Holding was encoded further after its encode(to:)")
        }
    }

    @Test func aKeptDecoderReadsItsRowWhileThatIsCurrent() throws {
        let connection = try Connection()
        var read: [String] = []
        try connection.forEachRow("SELECT 'a' AS name UNION ALL SELECT 'b'") { row in
            let decoder = try Undecoded(row: row).decoder
            let container = try Opened(row: row).container
            let late = try decoder.container(keyedBy: Key.self)
            read.append(try late.decode(String.self, forKey: .name))
            read.append(try container.decode(String.self, forKey: .name))
        }
        #expect(read == ["a", "a", "b", "b"])
    }

    @Test func keptContainersOutliveTheirConnection() throws {
        var containers: [KeyedDecodingContainer<Key>] = []
        do {
            let connection = try Connection()
            let rows: [Opened] = try connection.query(
                """
                WITH n(name) AS (SELECT 1 UNION ALL SELECT name + 1 FROM n LIMIT 100)
                SELECT name FROM n
                """
            )
            containers = rows.map(\.container)
            try connection.close()
        }
        #expect(containers.count == 100)
        for container in containers {
            let error = sqliteError { _ = try container.decode(String.self, forKey: .name) }
            expect(error, .misuse, containing: "Opened was decoded further after its init(from:)")
        }
    }

    @Test func aKeptContainerDoesNotKeepItsConnection() throws {
        weak var connection: Connection?
        var opened: Opened?
        do {
            let open = try Connection()
            connection = open
            opened = try open.prepare("SELECT 'a' AS name").query()
        }
        #expect(connection == nil)
        withExtendedLifetime(opened) {}
    }

    @Test func aKeptDecoderEndsWithItsCursor() throws {
        let connection = try Connection()
        var opened: Opened?
        var undecoded: Undecoded?
        do {
            let cursor = try connection.cursor("SELECT 'a' AS name")
            let row = try #require(try cursor.next())
            opened = try Opened(row: row)
            undecoded = try Undecoded(row: row)
        }
        let container = try #require(opened).container
        let late = try #require(undecoded).decoder.container(keyedBy: Key.self)
        let errors = [
            sqliteError { _ = try container.decode(String.self, forKey: .name) },
            sqliteError { _ = try late.decode(String.self, forKey: .name) },
        ]
        for error in errors {
            expect(error, .misuse, containing: "was decoded further after its init(from:)")
        }
    }

    /// What decodes a row inside the decoding of another one has a decoder of its own.
    @Test func aRowMayBeDecodedInsideAnotherOne() throws {
        let connection = try Connection()
        let statement = try connection.prepare("SELECT 'a' AS name UNION ALL SELECT 'b'")
        var read: [[String]] = []
        try statement.forEachRow { row in
            Nesting.row = row
            defer { Nesting.row = nil }
            read.append(try Nesting(row: row).names)
        }
        #expect(read == [["a", "a", "a"], ["b", "b", "b"]])
    }

    @Test func parametersAndResultsOfOneStatementTakeTurns() throws {
        let connection = try Connection()
        let statement = try connection.prepare("SELECT :name AS name")
        for name in names {
            let read: Plain? = try statement.bind(encoding: Plain(name: name)).query()
            #expect(read?.name == name)
        }
    }

    /// Connections of several threads look after each other's kept containers.
    @Test func containersThatAreKeptOnSeveralThreadsAreLeftAlone() {
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            do {
                let connection = try Connection()
                var kept: [Opened] = []
                for number in 0..<200 {
                    let opened: Opened? = try connection.query("SELECT ? AS name", number)
                    kept.append(try #require(opened))
                    if number % 3 != thread % 3 {
                        kept.remove(at: number % kept.count)
                    }
                }
                for opened in kept {
                    let error = sqliteError {
                        _ = try opened.container.decode(Int.self, forKey: .name)
                    }
                    expect(error, .misuse, containing: "Opened was decoded further")
                }
            } catch {
                Issue.record(error)
            }
        }
    }
}

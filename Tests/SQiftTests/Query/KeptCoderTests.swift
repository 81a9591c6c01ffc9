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
}

/// SQL from the sources, and where each of its bytes comes from.
struct SQLText {
    /// A value that is known only when the program runs, in place of which a byte stands.
    struct Hole {
        let position: Int
        /// The expression as it is written.
        let expression: String
    }

    /// It is no UTF-8, and a part of the word around it.
    private static let hole: UInt8 = 0xFF

    private(set) var bytes: [UInt8] = []
    private(set) var holes: [Hole] = []
    private var locations: [Location] = []

    var string: String {
        String(decoding: bytes, as: UTF8.self)
    }

    var words: [SQLWord] { [SQLWord](bytes[...]) }

    var isConstant: Bool { holes.isEmpty }

    init() {}

    /// A whole file.
    init(_ file: SourceFile) {
        bytes = file.bytes
        locations = bytes.indices.map {
            Location(file: file, offset: $0)
        }
    }

    mutating func append(_ other: SQLText) {
        holes += other.holes.map {
            Hole(position: $0.position + bytes.count, expression: $0.expression)
        }
        bytes += other.bytes
        locations += other.locations
    }

    mutating func append(_ byte: UInt8, at location: Location) {
        bytes.append(byte)
        locations.append(location)
    }

    mutating func appendHole(_ expression: String, at location: Location) {
        holes.append(Hole(position: bytes.count, expression: expression))
        append(SQLText.hole, at: location)
    }

    /// Where a byte stands in the sources, or what follows the last; nil for an empty text.
    func location(of position: Int) -> Location? {
        guard let last = locations.last else { return nil }
        let end = Location(file: last.file, offset: last.offset + 1)
        return position < locations.count ? locations[position] : end
    }
}

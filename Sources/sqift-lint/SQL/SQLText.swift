/// SQL from the sources, and where each of its bytes comes from.
struct SQLText {
    var bytes: [UInt8] = []
    /// The values that are known only when the program runs: their expressions as they are written,
    /// by the positions of the bytes that stand in their place.
    var holes: [Int: String] = [:]
    private var locations: [Location] = []
    /// Where it begins, even if it is empty.
    private let start: Location

    var words: [SQLWord] {
        [SQLWord](bytes[...])
    }

    var isConstant: Bool { holes.isEmpty }

    init(at start: Location) {
        self.start = start
    }

    /// A whole file.
    init(_ file: SourceFile) {
        start = Location(file: file, offset: 0)
        bytes = file.bytes
        locations = bytes.indices.map {
            Location(file: file, offset: $0)
        }
    }

    mutating func append(_ other: SQLText) {
        for (position, expression) in other.holes {
            holes[bytes.count + position] = expression
        }
        bytes += other.bytes
        locations += other.locations
    }

    mutating func append(_ byte: UInt8, at location: Location) {
        bytes.append(byte)
        locations.append(location)
    }

    mutating func appendHole(_ expression: String, at location: Location) {
        holes[bytes.count] = expression
        // It is no UTF-8, and a part of the word around it.
        append(0xFF, at: location)
    }

    /// Where a byte stands in the sources.
    func location(of position: Int) -> Location {
        position < locations.count ? locations[position] : start
    }
}

/// SQL from the sources.
struct SQLText {
    /// Where it begins, even if it is empty.
    let start: Location
    var bytes: [UInt8] = []
    /// Where each byte is written.
    var locations: [Location] = []

    var words: [SQLWord] {
        [SQLWord](bytes[...])
    }

    /// Whether it has no values that are known only when the program runs.
    var isConstant: Bool { !bytes.contains(0xFF) }

    /// Where a byte stands in the sources.
    func location(of position: Int) -> Location {
        position < locations.count
            ? locations[position]
            : start
    }
}

extension SQLText {
    /// A whole file.
    init(_ file: SourceFile) {
        start = Location(file: file, offset: 0)
        bytes = file.bytes
        locations = bytes.indices.map {
            Location(file: file, offset: $0)
        }
    }
}

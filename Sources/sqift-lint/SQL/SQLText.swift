/// SQL from the sources, and where each of its bytes comes from.
struct SQLText {
    /// Where it begins, even if it is empty.
    let start: Location
    var pieces: [(byte: UInt8, location: Location)] = []

    var bytes: [UInt8] {
        pieces.map { $0.byte }
    }

    var words: [SQLWord] {
        [SQLWord](bytes[...])
    }

    /// Whether it has no values that are known only when the program runs.
    var isConstant: Bool { !bytes.contains(0xFF) }

    /// Where a byte stands in the sources.
    func location(of position: Int) -> Location {
        position < pieces.count ? pieces[position].location : start
    }
}

extension SQLText {
    /// A whole file.
    init(_ file: SourceFile) {
        start = Location(file: file, offset: 0)
        pieces = file.bytes.enumerated().map { offset, byte in
            (byte, Location(file: file, offset: offset))
        }
    }
}

/// SQL from the sources, and where each of its bytes comes from.
struct SQLText {
    /// A value that is known only when the program runs. It stands before the byte of this
    /// position.
    struct Hole {
        let position: Int
        /// The expression as it is written.
        let expression: String
    }

    private(set) var bytes: [UInt8] = []
    private(set) var holes: [Hole] = []
    /// What the bytes come from, in their order: the first byte, the file, and the offset there.
    private var pieces: [(first: Int, file: SourceFile, offsets: ArraySlice<Int>)] = []

    /// The text without its holes.
    var string: String { String(decoding: bytes, as: UTF8.self) }

    var isConstant: Bool { holes.isEmpty }

    init() {}

    /// A whole file.
    init(_ file: SourceFile) {
        bytes = file.bytes
        pieces = [(0, file, ArraySlice(0...bytes.count))]
    }

    mutating func append(_ other: SQLText) {
        let shift = bytes.count
        bytes += other.bytes
        holes += other.holes.map {
            Hole(position: $0.position + shift, expression: $0.expression)
        }
        pieces += other.pieces.map { ($0.first + shift, $0.file, $0.offsets) }
    }

    /// Appends bytes of a literal.
    mutating func append(_ literal: StringLiteral, _ range: Range<Int>, of file: SourceFile) {
        pieces.append((bytes.count, file, literal.offsets[range.lowerBound...range.upperBound]))
        bytes += literal.bytes[range]
    }

    mutating func appendHole(_ expression: String) {
        holes.append(Hole(position: bytes.count, expression: expression))
    }

    /// Where a byte stands in the sources.
    func place(_ position: Int) -> Place? {
        guard let piece = pieces.last(where: { $0.first <= max(position, 0) }) else { return nil }
        let index = piece.offsets.startIndex + max(position, 0) - piece.first
        let last = piece.offsets.endIndex - 1
        return Place(file: piece.file, offset: piece.offsets[min(index, last)])
    }
}

/// A place in the sources.
struct Place {
    let file: SourceFile
    let offset: Int
}

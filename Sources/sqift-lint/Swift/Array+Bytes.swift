/// The bytes of a file, and two zeros that end them.
extension Array where Element == UInt8 {
    /// The index of the next byte that fits, or of the last zero.
    func index(from start: Int, where fits: (UInt8) -> Bool) -> Int {
        dropFirst(start).firstIndex(where: fits) ?? count - 1
    }

    /// Whether this text stands at an index.
    func reads(_ text: some Collection<UInt8>, at start: Int) -> Bool {
        self[start] == text.first && dropFirst(start).starts(with: text)
    }

    /// The index after the bracket that ends an interpolation.
    func endOfInterpolation(from start: Int) -> Int {
        var index = start
        var depth = 1
        while depth > 0, index < count - 1 {
            switch self[index] {
            case "(": depth += 1
            case ")": depth -= 1
            default: break
            }
            index = StringLiteral(in: self, at: index)?.end ?? index + 1
        }
        return index
    }
}

extension Collection<UInt8> {
    /// The text whose UTF-8 this is.
    var text: String { String(decoding: self, as: UTF8.self) }
}

/// The bytes of a file, and a zero that ends them.
extension Array where Element == UInt8 {
    /// The index of the next byte that fits, or of the zero.
    func index(from start: Int, where fits: (UInt8) -> Bool) -> Int {
        var index = start
        while index < count - 1, !fits(self[index]) {
            index += 1
        }
        return index
    }

    /// Whether this text stands at an index.
    func reads(_ text: [UInt8], at start: Int) -> Bool {
        var index = start
        for byte in text {
            guard index < count, self[index] == byte else { return false }
            index += 1
        }
        return true
    }

    func text(_ range: Range<Int>) -> String {
        self[range].withUnsafeBufferPointer {
            String(decoding: $0, as: UTF8.self)
        }
    }
}

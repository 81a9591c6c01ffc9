/// The bits of a `String` itself: a short text, or a reference to a long one. Equal bits are equal
/// strings as long as one of them is kept; equal strings can have different bits.
struct StringBits: Equatable {
    private let start: UInt64
    private let end: UInt64

    @inline(__always) init(_ string: String) {
        // They overlap if a string has less than 16 bytes, on 32-bit systems.
        let offset = MemoryLayout<String>.size - MemoryLayout<UInt64>.size
        (start, end) = withUnsafeBytes(of: string) {
            (
                $0.loadUnaligned(as: UInt64.self),
                $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            )
        }
    }
}

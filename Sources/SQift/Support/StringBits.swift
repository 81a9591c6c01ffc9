/// The bits of a `String` itself: a short text, or a reference to a long one.
///
/// Equal bits mean equal strings only while the first string is kept: otherwise another text may
/// get its address. Equal strings can have different bits.
struct StringBits: Equatable {
    private let start: UInt64
    private let end: UInt64

    @inline(__always) init(_ string: String) {
        // On 32-bit systems, where a `String` itself has only 12 bytes, the two halves overlap.
        let offset = MemoryLayout<String>.size - MemoryLayout<UInt64>.size
        (start, end) = withUnsafeBytes(of: string) {
            (
                $0.loadUnaligned(as: UInt64.self),
                $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            )
        }
    }
}

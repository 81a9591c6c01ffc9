extension Sequence<UInt8> {
    /// The FNV-1a hash of the bytes in hexadecimal digits. Unlike Swift's hash, it is the same in
    /// every process.
    var stableHash: String {
        let hash = reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }
}

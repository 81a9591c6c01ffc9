/// Memory for the short strings and blobs that a statement has bound.
///
/// SQLite reads them in place instead of copying each one into memory of its own. `SQLITE_STATIC`
/// requires memory that doesn't change, so the values stay until the next `bind`.
struct BindingArena {
    private static let capacity = 4096
    private static let longestValue = 256

    private var memory: UnsafeMutableRawPointer?
    private var used = 0

    /// Copies the bytes. The copy lives until `clear()`. Returns nil if there are too many bytes.
    @inline(__always) mutating func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
        guard bytes.count <= Self.longestValue, used + bytes.count <= Self.capacity else {
            return nil
        }

        let start = memory ?? .allocate(byteCount: Self.capacity, alignment: 16)
        memory = start
        let copy = start + used
        if let source = bytes.baseAddress {
            copy.copyMemory(from: source, byteCount: bytes.count)
        }
        used += bytes.count
        return UnsafeRawPointer(copy)
    }

    mutating func clear() {
        used = 0
    }

    mutating func deallocate() {
        memory?.deallocate()
        memory = nil
    }
}

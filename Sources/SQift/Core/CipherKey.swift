internal import CSQift
import Foundation

/// The bytes of a key, in memory that is overwritten when the last reference to it is gone.
/// Printing or dumping it shows an address and a length, not the key.
final class CipherKey: Sendable {
    // A pointer isn't `Sendable`.
    private let address: UInt
    private let count: Int

    init(_ data: Data) {
        // At least one byte: to SQLite, a null pointer isn't an empty key.
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(data.count, 1),
            alignment: 1
        )
        data.copyBytes(to: bytes)
        address = UInt(bitPattern: bytes.baseAddress)
        count = data.count
    }

    deinit {
        let memory = UnsafeMutableRawPointer(bitPattern: address)
        sqift_erase(memory, count)
        memory?.deallocate()
    }

    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count)
    }
}

/// The bytes of a `-wal` file. https://sqlite.org/fileformat.html#the_write_ahead_log
enum WriteAheadLog {
    static let headerSize = 32
    static let frameHeaderSize = 24

    /// Sets the salts of the header and of all frames.
    static func setSalts(in bytes: inout [UInt8], pageSize: Int) {
        let salts: UInt64 = 0x0123_4567_89ab_cdef
        bytes.setNumber(salts, at: 16, size: 8)
        for frame in frames(in: bytes, pageSize: pageSize) {
            bytes.setNumber(salts, at: frame + 8, size: 8)
        }
    }

    /// Computes the checksums of the header and of all frames, each of which goes on from the one
    /// before.
    static func mendChecksums(in bytes: inout [UInt8], pageSize: Int) {
        guard bytes.count >= headerSize else { return }
        let isBigEndian = bytes[3] & 1 == 1
        var sum = Checksum(isBigEndian: isBigEndian)
        sum.add(bytes[0..<24])
        bytes.setNumber(sum.number, at: 24, size: 8)
        for frame in frames(in: bytes, pageSize: pageSize) {
            let page = frame + frameHeaderSize
            sum.add(bytes[frame..<frame + 8])
            sum.add(bytes[page..<page + pageSize])
            bytes.setNumber(sum.number, at: frame + 16, size: 8)
        }
    }

    /// Where the whole frames begin.
    static func frames(in bytes: [UInt8], pageSize: Int) -> StrideTo<Int> {
        let step = frameHeaderSize + pageSize
        let count = max(bytes.count - headerSize, 0) / step
        return stride(from: headerSize, to: headerSize + count * step, by: step)
    }

    private struct Checksum {
        let isBigEndian: Bool
        private var first: UInt32 = 0
        private var second: UInt32 = 0

        var number: UInt64 { UInt64(first) << 32 | UInt64(second) }

        init(isBigEndian: Bool) {
            self.isBigEndian = isBigEndian
        }

        /// - Parameter bytes: A multiple of eight.
        mutating func add(_ bytes: ArraySlice<UInt8>) {
            bytes.withUnsafeBytes { bytes in
                for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
                    first = first &+ number(in: bytes, at: offset) &+ second
                    second = second &+ number(in: bytes, at: offset + 4) &+ first
                }
            }
        }

        private func number(in bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
            let bits = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return isBigEndian ? UInt32(bigEndian: bits) : UInt32(littleEndian: bits)
        }
    }
}

/// The bytes of a `-journal` file. https://sqlite.org/fileformat.html#the_rollback_journal
enum RollbackJournal {
    /// With SQLite's default sector.
    static let headerSize = 512

    private static let nonceOffset = 12

    static func setNonce(in bytes: inout [UInt8]) {
        bytes.setNumber(0x1234_5678, at: nonceOffset, size: 4)
    }

    /// Computes the checksum after each page: some of its bytes, and the header's nonce.
    static func mendChecksums(in bytes: inout [UInt8], pageOffsets: [Int], pageSize: Int) {
        let nonce = UInt32(truncatingIfNeeded: bytes.number(at: nonceOffset, size: 4))
        for page in pageOffsets {
            var sum = nonce
            for offset in stride(from: pageSize - 200, to: 0, by: -200) {
                sum = sum &+ UInt32(bytes[page + offset])
            }
            bytes.setNumber(UInt64(sum), at: page + pageSize, size: 4)
        }
    }
}

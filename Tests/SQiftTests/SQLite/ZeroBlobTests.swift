import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The most memory, in bytes, that the process has had so far.
private func peakOfMemory() -> Int? {
    #if os(Linux)
        // Where getrusage answers the parent's peak, if that is higher.
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    #elseif canImport(ObjectiveC)
        var usage = rusage()
        return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : nil
    #else
        return nil
    #endif
}

struct ZeroBlobTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    @Test(arguments: [(0, 0), (1, 1), (100_000, 100_000), (-1, 0), (Int.min, 0)])
    func itIsSoManyZeroBytes(count: Int, expected: Int) throws {
        let value = ZeroBlob(count: count)
        #expect(value.count == expected)
        #expect(value.bindingValue == .blob(Data(count: expected)))
        #expect(try connection.query("SELECT typeof(?)", value) == "blob")
        let data: Data = try connection.query("SELECT ?", value)
        #expect(data == Data(count: expected))
    }

    @Test func itIsTheResultOfAFunction() throws {
        try connection.addFunction(named: "zeros") { (count: Int) in ZeroBlob(count: count) }
        let data: Data = try connection.query("SELECT zeros(3)")
        #expect(data == Data(count: 3))
        expectSQLiteError(.tooBig) { try connection.run("SELECT zeros(3000000000)") }
    }

    @Test(arguments: [1001, 1_000_000_001, Int(Int32.max), Int(Int32.max) + 1, 1 << 32, Int.max])
    func moreThanTheLimitIsTooBig(count: Int) throws {
        try connection.setLimit(.length, to: 1000)
        expectSQLiteError(.tooBig) { try connection.run("SELECT ?", ZeroBlob(count: count)) }
        #expect(try connection.query("SELECT length(?)", ZeroBlob(count: 900)) == 900)
    }

    /// In a process of its own, whose memory nothing else uses.
    @Test func ninehundredMegabytesAreWrittenAndReadInLittleMemory() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let connection = try folder.connection()
            try connection.execute(
                "PRAGMA page_size = 65536; PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; CREATE TABLE t(b)"
            )
            let (size, pieceSize) = (900 << 20, 64 << 10)
            let before = try #require(peakOfMemory())

            try connection.run("INSERT INTO t VALUES(?)", ZeroBlob(count: size))
            let blob = try connection.openBlob(table: "t", column: "b", rowID: 1)
            #expect(blob.count == size)
            let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 16)
            let read = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 16)
            defer {
                piece.deallocate()
                read.deallocate()
            }
            func fill(for offset: Int) {
                memset(piece.baseAddress!, Int32(offset / pieceSize % 251), pieceSize)
            }
            for offset in stride(from: 0, to: size, by: pieceSize) {
                fill(for: offset)
                try blob.write(UnsafeRawBufferPointer(piece), at: offset)
            }
            try blob.close()

            let written = try connection.openBlob(table: "t", column: "b", rowID: 1, readOnly: true)
            for offset in stride(from: 0, to: size, by: pieceSize) {
                fill(for: offset)
                try written.read(into: read, at: offset)
                let isEqual = memcmp(read.baseAddress!, piece.baseAddress!, pieceSize) == 0
                guard isEqual else { throw SQLiteError(code: .corrupt, message: "at \(offset)") }
            }
            let growth = try #require(peakOfMemory()) - before
            #expect(growth < 32 << 20, "\(growth) bytes more")
        }
    }
}

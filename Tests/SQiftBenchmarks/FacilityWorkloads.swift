import CSQift
import Foundation
import SQift

/// Both sides call the function `f` with one argument for each row of `t`. The query returns an
/// integer.
private func functionSides(
    _ count: Int,
    _ sql: String,
    raw rawFunction:
        @escaping @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) ->
        Void,
    sqift register: (Connection) throws -> Void
) throws -> Sides {
    let raw = try Raw()
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
    let code = sqlite3_create_function_v2(
        raw.database,
        "f",
        1,
        flags,
        nil,
        rawFunction,
        nil,
        nil,
        nil
    )
    guard code == SQLITE_OK else { throw RawError(code: code) }
    let connection = try Connection()
    try register(connection)
    let table = """
        CREATE TABLE t(i INTEGER, s TEXT);
        WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO t SELECT i, 'a short text ' || i FROM n
        """
    try raw.execute(table)
    try connection.execute(table)
    let statement = try raw.prepare(sql)
    let prepared = try connection.prepare(sql)
    return Sides(
        raw: {
            withExtendedLifetime(raw) {
                sqlite3_step(statement)
                defer { sqlite3_reset(statement) }
                return sqlite3_column_int64(statement, 0)
            }
        },
        sqift: { try prepared.query() as Int64 }
    )
}

func functionScalar(_ count: Int) throws -> Sides {
    try functionSides(count, "SELECT sum(f(i)) FROM t") { context, _, arguments in
        sqlite3_result_int64(context, sqlite3_value_int64(arguments?[0]) &+ 1)
    } sqift: { connection in
        try connection.addFunction(named: "f", deterministic: true) { (value: Int) in value &+ 1 }
    }
}

func functionText(_ count: Int) throws -> Sides {
    try functionSides(count, "SELECT sum(length(f(s))) FROM t") { context, _, arguments in
        let start = sqlite3_value_text(arguments?[0])
        let bytes = UnsafeBufferPointer(
            start: start,
            count: Int(sqlite3_value_bytes(arguments?[0]))
        )
        var text = String(decoding: bytes, as: UTF8.self)
        text.append("!")
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_result_text64(
                    context,
                    $0.baseAddress,
                    UInt64($0.count),
                    sqift_transient(),
                    UInt8(SQLITE_UTF8)
                )
            }
        }
    } sqift: { connection in
        try connection.addFunction(named: "f", deterministic: true) { (text: String) in text + "!" }
    }
}

/// Writes a blob in pieces of 64 KiB and reads it again, in a database in memory.
func blobIncremental(_ count: Int) throws -> Sides {
    let size = 65_536
    let raw = try Raw()
    let connection = try Connection()
    let table = "CREATE TABLE t(a BLOB); INSERT INTO t VALUES(zeroblob(\(size * count)))"
    try raw.execute(table)
    try connection.execute(table)
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    piece.copyBytes(from: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let memory = Memory(piece)
    func checksum(_ sum: Int64) -> Int64 {
        sum &* 31 &+ Int64(piece[0]) &+ Int64(piece[size - 1])
    }
    return Sides(
        raw: {
            try withExtendedLifetime(memory) {
                var blob: OpaquePointer?
                let code = sqlite3_blob_open(raw.database, "main", "t", "a", 1, 1, &blob)
                guard code == SQLITE_OK else { throw RawError(code: code) }
                defer { sqlite3_blob_close(blob) }
                for number in 0..<count {
                    sqlite3_blob_write(blob, piece.baseAddress, Int32(size), Int32(number * size))
                }
                var sum: Int64 = 0
                for number in 0..<count {
                    sqlite3_blob_read(blob, piece.baseAddress, Int32(size), Int32(number * size))
                    sum = checksum(sum)
                }
                return sum
            }
        },
        sqift: {
            try withExtendedLifetime(memory) {
                let blob = try connection.openBlob(table: "t", column: "a", rowID: 1)
                for number in 0..<count {
                    try blob.write(UnsafeRawBufferPointer(piece), at: number * size)
                }
                var sum: Int64 = 0
                for number in 0..<count {
                    try blob.read(into: piece, at: number * size)
                    sum = checksum(sum)
                }
                try blob.close()
                return sum
            }
        }
    )
}

/// Memory that is freed with this object.
private final class Memory {
    let bytes: UnsafeMutableRawBufferPointer

    init(_ bytes: UnsafeMutableRawBufferPointer) {
        self.bytes = bytes
    }

    deinit {
        bytes.deallocate()
    }
}

import CSQift
import Foundation

/// SQLite's C API, called from Swift as fast as possible: without any check that SQLite doesn't
/// need.
final class Raw {
    let database: OpaquePointer

    static let flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE

    init(_ path: String = ":memory:") throws {
        var database: OpaquePointer?
        let code = sqlite3_open_v2(path, &database, Raw.flags, nil)
        guard code == SQLITE_OK, let database else { throw RawError(code: code) }
        sqlite3_extended_result_codes(database, 1)
        self.database = database
    }

    deinit {
        while let statement = sqlite3_next_stmt(database, nil) {
            sqlite3_finalize(statement)
        }
        sqlite3_close_v2(database)
    }

    /// A statement that lives as long as the connection.
    func prepare(_ sql: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(
            database,
            sql,
            -1,
            UInt32(SQLITE_PREPARE_PERSISTENT),
            &statement,
            nil
        )
        guard code == SQLITE_OK, let statement else { throw RawError(code: code) }
        return statement
    }

    func execute(_ sql: String) throws {
        let code = sqlite3_exec(database, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw RawError(code: code) }
    }
}

extension Raw {
    /// The integer that a query returns.
    func integer(_ sql: String) throws -> Int64 {
        let statement = try prepare(sql)
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW else {
            throw RawError(code: sqlite3_errcode(database))
        }
        return sqlite3_column_int64(statement, 0)
    }
}

struct RawError: Error {
    let code: Int32
}

@inline(__always)
func rawText(_ statement: OpaquePointer, _ column: Int32) -> String {
    let start = sqlite3_column_text(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
}

/// How long the memory of bound text and blobs lives.
enum RawLifetime {
    case transient, constant

    @inline(__always)
    var destructor: sqlite3_destructor_type? {
        self == .transient ? sqift_transient() : sqift_static()
    }
}

@inline(__always)
func rawBind(
    _ statement: OpaquePointer,
    _ index: Int32,
    _ text: String,
    _ destructor: sqlite3_destructor_type?
) {
    var text = text
    text.withUTF8 { bytes in
        _ = bytes.withMemoryRebound(to: CChar.self) {
            sqlite3_bind_text64(
                statement,
                index,
                $0.baseAddress,
                UInt64($0.count),
                destructor,
                UInt8(SQLITE_UTF8)
            )
        }
    }
}

// MARK: Dates by hand, in the only format that the workloads write

/// Unix seconds of `yyyy-MM-ddTHH:mm:ss.SSS`.
@inline(__always)
func rawDate(_ text: UnsafePointer<UInt8>) -> Double {
    func digit(_ index: Int) -> Int {
        Int(text[index]) &- 48
    }
    func pair(_ index: Int) -> Int {
        digit(index) &* 10 &+ digit(index &+ 1)
    }
    let year = pair(0) &* 100 &+ pair(2)
    let month = pair(5)
    let shifted = month <= 2 ? year &- 1 : year
    let era = shifted / 400
    let yearOfEra = shifted &- era &* 400
    let dayOfYear = (153 &* ((month &+ 9) % 12) &+ 2) / 5 &+ pair(8) &- 1
    let days =
        era &* 146_097 &+ yearOfEra &* 365 &+ yearOfEra / 4 &- yearOfEra / 100 &+ dayOfYear
        &- 719_468
    let seconds = days &* 86_400 &+ pair(11) &* 3600 &+ pair(14) &* 60 &+ pair(17)
    return Double(seconds &* 1000 &+ digit(20) &* 100 &+ pair(21)) / 1000
}

/// Binds `yyyy-MM-ddTHH:mm:ss.SSS` of Unix seconds after 1970.
@inline(__always)
func rawBind(_ statement: OpaquePointer, _ index: Int32, date: Double) {
    let milliseconds = Int((date * 1000).rounded())
    let seconds = milliseconds / 1000
    let millisecond = milliseconds % 1000
    let days = seconds / 86_400 &+ 719_468
    let second = seconds % 86_400
    let era = days / 146_097
    let dayOfEra = days &- era &* 146_097
    let yearOfEra = (dayOfEra &- dayOfEra / 1460 &+ dayOfEra / 36_524 &- dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
    let shiftedMonth = (5 &* dayOfYear &+ 2) / 153
    let month = (shiftedMonth &+ 2) % 12 &+ 1
    let year = era &* 400 &+ yearOfEra &+ (month <= 2 ? 1 : 0)
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 23) { text in
        func put(_ value: Int, _ index: Int) {
            text[index] = CChar(truncatingIfNeeded: 48 &+ value / 10 % 10)
            text[index &+ 1] = CChar(truncatingIfNeeded: 48 &+ value % 10)
        }
        put(year / 100, 0)
        put(year % 100, 2)
        text[4] = 45
        put(month, 5)
        text[7] = 45
        put(dayOfYear &- (153 &* shiftedMonth &+ 2) / 5 &+ 1, 8)
        text[10] = 84
        put(second / 3600, 11)
        text[13] = 58
        put(second / 60 % 60, 14)
        text[16] = 58
        put(second % 60, 17)
        text[19] = 46
        text[20] = CChar(truncatingIfNeeded: 48 &+ millisecond / 100)
        put(millisecond % 100, 21)
        _ = sqlite3_bind_text64(
            statement,
            index,
            text.baseAddress,
            23,
            sqift_transient(),
            UInt8(SQLITE_UTF8)
        )
    }
}

/// Steps a statement and reads the date in its first column.
func rawReadDate(_ statement: OpaquePointer) -> Double? {
    guard sqlite3_step(statement) == SQLITE_ROW else { return nil }
    return sqlite3_column_text(statement, 0).map { rawDate($0) }
}

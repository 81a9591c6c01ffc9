import SQLite3

/// A connection of the C API.
final class Handle {
    let database: OpaquePointer

    init(_ path: String = ":memory:") throws {
        var database: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
            | SQLITE_OPEN_PRIVATECACHE
        let code = sqlite3_open_v2(path, &database, flags, nil)
        guard code == SQLITE_OK, let database else { throw Failure(code: code) }
        self.database = database
    }

    deinit {
        while let statement = sqlite3_next_stmt(database, nil) {
            sqlite3_finalize(statement)
        }
        sqlite3_close_v2(database)
    }

    func execute(_ sql: String) throws {
        try check(sqlite3_exec(database, sql, nil, nil, nil))
    }

    /// A statement that lives as long as the connection, if it isn't finalized before.
    func prepare(_ sql: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
        return statement!
    }

    /// The integer that a query returns.
    func integer(_ sql: String) throws -> Int64 {
        let statement = try prepare(sql)
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW else {
            throw Failure(code: sqlite3_errcode(database))
        }
        return sqlite3_column_int64(statement, 0)
    }

    /// Calls `body` with each row.
    @inline(__always)
    func forEachRow(_ sql: String, _ body: (OpaquePointer) -> Void) throws {
        let statement = try prepare(sql)
        defer { sqlite3_finalize(statement) }
        var code = sqlite3_step(statement)
        while code == SQLITE_ROW {
            body(statement)
            code = sqlite3_step(statement)
        }
        guard code == SQLITE_DONE else { throw Failure(code: code) }
    }

    /// Runs a statement that returns no row.
    @inline(__always)
    func run(_ statement: OpaquePointer) throws {
        guard sqlite3_step(statement) == SQLITE_DONE else {
            throw Failure(code: sqlite3_errcode(database))
        }
        sqlite3_reset(statement)
    }
}

struct Failure: Error {
    let code: Int32
}

func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw Failure(code: code) }
}

/// How long the memory of bound text lives.
enum Lifetime {
    case transient, constant

    @inline(__always)
    var destructor: sqlite3_destructor_type {
        unsafeBitCast(self == .transient ? -1 : 0, to: sqlite3_destructor_type.self)
    }
}

@inline(__always)
func bind(_ statement: OpaquePointer, _ index: Int32, _ text: String, _ lifetime: Lifetime) {
    var text = text
    text.withUTF8 { bytes in
        _ = bytes.withMemoryRebound(to: CChar.self) {
            sqlite3_bind_text(
                statement,
                index,
                $0.baseAddress,
                Int32($0.count),
                lifetime.destructor
            )
        }
    }
}

@inline(__always)
func text(_ statement: OpaquePointer, _ column: Int32) -> String {
    let start = sqlite3_column_text(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
}

/// The Unix seconds of `yyyy-MM-ddTHH:mm:ss.SSS`, without a check of the format.
@inline(__always)
func seconds(_ text: UnsafePointer<UInt8>) -> Double {
    func digit(_ index: Int) -> Int {
        Int(text[index]) &- 48
    }
    func pair(_ index: Int) -> Int {
        digit(index) &* 10 &+ digit(index &+ 1)
    }
    let year = pair(0) &* 100 &+ pair(2)
    let month = pair(5)
    // The year begins in March, so that the day that some years lack is the last.
    let shifted = month <= 2 ? year &- 1 : year
    let era = shifted / 400
    let yearOfEra = shifted &- era &* 400
    let dayOfYear = (153 &* ((month &+ 9) % 12) &+ 2) / 5 &+ pair(8) &- 1
    let leapDays = yearOfEra / 4 &- yearOfEra / 100
    let days = era &* 146_097 &+ yearOfEra &* 365 &+ leapDays &+ dayOfYear &- 719_468
    let seconds = days &* 86_400 &+ pair(11) &* 3600 &+ pair(14) &* 60 &+ pair(17)
    return Double(seconds &* 1000 &+ digit(20) &* 100 &+ pair(21)) / 1000
}

import CSQift
import Foundation
import SQift

private let text = "twenty bytes of text"

// A function, since the leak checker reports a `Data` in a global: it can't follow its tagged
// pointer.
private func makeBlob() -> Data {
    Data(repeating: 7, count: 32)
}

private let schema = "CREATE TABLE t(a INTEGER, b TEXT, c REAL, d BLOB)"
private let insertion = "INSERT INTO t VALUES(?, ?, ?, ?)"

func openClose(_ count: Int) throws -> Sides {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
        "SQiftBenchmarks-\(UUID()).sqlite"
    ).path
    let file = File(path: path)
    try Raw(path).execute("CREATE TABLE t(a)")
    return Sides(
        raw: {
            for _ in 0..<count {
                var database: OpaquePointer?
                sqlite3_open_v2(file.path, &database, Raw.flags, nil)
                sqlite3_extended_result_codes(database, 1)
                sqlite3_close(database)
            }
            return Int64(count)
        },
        sqift: {
            for _ in 0..<count {
                try Connection(path: file.path).close()
            }
            return Int64(count)
        }
    )
}

/// A file that is removed with this object.
private final class File {
    let path: String

    init(path: String) {
        self.path = path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// Inserts rows of four values. The text is NULL if `withText` is false.
private func rawInsert(
    _ count: Int,
    withText: Bool,
    _ lifetime: RawLifetime
) throws -> () throws -> Int64 {
    let raw = try Raw()
    try raw.execute(schema)
    let statement = try raw.prepare(insertion)
    let destructor = lifetime.destructor
    let blob = makeBlob()
    return {
        try raw.execute("DELETE FROM t; BEGIN")
        for number in 0..<count {
            sqlite3_bind_int64(statement, 1, Int64(number))
            if withText {
                rawBind(statement, 2, text, destructor)
            } else {
                sqlite3_bind_null(statement, 2)
            }
            sqlite3_bind_double(statement, 3, Double(number) * 0.5)
            blob.withUnsafeBytes { bytes in
                _ = sqlite3_bind_blob64(
                    statement,
                    4,
                    bytes.baseAddress,
                    UInt64(bytes.count),
                    destructor
                )
                sqlite3_step(statement)
            }
            sqlite3_reset(statement)
        }
        try raw.execute("COMMIT")
        return try raw.integer("SELECT count(*) FROM t")
    }
}

private func sqiftInsert(
    _ count: Int,
    isListening: Bool = false,
    _ insert: @escaping (Connection, Statement, Int) throws -> Void
) throws -> () throws -> Int64 {
    let connection = try Connection()
    try connection.execute(schema)
    let statement = try connection.prepare(insertion)
    if isListening {
        connection.didCommit { _ in }
    }
    return {
        try connection.execute("DELETE FROM t")
        try connection.transaction {
            for number in 0..<count {
                try insert(connection, statement, number)
            }
        }
        return try connection.query("SELECT count(*) FROM t")
    }
}

func insertPrepared(_ count: Int) throws -> Sides {
    let blob = makeBlob()
    return Sides(
        raw: try rawInsert(count, withText: true, .transient),
        sqift: try sqiftInsert(count) { _, statement, number in
            try statement.bind(number, text, Double(number) * 0.5, blob).run()
        },
        rawStatic: try rawInsert(count, withText: true, .constant)
    )
}

func insertVariadic(_ count: Int) throws -> Sides {
    let blob = makeBlob()
    return Sides(
        raw: try rawInsert(count, withText: false, .transient),
        sqift: try sqiftInsert(count) { _, statement, number in
            try statement.bind(number, nil, Double(number) * 0.5, blob).run()
        },
        rawStatic: try rawInsert(count, withText: false, .constant)
    )
}

func insertConvenience(_ count: Int) throws -> Sides {
    let blob = makeBlob()
    return Sides(
        raw: try rawInsert(count, withText: true, .transient),
        sqift: try sqiftInsert(count) { connection, _, number in
            try connection.run(insertion, number, text, Double(number) * 0.5, blob)
        },
        rawStatic: try rawInsert(count, withText: true, .constant)
    )
}

/// Inserts with a listener, against the same without one.
func insertListening(_ count: Int) throws -> Sides {
    let blob = makeBlob()
    func side(isListening: Bool) throws -> () throws -> Int64 {
        try sqiftInsert(count, isListening: isListening) { connection, _, number in
            try connection.run(insertion, number, text, Double(number) * 0.5, blob)
        }
    }
    return Sides(raw: try side(isListening: false), sqift: try side(isListening: true))
}

private struct EncodedRow: Encodable {
    let number: Int
    let text: String
    let half: Double
    let blob: Data
}

func insertEncoding(_ count: Int) throws -> Sides {
    let blob = makeBlob()
    let sql = "INSERT INTO t VALUES(:number, :text, :half, :blob)"
    return Sides(
        raw: try rawInsert(count, withText: true, .transient),
        sqift: try sqiftInsert(count) { connection, _, number in
            let row = EncodedRow(number: number, text: text, half: Double(number) * 0.5, blob: blob)
            try connection.run(sql, encoding: row)
        },
        rawStatic: try rawInsert(count, withText: true, .constant)
    )
}

private struct Entry {
    let id: Int
    let name: String
    let price: Double
}

/// Inserts the rows of an array in one transaction. The C API's side binds with `SQLITE_STATIC`,
/// since the array's texts outlive each run.
func bulk(_ count: Int) throws -> Sides {
    let entries = (0..<count).map {
        Entry(id: $0, name: "the name of \($0)", price: Double($0) / 4)
    }
    let schema = "CREATE TABLE t(id INTEGER, name TEXT, price REAL)"
    let insertion = "INSERT INTO t VALUES(?, ?, ?)"
    let raw = try Raw()
    let connection = try Connection()
    try raw.execute(schema)
    try connection.execute(schema)
    let statement = try raw.prepare(insertion)
    let insert = try connection.prepare(insertion)
    return Sides(
        raw: {
            try raw.execute("DELETE FROM t; BEGIN")
            for entry in entries {
                sqlite3_bind_int64(statement, 1, Int64(entry.id))
                sqlite3_bind_double(statement, 3, entry.price)
                var name = entry.name
                name.withUTF8 { bytes in
                    _ = bytes.withMemoryRebound(to: CChar.self) {
                        sqlite3_bind_text64(
                            statement,
                            2,
                            $0.baseAddress,
                            UInt64($0.count),
                            sqift_static(),
                            UInt8(SQLITE_UTF8)
                        )
                    }
                    sqlite3_step(statement)
                }
                sqlite3_reset(statement)
            }
            try raw.execute("COMMIT")
            return try raw.integer("SELECT count(*) FROM t")
        },
        sqift: {
            try connection.execute("DELETE FROM t")
            try connection.transaction {
                for entry in entries {
                    try insert.bind(entry.id, entry.name, entry.price).run()
                }
            }
            return try connection.query("SELECT count(*) FROM t")
        }
    )
}

/// Writes dates in one transaction, and reads them back.
func dates(_ count: Int) throws -> Sides {
    let raw = try Raw()
    let connection = try Connection()
    try raw.execute("CREATE TABLE t(a TEXT)")
    try connection.execute("CREATE TABLE t(a TEXT)")
    let rawInsert = try raw.prepare("INSERT INTO t VALUES(?)")
    let rawSelect = try raw.prepare("SELECT a FROM t")
    let insert = try connection.prepare("INSERT INTO t VALUES(?)")
    func date(_ number: Int) -> Date {
        Date(timeIntervalSince1970: Double(number) * 12_345.678)
    }
    func checksum(_ dates: [Date]) -> Int64 {
        dates.reduce(0) { $0 &+ Int64(($1.timeIntervalSince1970 * 1000).rounded()) }
    }
    return Sides(
        raw: {
            try raw.execute("DELETE FROM t; BEGIN")
            for number in 0..<count {
                rawBind(rawInsert, 1, date: date(number).timeIntervalSince1970)
                sqlite3_step(rawInsert)
                sqlite3_reset(rawInsert)
            }
            try raw.execute("COMMIT")
            var dates: [Date] = []
            while sqlite3_step(rawSelect) == SQLITE_ROW {
                let seconds = sqlite3_column_text(rawSelect, 0).map { rawDate($0) } ?? 0
                dates.append(Date(timeIntervalSince1970: seconds))
            }
            sqlite3_reset(rawSelect)
            return checksum(dates)
        },
        sqift: {
            try connection.execute("DELETE FROM t")
            try connection.transaction {
                for number in 0..<count {
                    try insert.bind(date(number)).run()
                }
            }
            return checksum(try connection.query("SELECT a FROM t"))
        }
    )
}

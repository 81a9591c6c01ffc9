import CSQift
import Foundation
import SQift

/// Prints how long insert, scan and point read take for growing tables in a file, and the peak
/// memory of SQift's side.
func measureGrowth(scale: Double) throws {
    print(
        "rows        insert ns  ratio   scan ns  ratio   point read ns  ratio   "
            + "peak memory of insert, scan, read in MB"
    )
    for exponent in 3...7 {
        let fullSize = Int(pow(10, Double(exponent)))
        let rows = max(10, Int(Double(fullSize) * scale))
        let tableCount = max(1, pieceCount * smallestPiece / fullSize)
        var insert = Work(name: "insert")
        var scan = Work(name: "scan")
        var read = Work(name: "point read")

        for _ in 0..<tableCount {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                "SQiftBenchmarks-\(UUID())"
            )
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let raw = try RawTable(path: folder.appendingPathComponent("raw.sqlite").path)
            let table = try Table(path: folder.appendingPathComponent("sqift.sqlite").path)

            try insert.measure(rows, raw: raw.insert, sqift: table.insert)
            try scan.measure(rows, raw: raw.scan, sqift: table.scan)
            try read.measure(
                min(rows, 200_000),
                raw: { try raw.read($0, of: rows) },
                sqift: { try table.read($0, of: rows) }
            )
        }

        let works = [insert, scan, read]
        let peaks = works.map { $0.peak.map { String(format: "%.0f", $0) } ?? "?" }
        print(
            "\(rows)".padding(toLength: 10, withPad: " ", startingAt: 0)
                + works.map(\.columns).joined()
                + "   " + peaks.joined(separator: ", ")
        )
        fflush(nil)
    }
    try measureBackup(scale: scale)
}

/// How many pieces of each work are measured at least: of one large table, or of several small
/// ones.
private let pieceCount = 50
/// The transaction around fewer rows would take most of the time.
private let smallestPiece = 1_000

/// What the pieces of one work took. The two sides do each piece in turn, for the reason that
/// `Workload.measure(repeats:scale:)` gives.
private struct Work {
    let name: String
    private var nanoseconds: [Double] = []
    private var ratios: [Double] = []
    /// The most memory, in MB.
    private(set) var peak: Double?

    init(name: String) {
        self.name = name
    }

    mutating func measure(
        _ operations: Int,
        raw: (Range<Int>) throws -> Int64,
        sqift: (Range<Int>) throws -> Int64
    ) throws {
        let size = max(smallestPiece, operations / pieceCount)
        for start in stride(from: 0, to: operations, by: size) {
            let piece = start..<min(start + size, operations)
            let (rawTime, expected) = try time { try raw(piece) }
            resetPeakMemory()
            let (sqiftTime, result) = try time { try sqift(piece) }
            peak = [peak, peakMemory()].compactMap { $0 }.max()
            guard result == expected else {
                throw Difference(
                    workload: name,
                    description: "\(name): raw \(expected), SQift \(result)"
                )
            }
            nanoseconds.append(sqiftTime / Double(piece.count))
            ratios.append(sqiftTime / rawTime)
        }
    }

    var columns: String {
        String(format: "%11.1f%7.2f", median(nanoseconds), median(ratios))
    }
}

/// Without waiting for the disk: with few rows, that would be most of the time.
private let schema =
    "PRAGMA synchronous = OFF; CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, b TEXT)"
private let insertion = "INSERT INTO t(a, b) VALUES(?, ?)"
private let selection = "SELECT a, b FROM t WHERE id > ? AND id <= ?"
private let pointRead = "SELECT a FROM t WHERE id = ?"

/// A row anywhere in the table, the same one for both sides.
private func rowID(_ number: Int, of rows: Int) -> Int {
    number &* 7_919 % rows &+ 1
}

private struct Table {
    let connection: Connection

    init(path: String) throws {
        connection = try Connection(path: path)
        try connection.execute(schema)
    }

    func insert(_ piece: Range<Int>) throws -> Int64 {
        let insert = try connection.prepare(insertion)
        try connection.transaction {
            for number in piece {
                try insert.bind(number, "twenty bytes of text").run()
            }
        }
        return connection.lastInsertRowID
    }

    func scan(_ piece: Range<Int>) throws -> Int64 {
        var sum: Int64 = 0
        try connection.forEachRow(selection, piece.lowerBound, piece.upperBound) { row in
            sum &+= try row.get(0)
            sum &+= Int64((try row.get(1) as String).utf8.count)
        }
        return sum
    }

    func read(_ piece: Range<Int>, of rows: Int) throws -> Int64 {
        var sum: Int64 = 0
        try connection.transaction {
            for number in piece {
                sum &+= try connection.query(pointRead, rowID(number, of: rows))
            }
        }
        return sum
    }
}

private struct RawTable {
    let raw: Raw

    init(path: String) throws {
        raw = try Raw(path)
        try raw.execute(schema)
    }

    func insert(_ piece: Range<Int>) throws -> Int64 {
        let statement = try raw.prepare(insertion)
        try raw.execute("BEGIN")
        for number in piece {
            sqlite3_bind_int64(statement, 1, Int64(number))
            rawBind(statement, 2, "twenty bytes of text", sqift_transient())
            sqlite3_step(statement)
            sqlite3_reset(statement)
        }
        try raw.execute("COMMIT")
        return sqlite3_last_insert_rowid(raw.database)
    }

    func scan(_ piece: Range<Int>) throws -> Int64 {
        let statement = try raw.prepare(selection)
        sqlite3_bind_int64(statement, 1, Int64(piece.lowerBound))
        sqlite3_bind_int64(statement, 2, Int64(piece.upperBound))
        var sum: Int64 = 0
        while sqlite3_step(statement) == SQLITE_ROW {
            sum &+= sqlite3_column_int64(statement, 0) &+ Int64(rawText(statement, 1).utf8.count)
        }
        sqlite3_reset(statement)
        return sum
    }

    func read(_ piece: Range<Int>, of rows: Int) throws -> Int64 {
        let statement = try raw.prepare(pointRead)
        var sum: Int64 = 0
        try raw.execute("BEGIN")
        for number in piece {
            sqlite3_bind_int64(statement, 1, Int64(rowID(number, of: rows)))
            sqlite3_step(statement)
            sum &+= sqlite3_column_int64(statement, 0)
            sqlite3_reset(statement)
        }
        try raw.execute("COMMIT")
        return sum
    }
}

// MARK: Memory, which only Linux tells

func resetPeakMemory() {
    try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
}

/// The most memory in use since the last reset, in MB.
func peakMemory() -> Double? {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap {
        Double($0)
    }
    return kilobytes.map { $0 / 1024 }
}

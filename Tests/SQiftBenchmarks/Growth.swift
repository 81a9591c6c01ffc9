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
        let rows = max(10, Int(pow(10, Double(exponent)) * scale))
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "SQiftBenchmarks-\(UUID())"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let raw = try RawTable(path: folder.appendingPathComponent("raw.sqlite").path, rows: rows)
        let table = try Table(path: folder.appendingPathComponent("sqift.sqlite").path, rows: rows)

        var line = "\(rows)".padding(toLength: 10, withPad: " ", startingAt: 0)
        var peaks: [String] = []
        let reads = min(rows, 200_000)
        let steps: [(String, Int, () throws -> Int64, () throws -> Int64)] = [
            ("insert", rows, raw.insert, table.insert),
            ("scan", rows, raw.scan, table.scan),
            ("point read", reads, { try raw.read(reads) }, { try table.read(reads) }),
        ]
        for (name, operations, rawStep, step) in steps {
            let (rawTime, expected) = try time(rawStep)
            resetPeakMemory()
            let (stepTime, result) = try time(step)
            peaks.append(peakMemory().map { String(format: "%.0f", $0) } ?? "?")
            guard result == expected else {
                throw Difference(
                    workload: name,
                    description: "\(name): raw \(expected), SQift \(result)"
                )
            }
            line += String(format: "%11.1f%7.2f", stepTime / Double(operations), stepTime / rawTime)
        }
        print(line + "   " + peaks.joined(separator: ", "))
        fflush(nil)
    }
    try measureBackup(scale: scale)
}

/// Without waiting for the disk: with few rows, that would be most of the time.
private let schema =
    "PRAGMA synchronous = OFF; CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, b TEXT)"
private let insertion = "INSERT INTO t(a, b) VALUES(?, ?)"
private let selection = "SELECT a, b FROM t"
private let pointRead = "SELECT a FROM t WHERE id = ?"

/// A row anywhere in the table, the same one for both sides.
private func rowID(_ number: Int, of rows: Int) -> Int {
    number &* 7_919 % rows &+ 1
}

private struct Table {
    let connection: Connection
    let rows: Int

    init(path: String, rows: Int) throws {
        connection = try Connection(path: path)
        self.rows = rows
        try connection.execute(schema)
    }

    func insert() throws -> Int64 {
        let insert = try connection.prepare(insertion)
        try connection.transaction {
            for number in 0..<rows {
                try insert.bind(number, "twenty bytes of text").run()
            }
        }
        return connection.lastInsertRowID
    }

    func scan() throws -> Int64 {
        var sum: Int64 = 0
        try connection.forEachRow(selection) { row in
            sum &+= try row.get(0)
            sum &+= Int64((try row.get(1) as String).utf8.count)
        }
        return sum
    }

    func read(_ count: Int) throws -> Int64 {
        var sum: Int64 = 0
        try connection.transaction {
            for number in 0..<count {
                sum &+= try connection.query(pointRead, rowID(number, of: rows))
            }
        }
        return sum
    }
}

private struct RawTable {
    let raw: Raw
    let rows: Int

    init(path: String, rows: Int) throws {
        raw = try Raw(path)
        self.rows = rows
        try raw.execute(schema)
    }

    func insert() throws -> Int64 {
        let statement = try raw.prepare(insertion)
        try raw.execute("BEGIN")
        for number in 0..<rows {
            sqlite3_bind_int64(statement, 1, Int64(number))
            rawBind(statement, 2, "twenty bytes of text", sqift_transient())
            sqlite3_step(statement)
            sqlite3_reset(statement)
        }
        try raw.execute("COMMIT")
        return sqlite3_last_insert_rowid(raw.database)
    }

    func scan() throws -> Int64 {
        let statement = try raw.prepare(selection)
        var sum: Int64 = 0
        while sqlite3_step(statement) == SQLITE_ROW {
            sum &+= sqlite3_column_int64(statement, 0) &+ Int64(rawText(statement, 1).utf8.count)
        }
        sqlite3_reset(statement)
        return sum
    }

    func read(_ count: Int) throws -> Int64 {
        let statement = try raw.prepare(pointRead)
        var sum: Int64 = 0
        try raw.execute("BEGIN")
        for number in 0..<count {
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

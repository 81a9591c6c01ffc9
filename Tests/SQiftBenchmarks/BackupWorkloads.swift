import CSQift
import Foundation
import SQift

/// A database with about the given number of 4 KiB pages, in a folder of its own.
final class PagesFile: Sendable {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "SQiftBenchmarks-\(UUID())"
    )

    init(pages: Int) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Raw(path()).execute(
            """
            PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL;
            CREATE TABLE t(id INTEGER PRIMARY KEY, v INTEGER, b BLOB);
            WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < \(pages))
            INSERT INTO t SELECT i, 0, randomblob(4000) FROM n;
            """
        )
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    func path(_ name: String = "test.sqlite") -> String {
        folder.appendingPathComponent(name).path
    }

    /// Removes the file, and returns its path.
    func newPath(_ name: String) -> String {
        try? FileManager.default.removeItem(atPath: path(name))
        return path(name)
    }
}

private let pagesPerStep = 100

/// From file to file, with the same number of pages in a step, and without waiting for the disk.
func backup(_ pages: Int) throws -> Sides {
    let file = try PagesFile(pages: pages)
    let raw = try Raw(file.path())
    let source = try Connection(path: file.path())
    return Sides(
        raw: { try copyPages(from: raw, to: file.newPath("raw.sqlite")) },
        sqift: {
            var count = 0
            let copy = try Connection(path: file.newPath("sqift.sqlite"))
            try copy.execute("PRAGMA synchronous = OFF")
            try source.backup(to: copy, pagesPerStep: pagesPerStep) { count = $0.pageCount }
            return Int64(count)
        }
    )
}

/// To a file that is checked, synced and renamed. The C API's side only copies.
func databaseBackup(_ pages: Int) throws -> Sides {
    let file = try PagesFile(pages: pages)
    let raw = try Raw(file.path())
    let database = try Database(path: file.path())
    return Sides(
        raw: { try copyPages(from: raw, to: file.newPath("raw.sqlite")) },
        sqift: { try backUp(database, to: file.path("backup.sqlite")) }
    )
}

/// While a writer commits a thousand times a second, compared with a backup without a writer.
func backupUnderWrites(_ pages: Int) throws -> Sides {
    let file = try PagesFile(pages: pages)
    let database = try Database(path: file.path())
    return Sides(
        raw: { try backUp(database, to: file.path("idle.sqlite")) },
        sqift: {
            let isDone = Flag()
            let writer = Task.detached {
                while !isDone.isSet {
                    try await database.write { try $0.run("UPDATE t SET v = v + 1 WHERE id = 1") }
                    // A thousand commits a second: the load under which the backup is measured.
                    try await Task.sleep(nanoseconds: 1_000_000)
                }
            }
            defer {
                isDone.set()
                writer.cancel()
            }
            return try backUp(database, to: file.path("busy.sqlite"))
        }
    )
}

private final class Flag: Sendable {
    private let value = Confined(Value())

    private final class Value { var isSet = false }

    var isSet: Bool { value.use { $0.isSet } }

    func set() {
        value.use { $0.isSet = true }
    }
}

private func backUp(_ database: Database, to path: String) throws -> Int64 {
    var count = 0
    try database.backup(to: .onDisk(path), pagesPerStep: pagesPerStep) { count = $0.pageCount }
    return Int64(count)
}

/// Copies with the loop that SQLite's documentation shows.
///
/// https://sqlite.org/backup.html
private func copyPages(from source: Raw, to path: String) throws -> Int64 {
    let destination = try Raw(path)
    try destination.execute("PRAGMA synchronous = OFF")
    let handle = sqlite3_backup_init(destination.database, "main", source.database, "main")
    var code = SQLITE_OK
    while code == SQLITE_OK {
        code = sqlite3_backup_step(handle, Int32(pagesPerStep))
    }
    let count = sqlite3_backup_pagecount(handle)
    sqlite3_backup_finish(handle)
    guard code == SQLITE_DONE else { throw RawError(code: code) }
    return Int64(count)
}

/// Empty named migrations, each in a transaction. The C API's side only runs the statements that
/// record them.
func migrate(_ count: Int) throws -> Sides {
    let file = try PagesFile(pages: 1)
    let migrations = (0..<count).map { Migration("2024-\($0)-nothing", sql: "-- nothing") }
    let raw = try Raw(file.path("raw.sqlite"))
    let connection = try Connection(path: file.path("sqift.sqlite"))
    return Sides(
        raw: { try withExtendedLifetime(file) { try record(migrations.map(\.name), raw) } },
        sqift: {
            try connection.execute("DROP TABLE IF EXISTS sqift_migrations")
            return Int64(
                try Migrator(connection: connection, migrations: migrations).run().migrations.count
            )
        }
    )
}

private func record(_ names: [String], _ raw: Raw) throws -> Int64 {
    try raw.execute(
        """
        DROP TABLE IF EXISTS sqift_migrations;
        CREATE TABLE sqift_migrations(
            name TEXT NOT NULL PRIMARY KEY,
            checksum TEXT,
            timestamp TEXT NOT NULL
        )
        """
    )
    let begin = try raw.prepare("BEGIN IMMEDIATE")
    let exists = try raw.prepare("SELECT EXISTS(SELECT 1 FROM sqift_migrations WHERE name = ?)")
    let insert = try raw.prepare(
        "INSERT INTO sqift_migrations VALUES(?, ?, strftime('%Y-%m-%dT%H:%M:%f', 'now'))"
    )
    let commit = try raw.prepare("COMMIT")
    defer {
        for statement in [begin, exists, insert, commit] {
            sqlite3_finalize(statement)
        }
    }

    for name in names {
        rawBind(exists, 1, name, sqift_transient())
        rawBind(insert, 1, name, sqift_transient())
        rawBind(insert, 2, "cbf29ce484222325", sqift_transient())
        for statement in [begin, exists, insert, commit] {
            while sqlite3_step(statement) == SQLITE_ROW {}
            guard sqlite3_reset(statement) == SQLITE_OK else {
                throw RawError(code: sqlite3_errcode(raw.database))
            }
        }
    }
    return try raw.integer("SELECT count(*) FROM sqift_migrations")
}

/// Prints how much memory and time a backup of about 2 GB takes.
func measureBackup(scale: Double) throws {
    let file = try PagesFile(pages: max(1, Int(500_000 * scale)))
    let database = try Database(path: file.path())

    resetPeakMemory()
    let (nanoseconds, pages) = try time { try backUp(database, to: file.path("backup.sqlite")) }
    let memory = peakMemory().map { String(format: "%.0f", $0) } ?? "?"
    let figures = "\(pages * 4096 / 1_000_000) MB in \(String(format: "%.1f", nanoseconds / 1e9)) s"
    print("database.backup of \(figures), peak memory \(memory) MB")
}

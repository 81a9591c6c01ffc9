import Foundation
import SQift

/// The databases that mutants are made of.
enum SeedDatabase {
    private enum State {
        /// Everything is in the file.
        case whole
        /// The last changes are in the WAL.
        case wal
        /// A process has died while it wrote: the journal undoes it.
        case hotJournal
    }

    /// Makes all of them in a folder.
    static func makeAll(in folder: String) throws -> [DatabaseImage] {
        var images = [
            try make("512", in: folder, pageSize: 512),
            try make("1024-vacuum", in: folder, pageSize: 1024, settings: "auto_vacuum = FULL"),
            try make("4096", in: folder, pageSize: 4096),
            try make("utf16", in: folder, pageSize: 1024, settings: "encoding = 'UTF-16le'"),
            try make("512-wal", in: folder, pageSize: 512, state: .wal),
            try make("4096-wal", in: folder, pageSize: 4096, state: .wal),
            try make("512-journal", in: folder, pageSize: 512, state: .hotJournal),
            try make("1024-journal", in: folder, pageSize: 1024, state: .hotJournal),
            try make("65536", in: folder, pageSize: 65536),
        ]
        if let data = ProcessInfo.processInfo.environment["SQIFT_TEST_DATA"] {
            let path = "\(data)/chinook.sqlite"
            let header = try DatabaseImage(name: "chinook", pageSize: 0, readingFrom: path)[.main]
            let size = Int(header.number(at: 16, size: 2))
            images.append(try DatabaseImage(name: "chinook", pageSize: size, readingFrom: path))
        }
        return images
    }

    private static func make(
        _ name: String,
        in folder: String,
        pageSize: Int,
        settings: String = "encoding = 'UTF-8'",
        state: State = .whole
    ) throws -> DatabaseImage {
        let path = "\(folder)/\(name).db"
        let connection = try Connection(path: path)
        try connection.execute("PRAGMA page_size = \(pageSize); PRAGMA \(settings)")
        try fill(connection)
        if state == .wal {
            let mode: String = try connection.query("PRAGMA journal_mode = wal")
            try expect(mode == "wal", "no WAL: \(mode)")
            try connection.execute("PRAGMA wal_autocheckpoint = 0")
            try connection.run("UPDATE t SET b = b || 'wal', d = a WHERE a % 3 = 0")
            try connection.run("INSERT INTO w(k, v) VALUES('wal', 1)")
        } else if state == .hotJournal {
            // More pages change than the cache holds, so some are written before the commit.
            try connection.execute("PRAGMA cache_size = 3; PRAGMA cache_spill = 1; BEGIN")
            try connection.run("UPDATE t SET c = zeroblob(length(c)), d = 'lost' || a")
        }
        var image = try DatabaseImage(name: name, pageSize: pageSize, readingFrom: path)
        if state == .hotJournal {
            try expect(image[.journal].number(at: 8, size: 4) > 0, "\(name) has no hot journal")
            try connection.execute("ROLLBACK")
        }
        try connection.close()
        let count = state == .whole ? 1 : 2
        try expect(image.parts.count == count, "\(name) has \(image.parts)")
        image.removeRandomness()
        return image
    }

    /// Something of everything that a file can hold.
    private static func fill(_ connection: Connection) throws {
        try connection.execute(
            """
            CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c BLOB, d, e COLLATE NOCASE);
            CREATE INDEX t_b ON t(b);
            CREATE UNIQUE INDEX t_d ON t(d DESC, length(c)) WHERE a > 3;
            CREATE TABLE w(k TEXT PRIMARY KEY, v REFERENCES t(a)) WITHOUT ROWID;
            CREATE VIEW vw AS SELECT t.a, t.b, w.v FROM t LEFT JOIN w ON w.v = t.a;
            CREATE TRIGGER tr AFTER INSERT ON t BEGIN
                INSERT OR IGNORE INTO w VALUES('k' || new.a, new.a);
            END;
            CREATE TABLE g(x INTEGER CHECK(x < 1000), y AS (x * 2) STORED, z AS (x || 'z'));
            CREATE INDEX g_z ON g(z);
            CREATE TABLE s(id INTEGER PRIMARY KEY AUTOINCREMENT, n DEFAULT 1.5);
            CREATE TABLE gone(x);
            """
        )
        for module in ["fts5(title, body)", "rtree(id, low, high)"] {
            // Not every build has them.
            _ = try? connection.run(
                "CREATE VIRTUAL TABLE v\(module.prefix(1)) USING \(module)"
            )
        }
        if try connection.tableExists("vf") {
            try connection.run(
                "INSERT INTO vf VALUES('one two', 'three four'), ('five', 'six one')"
            )
        }
        if try connection.tableExists("vr") {
            try connection.run("INSERT INTO vr VALUES(1, 0.5, 2), (2, -3, 9)")
        }
        for row in 1...30 {
            let date = Date(timeIntervalSince1970: Double(row) * 40_000_000)
            let values: [(any Bindable)?] = [date, 1.5 * Double(row), "{\"x\":\(row)}", nil, -row]
            try connection.run(
                "INSERT INTO t(b, c, d, e) VALUES(?, ?, ?, ?)",
                "text \(row)\0é",
                Data(repeating: UInt8(row), count: row % 10 == 0 ? 3000 : 20),
                values[row % 4] ?? "d\(row)",
                values[row % 5]
            )
            try connection.run("INSERT INTO g VALUES(?)", row)
            try connection.run("INSERT INTO s(n) VALUES(?)", Int64(row) << row)
            try connection.run("INSERT INTO gone VALUES(zeroblob(400))")
        }
        // Its pages become free ones.
        try connection.execute("DROP TABLE gone; ANALYZE")
        let first = Migration("first", sql: "CREATE TABLE m(a)")
        try Migrator(connection: connection, migrations: [first]).run()
    }
}

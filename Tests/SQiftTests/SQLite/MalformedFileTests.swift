import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Files that were damaged at random, by a seed: each is answered or refused.
@Suite(
    .enabled(if: Connection.hasCompileOption("ENABLE_FTS5"), "SQLite was built without FTS5")
)
struct MalformedFileTests {
    private static let pageSize = 1024
    private static let tables = ["t", "w", "docs", "v", "log", "sqlite_schema"]

    private let folder = TemporaryFolder.fresh
    /// A database, and another one with its WAL.
    private let (plain, main, wal): (Data, Data, Data)

    init() throws {
        let (path, walPath) = (folder.path("plain.sqlite"), folder.path("wal.sqlite"))
        try Self.fill(Connection(path: path))
        plain = try bytes(of: path)

        // While a connection is open, so that the WAL isn't checkpointed.
        let connection = try Connection(path: walPath)
        try Self.fill(connection)
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        try connection.run("INSERT INTO t(x, y) " + numbers(to: 20, selecting: "'more ' || n, n"))
        try connection.execute(
            "DELETE FROM w WHERE id < 'n2'; INSERT INTO docs VALUES('written to the wal')"
        )
        main = try bytes(of: walPath)
        wal = try bytes(of: walPath + "-wal")
    }

    private static func fill(_ connection: Connection) throws {
        try connection.execute(
            """
            PRAGMA page_size = \(pageSize);
            CREATE TABLE log(x);
            CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT, y, z AS (y + 1));
            CREATE INDEX i ON t(x); CREATE UNIQUE INDEX j ON t(y DESC, x) WHERE y > 0;
            CREATE TABLE w(id TEXT PRIMARY KEY, x REFERENCES t(id)) WITHOUT ROWID;
            CREATE VIRTUAL TABLE docs USING fts5(body);
            CREATE VIEW v AS SELECT t.x, w.id FROM t JOIN w ON w.x = t.id;
            CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES(new.x); END;
            """
        )
        try connection.run("INSERT INTO t(x, y) " + numbers(to: 40, selecting: "'text ' || n, n"))
        try connection.run(
            "INSERT INTO t(x, y) VALUES(?, 1.5), ('big', zeroblob(3000))",
            String(repeating: "é", count: 900)
        )
        try connection.run("INSERT INTO w " + numbers(to: 40, selecting: "'n' || n, n"))
        try connection.run(
            "INSERT INTO docs " + numbers(to: 20, selecting: "'some words and number ' || n")
        )
    }

    // MARK: Damage

    private func damage(_ data: inout Data, using generator: inout SeededGenerator) {
        func offset() -> Int {
            Int.random(in: 0..<data.count, using: &generator)
        }
        func block() -> Range<Int> {
            let start = offset() / 256 * 256
            return
                start..<min(
                    start + [64, 256, Self.pageSize][Int.random(in: 0..<3, using: &generator)],
                    data.count
                )
        }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: data.removeLast(Int.random(in: 1..<data.count, using: &generator))
        case 1: data.resetBytes(in: block())
        case 2:
            let (first, second) = (block(), block())
            let (a, b) = (Data(data[first]), Data(data[second]))
            let count = min(a.count, b.count)
            data.replaceSubrange(first.prefix(count), with: b.prefix(count))
            data.replaceSubrange(second.prefix(count), with: a.prefix(count))
        default:
            // Half of them near the beginning of a page, where the headers and cell pointers are.
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                var place = offset()
                if Bool.random(using: &generator) {
                    place = min(place / Self.pageSize * Self.pageSize + place % 120, data.count - 1)
                }
                data[place] = UInt8.random(in: 0...255, using: &generator)
            }
        }
    }

    /// The bytes of this seed's files, of which every second one has a WAL.
    private func files(seed: UInt64) -> (database: Data, wal: Data?) {
        var generator = SeededGenerator(state: seed)
        guard seed % 2 == 1 else {
            var database = plain
            damage(&database, using: &generator)
            return (database, nil)
        }
        var (database, log) = (main, wal)
        if seed % 4 == 1 {
            damage(&database, using: &generator)
        }
        if seed % 4 == 3 || Bool.random(using: &generator) {
            damage(&log, using: &generator)
        }
        return (database, log)
    }

    // MARK: Use

    /// Uses a file from a stranger, and answers how often it was refused.
    private func use(_ path: String, asksForSchema: Bool, record: (String) -> Void) -> Int {
        var refusals = 0
        func attempt(_ what: String, _ body: () throws -> Void) {
            do {
                try body()
            } catch is SQLiteError {
                refusals += 1
            } catch {
                record("\(what) threw \(type(of: error)): \(error)")
            }
        }
        var configuration = Connection.Configuration()
        configuration.hardened = true
        attempt("opening") {
            let connection = try Connection(path: path, configuration: configuration)
            for (limit, value) in [
                (.length, 1_000_000), (.sqlLength, 100_000), (.column, 100), (.exprDepth, 20),
                (.compoundSelect, 5),
                (.vdbeOp, 25_000), (.functionArg, 8), (.attached, 1), (.triggerDepth, 10),
            ] as [(Connection.Limit, Int)] {
                try connection.setLimit(limit, to: value)
            }
            let deadline = ContinuousClock.now + .seconds(1)
            connection.progressHandler { ContinuousClock.now > deadline }

            attempt("synchronous") { try connection.execute("PRAGMA synchronous = OFF") }
            attempt("quickCheck") { _ = try connection.quickCheck(maximumErrors: 5) }
            for table in Self.tables {
                attempt("reading \(table)") {
                    try connection.forEachRow("SELECT * FROM \(table)") { row in
                        for index in 0..<row.columnCount {
                            _ = try row.bindingValue(at: index)
                        }
                    }
                }
            }
            if asksForSchema {
                attempt("columns") { _ = try connection.columns(in: "t") }
                attempt("indexes") { _ = try connection.indexes(on: "t") }
                attempt("foreignKeys") { _ = try connection.foreignKeys(of: "w") }
                attempt("triggers") { _ = try connection.triggers(on: "t") }
                attempt("foreignKeyViolations") { _ = try connection.foreignKeyViolations() }
            }
            attempt("searching") {
                try connection.run("SELECT * FROM docs WHERE docs MATCH 'words'")
            }
            attempt("inserting") {
                try connection.transaction {
                    try connection.execute(
                        "INSERT INTO t(x, y) VALUES('new', 999), ('newer', 1000)"
                    )
                    try connection.execute(
                        "INSERT INTO w VALUES('new', 1); INSERT INTO docs VALUES('new words')"
                    )
                }
            }
            attempt("closing") { try connection.close() }
        }
        return refusals
    }

    private func use(
        _ database: Data,
        _ wal: Data?,
        as name: String,
        asksForSchema: Bool = true,
        record: (String) -> Void
    ) throws -> Int {
        // A crash leaves the files behind, with the seed in their name.
        let path = folder.path(name)
        defer {
            for suffix in ["", "-wal", "-shm", "-journal"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        try database.write(to: URL(fileURLWithPath: path))
        try wal?.write(to: URL(fileURLWithPath: path + "-wal"))
        return use(path, asksForSchema: asksForSchema, record: record)
    }

    @Test func soundFilesAreNotRefused() throws {
        #expect(try use(plain, nil, as: "sound.sqlite") { Issue.record("\($0)") } == 0)
        #expect(try use(main, wal, as: "sound-wal.sqlite") { Issue.record("\($0)") } == 0)
        try main.write(to: URL(fileURLWithPath: folder.path("copy")))
        try wal.write(to: URL(fileURLWithPath: folder.path("copy-wal")))
        try expectRows(62, on: Connection(path: folder.path("copy")))
    }

    /// To replay one seed, let the range begin and end with it.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func damagedFilesAreAnsweredOrRefused(part: UInt64) throws {
        var refused = 0
        for seed in (part * 250)..<((part + 1) * 250) {
            let (database, wal) = files(seed: seed)
            let start = ContinuousClock.now
            // These questions take longest.
            let asksForSchema = seed % 5 == 0
            let refusals = try use(
                database,
                wal,
                as: "seed-\(seed).sqlite",
                asksForSchema: asksForSchema
            ) {
                Issue.record("seed \(seed): \($0)")
            }
            let duration = ContinuousClock.now - start
            #expect(duration < .seconds(patience), "seed \(seed)")
            if refusals > 0 {
                refused += 1
            }
        }
        #expect((25..<250).contains(refused))
    }
}

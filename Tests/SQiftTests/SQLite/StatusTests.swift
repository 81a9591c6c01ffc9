import CSQift
import Testing

@testable import SQift

@Suite(.timeLimit(.minutes(20))) struct StatusTests {
    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try Connection(path: folder.path())
        try connection.execute("PRAGMA synchronous = OFF; CREATE TABLE t(x, y)")
        try connection.run("INSERT INTO t SELECT n, 1000 - n FROM (\(numbers(to: 1000)))")
    }

    @Test func theNumbersAreSQLites() {
        let numbers: [Connection.Status: Int32] = [
            .lookasideUsed: SQLITE_DBSTATUS_LOOKASIDE_USED, .cacheUsed: SQLITE_DBSTATUS_CACHE_USED,
            .schemaUsed: SQLITE_DBSTATUS_SCHEMA_USED, .stmtUsed: SQLITE_DBSTATUS_STMT_USED,
            .lookasideHit: SQLITE_DBSTATUS_LOOKASIDE_HIT,
            .lookasideMissSize: SQLITE_DBSTATUS_LOOKASIDE_MISS_SIZE,
            .lookasideMissFull: SQLITE_DBSTATUS_LOOKASIDE_MISS_FULL,
            .cacheHit: SQLITE_DBSTATUS_CACHE_HIT,
            .cacheMiss: SQLITE_DBSTATUS_CACHE_MISS, .cacheWrite: SQLITE_DBSTATUS_CACHE_WRITE,
            .deferredFKs: SQLITE_DBSTATUS_DEFERRED_FKS,
            .cacheUsedShared: SQLITE_DBSTATUS_CACHE_USED_SHARED,
            .cacheSpill: SQLITE_DBSTATUS_CACHE_SPILL,
        ]
        #expect(numbers.count == Connection.Status.allCases.count)
        for status in Connection.Status.allCases {
            #expect(status.rawValue == numbers[status], "\(status)")
        }
    }

    @Test func theStatementsNumbersAreSQLites() {
        let numbers: [Statement.Status: Int32] = [
            .fullScanSteps: SQLITE_STMTSTATUS_FULLSCAN_STEP, .sort: SQLITE_STMTSTATUS_SORT,
            .autoIndex: SQLITE_STMTSTATUS_AUTOINDEX, .vmStep: SQLITE_STMTSTATUS_VM_STEP,
            .reprepare: SQLITE_STMTSTATUS_REPREPARE, .run: SQLITE_STMTSTATUS_RUN,
            // Of SQLite 3.38, which the header needn't be.
            .filterMiss: 7, .filterHit: 8, .memUsed: SQLITE_STMTSTATUS_MEMUSED,
        ]
        #expect(numbers.count == Statement.Status.allCases.count)
        for status in Statement.Status.allCases {
            #expect(status.rawValue == numbers[status], "\(status)")
        }
    }

    // MARK: Connections

    @Test func theCacheIsMeasured() throws {
        #expect(connection.status(.cacheUsed).current > 4096)
        #expect(
            connection.status(.cacheUsedShared).current == connection.status(.cacheUsed).current
        )
        #expect(connection.status(.cacheUsed).highest == 0)
    }

    @Test func pagesFoundReadAndWrittenAreCountedAndReset() throws {
        let other = try Connection(path: folder.path())
        _ = try count("t", on: other)
        #expect(other.status(.cacheMiss).current > 2)
        #expect(other.status(.cacheWrite).current == 0)
        let misses = other.status(.cacheMiss, reset: true).current
        #expect(misses > 2)
        #expect(other.status(.cacheMiss).current == 0)

        #expect(other.status(.cacheHit, reset: true).current >= 0)
        #expect(other.status(.cacheHit).current == 0)
        _ = try count("t", on: other)
        #expect(other.status(.cacheHit).current > 2)
        #expect(other.status(.cacheMiss).current == 0)

        try other.run("INSERT INTO t VALUES(1, 1)")
        #expect(other.status(.cacheWrite, reset: true).current > 0)
        #expect(other.status(.cacheWrite).current == 0)
    }

    @Test func aFullCacheSpills() throws {
        #expect(connection.status(.cacheSpill).current == 0)
        try connection.execute("PRAGMA cache_size = 10; PRAGMA cache_spill = 10")
        try connection.run("INSERT INTO t SELECT zeroblob(4000), n FROM (\(numbers(to: 200)))")
        #expect(connection.status(.cacheSpill).current > 0)
    }

    @Test func statementsAndTheSchemaTakeMemory() throws {
        let schema = connection.status(.schemaUsed).current
        #expect(schema > 0)
        try connection.execute("CREATE TABLE u(a, b, c); CREATE INDEX i ON u(a)")
        #expect(connection.status(.schemaUsed).current > schema)

        let before = connection.status(.stmtUsed).current
        do {
            let statement = try connection.prepare(
                "SELECT * FROM t, u WHERE x = a ORDER BY y, b, c"
            )
            #expect(connection.status(.stmtUsed).current > before)
            withExtendedLifetime(statement) {}
        }
        #expect(connection.status(.stmtUsed).current == before)
    }

    @Test func theLookasidesHighestValueIsKeptUntilItIsReset() throws {
        try connection.withUnsafeHandle { database in
            var highest: Int32 = 0
            var current: Int32 = 0
            sqlite3_db_status(database, SQLITE_DBSTATUS_LOOKASIDE_USED, &current, &highest, 0)
            let status = connection.status(.lookasideUsed)
            #expect(status.current == Int(current))
            #expect(status.highest == Int(highest))
        }
        let used = connection.status(.lookasideUsed, reset: true)
        #expect(used.highest >= used.current)
        let after = connection.status(.lookasideUsed)
        #expect(after.highest == after.current)
        if connection.status(.lookasideHit).highest > 0 {
            #expect(connection.status(.lookasideHit).current == 0)
            _ = connection.status(.lookasideHit, reset: true)
            #expect(connection.status(.lookasideHit).highest == 0)
        }
    }

    @Test func aDeferredForeignKeyThatIsViolatedShows() throws {
        try connection.execute(
            """
            PRAGMA foreign_keys = ON;
            CREATE TABLE parents(id INTEGER PRIMARY KEY);
            CREATE TABLE children(parent REFERENCES parents DEFERRABLE INITIALLY DEFERRED)
            """
        )
        #expect(connection.status(.deferredFKs).current == 0)
        try connection.transaction {
            try connection.run("INSERT INTO children VALUES(1)")
            #expect(connection.status(.deferredFKs).current == 1)
            try connection.run("INSERT INTO parents VALUES(1)")
            #expect(connection.status(.deferredFKs).current == 0)
        }
    }

    @Test func afterCloseEverythingIsZero() throws {
        try connection.close()
        for status in Connection.Status.allCases {
            #expect(connection.status(status) == (0, 0))
            #expect(connection.status(status, reset: true) == (0, 0))
        }
    }

    // MARK: Statements

    @Test func aFullScanIsCountedUntilAnIndexSparesIt() throws {
        let sql = "SELECT y FROM t WHERE x = ?"
        let scan = try connection.prepare(sql)
        let _: Int? = try scan.bind(7).query()
        let _: [Int] = try scan.bind(7).query()
        #expect(scan.status(.fullScanSteps) >= 999)
        #expect(scan.status(.fullScanSteps, reset: true) >= 999)
        #expect(scan.status(.fullScanSteps) == 0)

        try connection.run("CREATE INDEX i ON t(x)")
        let search = try connection.prepare(sql)
        let _: [Int] = try search.bind(7).query()
        #expect(search.status(.fullScanSteps) == 0)
    }

    @Test func sortsAreCounted() throws {
        let statement = try connection.prepare("SELECT x FROM t ORDER BY y")
        #expect(statement.status(.sort) == 0)
        let _: [Int] = try statement.query()
        let _: [Int] = try statement.query()
        #expect(statement.status(.sort, reset: true) == 2)
        #expect(statement.status(.sort) == 0)
    }

    @Test func rowsOfAnAutomaticIndexAreCounted() throws {
        try connection.execute("CREATE TABLE u(a, b); INSERT INTO u SELECT x, y FROM t")
        let statement = try connection.prepare("SELECT count(*) FROM t, u WHERE t.x = u.a")
        let joined: Int = try statement.query()
        #expect(joined == 1000)
        #expect(statement.status(.autoIndex) >= 999)
    }

    @Test func instructionsAndRunsAreCounted() throws {
        let statement = try connection.prepare("SELECT count(*) FROM t WHERE x > 5")
        #expect(statement.status(.vmStep) == 0)
        #expect(statement.status(.run) == 0)
        for _ in 0..<3 {
            try statement.run()
        }
        #expect(statement.status(.vmStep) > 3000)
        #expect(statement.status(.run, reset: true) == 3)
        #expect(statement.status(.run) == 0)
        #expect(statement.status(.vmStep, reset: true) > 3000)
        #expect(statement.status(.vmStep) == 0)
        try statement.run()
        #expect(statement.status(.run) == 1)
    }

    @Test func beingCompiledAgainIsCounted() throws {
        let statement = try connection.prepare("SELECT count(*) FROM t")
        try statement.run()
        #expect(statement.status(.reprepare) == 0)
        try connection.run("CREATE TABLE u(a)")
        try statement.run()
        #expect(statement.status(.reprepare) == 1)
        try statement.run()
        #expect(statement.status(.reprepare, reset: true) == 1)
        #expect(statement.status(.reprepare) == 0)
    }

    @Test func memoryIsMeasuredAndCannotBeReset() throws {
        let small = try connection.prepare("SELECT 1")
        let large = try connection.prepare(
            "SELECT * FROM t AS a, t AS b WHERE a.x = b.y ORDER BY a.y, b.x"
        )
        #expect(small.status(.memUsed) > 0)
        #expect(large.status(.memUsed) > small.status(.memUsed))
        let used = large.status(.memUsed, reset: true)
        #expect(large.status(.memUsed) == used)
    }

    @Test func columnsAreReadAgainAfterAResetOfTheNumberOfPreparations() throws {
        let statement = try connection.prepare("SELECT * FROM t LIMIT 1")
        func names() throws -> [String] {
            try #require(try statement.query() as Row?).columnNames
        }
        #expect(try names() == ["x", "y"])
        try connection.execute("ALTER TABLE t ADD COLUMN z")
        #expect(try names() == ["x", "y", "z"])
        #expect(statement.status(.reprepare, reset: true) == 1)

        try connection.execute("ALTER TABLE t RENAME COLUMN z TO w")
        #expect(try names() == ["x", "y", "w"])
        _ = statement.status(.reprepare, reset: true)
        try connection.execute("ALTER TABLE t ADD COLUMN v")
        #expect(try names() == ["x", "y", "w", "v"])
        #expect(try statement.query { try $0.get("v") as Int? } as [Int?] == [nil])
    }
}

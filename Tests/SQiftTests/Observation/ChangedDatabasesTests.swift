// Only the library makes `TableChanges`.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

/// Attached databases, temporary tables, blobs, and databases that are replaced as a whole.
struct ChangedDatabasesTests {
    private let connection: Connection
    private let heard: Notes<TableChanges>

    init() throws {
        connection = try Connection()
        try connection.execute(
            """
            PRAGMA foreign_keys = ON;
            CREATE TABLE t(x);
            CREATE TABLE main_only(x);
            INSERT INTO t(rowid, x) VALUES(1, zeroblob(100)), (2, zeroblob(100));
            ATTACH ':memory:' AS Other;
            CREATE TABLE Other.T(x);
            CREATE TABLE Other.w(k PRIMARY KEY) WITHOUT ROWID;
            CREATE TABLE Other.parents(id INTEGER PRIMARY KEY);
            CREATE TABLE Other.children(p REFERENCES parents(id) ON DELETE CASCADE);
            CREATE TABLE Other."a.b"(x);
            INSERT INTO Other.parents VALUES(1), (2);
            INSERT INTO Other.children VALUES(1);
            INSERT INTO Other.T(rowid, x) VALUES(1, zeroblob(100));
            CREATE TEMP TABLE temporary(x);
            CREATE TEMP TABLE observed(x);
            CREATE TEMP TRIGGER observing AFTER INSERT ON observed BEGIN
                INSERT INTO main_only VALUES(new.x);
            END;
            CREATE TEMP TRIGGER spying AFTER INSERT ON Other.w BEGIN
                INSERT INTO temporary VALUES(new.k);
            END;
            """
        )
        heard = connection.hearChanges()
    }

    // MARK: Attached databases

    @Test(
        .enabled(if: Capability.countsEmptiedTables),
        arguments: [
            ("INSERT INTO other.t VALUES(1)", ["Other.T"]),
            ("DELETE FROM OTHER.T", ["Other.T"]),
            ("INSERT INTO w VALUES(1)", ["Other.w"]),
            ("INSERT INTO other.\"a.b\" VALUES(1)", ["Other.a.b"]),
            ("DELETE FROM parents WHERE id = 1", ["Other.parents", "Other.children"]),
            ("DELETE FROM parents WHERE id = 2", ["Other.parents", "Other.children"]),
            ("INSERT INTO t SELECT x FROM other.t", ["t"]),
            ("BEGIN; DELETE FROM t; INSERT INTO other.t VALUES(1); COMMIT", ["t", "Other.T"]),
            ("DELETE FROM other.t WHERE false", []),
        ]
    )
    func tablesOfAttachedDatabasesHaveTheDatabasesName(sql: String, tables: [String]) throws {
        try connection.execute(sql)
        let expected = tables.isEmpty ? [] : [TableChanges(tables: Set(tables))]
        #expect(heard.all == expected)
    }

    @Test func aSchemaOfAnAttachedDatabaseChanges() throws {
        try connection.run("CREATE TABLE other.new(x)")
        guard let changes = heard.all.first else { return recordCall() }
        #expect(changes.schemaChanged)
        #expect(changes.tables.isSubset(of: ["Other.new"]))
        try connection.run("INSERT INTO new VALUES(1)")
        #expect(heard.all.count == 2)
        #expect(heard.all.last == .commit("Other.new"))
    }

    @Test func oneThatIsAttachedWhileSomebodyListensIsHeardOf() throws {
        let folder = try TemporaryFolder()
        try connection.attachDatabase(from: .onDisk(folder.path()), withName: "late")
        try connection.execute("CREATE TABLE late.u(x)")
        _ = heard.take()
        let statement = try connection.prepare("INSERT INTO late.u VALUES(1)")
        try statement.run()
        heard.expect(.commit("late.u"))
    }

    @Test(.enabled(if: Connection.hasCompileOption("ENABLE_FTS5")))
    func fullTextIndexesOfAttachedDatabasesAreReported() throws {
        try connection.execute("CREATE VIRTUAL TABLE other.f USING fts5(x)")
        _ = heard.take()
        try connection.run("INSERT INTO f VALUES('text')")
        try connection.run("DELETE FROM other.f")
        heard.expect(.commit("Other.f"), .commit("Other.f"))
    }

    // MARK: Temporary tables

    @Test(arguments: [
        "INSERT INTO temporary VALUES(1)",
        "INSERT INTO temp.temporary VALUES(1); DELETE FROM temporary",
        "BEGIN; INSERT INTO temporary VALUES(1); COMMIT",
        "CREATE TEMP TABLE created(x); DROP TABLE created",
        "CREATE TABLE temp.created(k PRIMARY KEY) WITHOUT ROWID; INSERT INTO created VALUES(1)",
        "CREATE TEMP TABLE created AS SELECT * FROM t",
        "ALTER TABLE temporary ADD COLUMN y",
        "CREATE INDEX temp.i ON temporary(x); DROP INDEX temp.i",
        "DROP TABLE temporary",
    ])
    func temporaryTablesAreNotReported(sql: String) throws {
        try connection.execute(sql)
        heard.expect()
    }

    @Test(.enabled(if: Connection.hasCompileOption("ENABLE_FTS5")))
    func temporaryFullTextIndexesAreNotReported() throws {
        try connection.execute(
            "CREATE VIRTUAL TABLE temp.f USING fts5(x); INSERT INTO f VALUES('text'); DELETE FROM f"
        )
        heard.expect()
    }

    @Test func aTemporaryTableHidesAnotherOfItsName() throws {
        try connection.execute("CREATE TEMP TABLE t(x)")
        try connection.run("INSERT INTO t VALUES(1)")
        heard.expect()
        try connection.run("INSERT INTO main.t VALUES(1)")
        heard.expect(.commit("t"))
    }

    @Test func temporaryTriggersWriteToTables() throws {
        try connection.run("INSERT INTO observed VALUES(1)")
        heard.expect(.commit("main_only"))
        try connection.run("INSERT INTO w VALUES(1)")
        heard.expect(.commit("Other.w"))
    }

    // MARK: Blobs

    private func writeBlob(table: String = "t") throws {
        let blob = try connection.openBlob(table: table, column: "x", rowID: 1)
        try blob.write([1], at: 0)
        try blob.close()
    }

    @Test(arguments: [("main", "T", "t"), ("other", "t", "Other.T")])
    func aBlobIsReportedWhenItsCommitHasReturned(
        database: String,
        table: String,
        name: String
    ) throws {
        let blob = try connection.openBlob(database: database, table: table, column: "x", rowID: 1)
        try blob.write([1, 2, 3], at: 0)
        try blob.write([4, 5, 6], at: 50)
        heard.expect()
        try blob.close()
        heard.expect(.commit(name))
    }

    @Test func aTableWithAPragmasNameDoesNotNameTheDatabase() throws {
        try connection.execute(
            "CREATE TABLE pragma_database_list(name); INSERT INTO pragma_database_list VALUES('MAIN')"
        )
        _ = heard.take()
        try writeBlob(table: "T")
        heard.expect(.commit("t"))
    }

    @Test func aBlobThatIsReleasedIsReported() throws {
        var blob: Blob? = try connection.openBlob(table: "t", column: "x", rowID: 1)
        try blob?.write([1], at: 0)
        blob = nil
        heard.expect(.commit("t"))
    }

    @Test func aBlobThatIsOnlyReadIsNotReported() throws {
        for readOnly in [true, false] {
            let blob = try connection.openBlob(
                table: "t",
                column: "x",
                rowID: 1,
                readOnly: readOnly
            )
            _ = try blob.read(at: 0, count: 10)
            try blob.reopen(rowID: 2)
            try blob.close()
        }
        heard.expect()
    }

    @Test func aBlobInATransactionIsReportedWithIt() throws {
        try connection.transaction {
            try writeBlob()
            try connection.run("INSERT INTO main_only VALUES(1)")
            heard.expect()
        }
        heard.expect(.commit("t", "main_only"))

        connection.undoing {
            try writeBlob()
        }
        heard.expect()
    }

    @Test func aBlobOfAnUndoneSavepointIsNotReported() throws {
        try connection.transaction {
            connection.undoingSavepoint {
                try writeBlob()
            }
        }
        heard.expect()
    }

    /// SQLite commits when the last of the writers has ended.
    @Test func whatIsWrittenBesideABlobIsReportedWhenTheBlobIsClosed() throws {
        let blob = try connection.openBlob(table: "t", column: "x", rowID: 1)
        try connection.run("INSERT INTO main_only VALUES(1)")
        heard.expect()
        try blob.write([1], at: 0)
        try blob.close()
        heard.expect(.commit("t", "main_only"))
    }

    // MARK: Databases that are replaced

    @Test func aBackupIntoTheConnectionConcernsEveryTable() throws {
        let source = try Connection.withTable(rows: 1, 2)
        let unheard = source.hearChanges()
        try source.backup(to: connection)
        expectAllTables()
        #expect(unheard.all == [])
        try expectRows(2, on: connection)
        try connection.run("INSERT INTO t VALUES(3)")
        heard.expect(.commit("t"))
    }

    @Test func aBackupInStepsIsReportedOnceWhenItIsFinished() throws {
        let source = try Connection.withTable(rows: 1, 2)
        try source.execute("INSERT INTO t \(numbers(to: 20_000))")
        try source.backup(to: connection, pagesPerStep: 5) { [heard] progress in
            if progress.remainingPageCount > 0 {
                heard.expect()
            }
        }
        expectAllTables()
    }

    @Test func aBackupThatIsGivenUpIsNotReported() throws {
        let source = try Connection.withTable(rows: 1, 2)
        try source.execute("INSERT INTO t \(numbers(to: 20_000))")
        expectThrows(TestError.self) {
            try source.backup(to: connection, pagesPerStep: 5) { _ in throw TestError() }
        }
        heard.expect()
        try expectRows(2, on: connection)
    }

    private func expectAllTables(sourceLocation: SourceLocation = #_sourceLocation) {
        let all = heard.take()
        #expect(all.count == 1, sourceLocation: sourceLocation)
        guard let changes = all.first else {
            return recordCall(sourceLocation: sourceLocation)
        }
        #expect(changes.includesAllTables && !changes.isExternal, sourceLocation: sourceLocation)
        #expect(changes.concerns("main_only"), sourceLocation: sourceLocation)
    }
}

// Only the library makes `TableChanges`.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

extension ObservationSuites {
    /// Which tables a closure of `values` is found to read.
    struct DatabaseValuesTablesTests {
        private static let schema = """
            CREATE TABLE v(id INTEGER PRIMARY KEY, x);
            CREATE TABLE keyed(id PRIMARY KEY, x) WITHOUT ROWID;
            CREATE TABLE log(x);
            CREATE TRIGGER t_is_logged AFTER INSERT ON t BEGIN INSERT INTO log VALUES(new.x); END;
            CREATE VIEW of_u AS SELECT x FROM u;
            CREATE VIEW of_both AS SELECT x FROM of_u UNION ALL SELECT x FROM v;
            CREATE INDEX by_x ON u(x);
            CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT, x);
            """

        private let folder = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.open { $0.maximumReaderCount = 1 }
            try database.write { connection in
                try connection.execute("CREATE TABLE t(x); CREATE TABLE u(x)")
                try connection.execute(Self.schema)
                if Capability.fts5 {
                    try connection.execute("CREATE VIRTUAL TABLE texts USING fts5(body)")
                }
            }
        }

        /// A query, a write that concerns it, and one that doesn't.
        struct Case: Sendable, CustomTestStringConvertible {
            let query: SQL
            let write: SQL
            let other: SQL
            /// Adds a row for the write.
            let fill: SQL
            var testDescription: String { query }

            init(_ query: SQL, _ write: SQL, not other: SQL, fill: SQL? = nil) {
                (self.query, self.write, self.other) = (query, write, other)
                self.fill = fill ?? write
            }
        }

        private static let intoT = "INSERT INTO t VALUES(1)"
        private static let intoU = "INSERT INTO u VALUES(1)"
        private static let intoV = "INSERT INTO v(x) VALUES(1)"
        private static let intoKeyed = "INSERT INTO keyed VALUES(random(), 1)"
        private static let intoTexts = "INSERT INTO texts VALUES('a')"

        static let cases = [
            Case("SELECT x FROM t", intoT, not: intoU),
            Case("SELECT count(*) FROM t", "DELETE FROM t", not: "DELETE FROM u", fill: intoT),
            Case("SELECT 1 FROM t", "UPDATE t SET x = 1", not: "UPDATE u SET x = 1", fill: intoT),
            Case(
                "SELECT rowid FROM T",
                "REPLACE INTO t VALUES(1)",
                not: "REPLACE INTO v VALUES(1, 1)"
            ),
            Case("SELECT x FROM of_u", intoU, not: intoT),
            Case("SELECT x FROM of_both", intoU, not: intoT),
            Case("SELECT x FROM of_both", intoV, not: intoT),
            Case("SELECT (SELECT max(x) FROM u)", intoU, not: intoV),
            Case(
                "SELECT 1 WHERE EXISTS (SELECT 1 FROM v WHERE x IN (SELECT x FROM t))",
                intoT,
                not: intoU
            ),
            Case("SELECT * FROM t JOIN v USING (x)", intoV, not: intoU),
            Case("WITH c AS (SELECT x FROM u) SELECT * FROM c", intoU, not: intoT),
            Case("SELECT x FROM u ORDER BY x", intoU, not: intoT),
            Case("SELECT x FROM keyed", intoKeyed, not: intoT),
            Case("SELECT x FROM keyed", "DELETE FROM keyed", not: intoT, fill: intoKeyed),
            Case("SELECT total_of_u()", intoU, not: intoT),
            Case("SELECT x FROM t WHERE x = total_of_u()", intoT, not: intoV),
            // What a trigger on a table writes isn't read with the table.
            Case("SELECT x FROM t", intoT, not: "INSERT INTO log VALUES(1)"),
            Case("SELECT x FROM log", intoT, not: intoU),
            Case(
                "SELECT each.x FROM other.t AS each",
                "INSERT INTO other.t VALUES(1)",
                not: "INSERT INTO main.t VALUES(1)"
            ),
            Case(
                "SELECT x FROM main.t",
                "INSERT INTO main.t VALUES(1)",
                not: "INSERT INTO other.t VALUES(1)"
            ),
        ]

        static let textCases = [
            Case("SELECT rowid FROM texts WHERE texts MATCH 'a'", intoTexts, not: intoT),
            Case("SELECT count(*) FROM texts", "DELETE FROM texts", not: intoT, fill: intoTexts),
            Case(
                "SELECT body FROM texts",
                "UPDATE texts SET body = 'b'",
                not: intoT,
                fill: intoTexts
            ),
        ]

        private func addFunctionAndFile() throws {
            let path = folder.path("other.sqlite")
            try Connection(path: path).execute("CREATE TABLE t(x)")
            database.prepareConnections { connection in
                try connection.attachDatabase(from: .onDisk(path), withName: "other")
                try connection.addFunction(named: "total_of_u") { [unowned connection] () -> Int in
                    try connection.query("SELECT count(*) FROM u")
                }
            }
        }

        @Test func aListenerThatEndsInTheClosureDoesNotEndTheSearchForTables() async throws {
            let follower = database.follow { connection in
                connection.didCommit { _ in }.end()
                return try count("t", on: connection)
            }
            await follower.expect([0])
            try await database.run(Self.intoT)
            await follower.expect([0, 1])
        }

        /// The second time, statements that were compiled before are in the reader's cache.
        @Test(arguments: cases + (Capability.fts5 ? textCases : []), [false, true])
        func aQueryRunsAgainIfOneOfItsTablesHasChanged(
            each: Case,
            isCached: Bool
        ) async throws {
            try addFunctionAndFile()
            try await database.execute(
                """
                INSERT INTO t VALUES(0), (3); INSERT INTO u VALUES(0);
                INSERT INTO v(x) VALUES(0); INSERT INTO keyed VALUES(0, 0)
                """
            )
            if isCached {
                for _ in 0..<2 {
                    try await database.read { connection in
                        let _: [Row] = try connection.query(each.query)
                    }
                }
            }
            let runs = SharedCount()
            let follower = database.follow { connection in
                let _: [Row] = try connection.query(each.query)
                return runs.add(1)
            }
            await follower.expect([1])
            var expected = [1]
            for _ in 0..<5 {
                // There is always a row to delete and to update.
                for sql in [each.fill, each.write] {
                    try await database.run(each.other)
                    try await database.run(sql)
                    expected.append(expected.count + 1)
                    await follower.expect(expected)
                }
            }
        }

        @Test func theTablesAreFoundAnewAtEachRun() async throws {
            let runs = SharedCount()
            try await database.add(1)
            let follower = database.follow { connection -> String in
                runs.add(1)
                let x: Int = try connection.query("SELECT max(x) FROM t")
                let table = x % 2 == 0 ? "u" : "log"
                return try "\(table) \(count(table, on: connection))"
            }
            await follower.expect(["log 1"])
            try await database.run("INSERT INTO u VALUES(1)")
            try await database.run("INSERT INTO log VALUES(1)")
            await follower.expect(["log 1", "log 2"])
            try await database.add(2)
            await follower.expect(["log 1", "log 2", "u 1"])
            try await database.run("INSERT INTO log VALUES(1)")
            try await database.run("INSERT INTO u VALUES(1)")
            await follower.expect(["log 1", "log 2", "u 1", "u 2"])
            #expect(runs.value == 4)
        }

        @Test func aViewThatIsRedefinedReadsOtherTables() async throws {
            let follower = database.follow { connection -> Int in
                try connection.query("SELECT count(*) FROM of_u")
            }
            await follower.expect([0])
            try await database.write { connection in
                try connection.execute("DROP VIEW of_both; DROP VIEW of_u")
                try connection.execute("CREATE VIEW of_u AS SELECT x FROM v WHERE x > 0")
            }
            await follower.expect([0, 0])
            try await database.run("INSERT INTO u VALUES(1)")
            try await database.run("INSERT INTO v(x) VALUES(1)")
            await follower.expect([0, 0, 1])
            try await database.execute("ALTER TABLE v RENAME TO w")
            await follower.expect([0, 0, 1, 1])
            try await database.run("INSERT INTO w(x) VALUES(1)")
            await follower.expect([0, 0, 1, 1, 2])
        }

        @Test func aBlobThatIsReadIncrementallyIsFound() async throws {
            try await database.run("INSERT INTO v VALUES(1, x'010203')")
            let follower = database.follow { connection in
                let blob = try connection.openBlob(
                    table: "V",
                    column: "x",
                    rowID: 1,
                    readOnly: true
                )
                return try blob.read(at: 0, count: 1)
            }
            await follower.expect([Data([1])])
            try await database.add(1)
            try await database.run("UPDATE v SET x = x'040506'")
            await follower.expect([Data([1]), Data([4])])
            try await database.write { connection in
                let blob = try connection.openBlob(table: "v", column: "x", rowID: 1)
                try blob.write(Data([7]), at: 0)
            }
            await follower.expect([Data([1]), Data([4]), Data([7])])
        }

        static let ways: [@Sendable (Connection) throws -> Void] = [
            { let _: [Int] = try $0.query("SELECT x FROM t") },
            { try $0.execute("SELECT 1; SELECT x FROM t; SELECT 2") },
            { try $0.run("SELECT x FROM t") },
            { try $0.prepare("SELECT x FROM t").run() },
            { let _: Int? = try $0.query("SELECT x FROM t LIMIT 1") },
            { _ = try $0.cursor("SELECT x FROM t").next() },
            { connection in try connection.savepoint { _ = try connection.run("SELECT x FROM t") }
            },
        ]

        @Test(arguments: ways.indices) func everyWayToReadIsFound(way: Int) async throws {
            try await database.add(0)
            let runs = SharedCount()
            let follower = database.follow { connection -> Int in
                try Self.ways[way](connection)
                return runs.add(1)
            }
            await follower.expect([1])
            for round in 2...4 {
                try await database.run("INSERT INTO u VALUES(1)")
                try await database.add(round)
                await follower.expect(Array(1...round))
            }
        }

        /// Queries of an attached database's table `xt`, which `main` hasn't, of which they read no
        /// column.
        @Test(arguments: [
            "SELECT count(*) FROM xt", "SELECT count(*) FROM t, xt", "SELECT sum(one) FROM xv",
            "SELECT count(*) FROM Other.xt",
        ])
        func aTableOfAnAttachedDatabaseIsFoundWithoutItsName(query: SQL) async throws {
            let location = StorageLocation.onDisk(folder.path("other"))
            let setup = try Connection(storageLocation: location)
            try setup.execute("CREATE TABLE xt(x); CREATE VIEW xv AS SELECT 1 AS one FROM xt")
            try setup.close()
            database.prepareConnections {
                try? $0.attachDatabase(from: location, withName: "other")
            }
            try await database.run("INSERT INTO t VALUES(1)")
            let follower = database.follow { try $0.query(query) as Int? ?? 0 }
            await follower.expect([0])
            try await database.run("INSERT INTO xt VALUES(1)")
            await follower.expect([0, 1])
            try await database.run("INSERT INTO other.xt VALUES(1)")
            await follower.expect([0, 1, 2])
        }

        /// The index keeps its statements, and so reads the table unasked from its second use on.
        @Test(.enabled(if: Capability.fts5))
        func theContentOfAnIndexIsFoundAtEachRun() async throws {
            try await database.execute(
                """
                CREATE TABLE docs(id INTEGER PRIMARY KEY, body);
                INSERT INTO docs VALUES(1, 'a');
                CREATE VIRTUAL TABLE x USING fts5(body, content = docs, content_rowid = id);
                INSERT INTO x(x) VALUES('rebuild')
                """
            )
            let query = "SELECT group_concat(body) FROM x"
            let first = database.follow { try $0.query(query) as String }
            await first.expect(["a"])
            // Another statement, after the index has kept its own.
            let second = database.follow { try $0.query("\(query) --") as String }
            await second.expect(["a"])
            for (index, text) in ["b", "c", "d"].enumerated() {
                try await database.write { try $0.run("UPDATE docs SET body = ?", text) }
                await first.expect(Array(["a", "b", "c", "d"].prefix(index + 2)))
                await second.expect(Array(["a", "b", "c", "d"].prefix(index + 2)))
            }
        }

        @Test(.enabled(if: Capability.fts5)) func thePartsOfAnIndexAreFound() async throws {
            let query = "SELECT count(*) FROM texts_docsize"
            let follower = database.follow { try $0.query(query) as Int }
            await follower.expect([0])
            for count in 1...3 {
                try await database.run("INSERT INTO texts VALUES('a')")
                await follower.expect(Array(0...count))
            }
        }

        @Test func theVersionsInTheHeaderAreFound() async throws {
            let version = database.follow { try $0.query("PRAGMA user_version") as Int }
            let identifier = database.follow { try $0.query("PRAGMA application_id") as Int }
            await version.expect([0])
            await identifier.expect([0])
            try await database.run("PRAGMA user_version = 7")
            await version.expect([0, 7])
            await identifier.expect([0, 0])
            try await database.run("PRAGMA application_id = 8")
            await identifier.expect([0, 0, 8])
        }

        @Test(arguments: ["PRAGMA page_count", "SELECT count(*) FROM pragma_foreign_key_check"])
        func pragmasThatReadEverythingAreFollowed(query: SQL) async throws {
            try await database.execute("CREATE TABLE bad(t REFERENCES v(id))")
            let runs = SharedCount()
            let follower = database.follow { connection -> Int in
                let _: Int = try connection.query(query)
                return runs.add(1)
            }
            await follower.expect([1])
            try await database.add(1)
            await follower.expect([1, 2])
            try await database.run("INSERT INTO u VALUES(1)")
            await follower.expect([1, 2, 3])
        }

        @Test(.enabled(if: Capability.serialization))
        func anImageFollowsEveryTable() async throws {
            let runs = SharedCount()
            let follower = database.follow { connection -> Int in
                _ = try connection.serialize()
                return runs.add(1)
            }
            await follower.expect([1])
            try await database.add(1)
            await follower.expect([1, 2])
        }

        @Test func aClosureThatReadsNoTableGivesOneValue() async throws {
            let runs = SharedCount()
            let follower = database.follow { connection -> Int in
                runs.add(1)
                return try connection.query("SELECT 42")
            }
            let none = database.follow { _ in 7 }
            await follower.expect([42])
            await none.expect([7])
            let changes = database.changes()
            for round in 0..<20 {
                try await database.add(round)
                _ = try await changes.next()
            }
            try await database.close()
            try await follower.end()
            try await none.end()
            #expect(follower.all == [42])
            #expect(none.all == [7])
            #expect(runs.value == 1)
        }

        /// In a database in memory, the closure's connection is also the one that writes.
        @Test(arguments: [ListenedDatabase.inMemory, .temporary])
        func aConnectionThatReadsAndWritesKeepsBothApart(kind: ListenedDatabase) async throws {
            let database = try kind.open(in: folder)
            let _: Int = try await database.read { try $0.query("SELECT count(*) FROM u") }
            let (runs, changes) = (SharedCount(), database.changes())
            let follower = database.follow { connection -> Int in
                runs.add(1)
                return try connection.query("SELECT count(*) FROM u")
            }
            await follower.expect([0])
            for round in 1...5 {
                try await database.run("INSERT INTO t SELECT count(*) FROM u")
                try await database.run("INSERT INTO u SELECT count(*) FROM t")
                await follower.expect(Array(0...round))
            }
            #expect(runs.value == 6)
            try await changes.expect(.commit("t", "u"), from: database)
        }
    }
}

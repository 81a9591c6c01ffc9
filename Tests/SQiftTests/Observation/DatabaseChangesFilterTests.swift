// Only the library makes `TableChanges`.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

extension ObservationSuites {
    /// Which tables a listener hears of.
    struct DatabaseChangesFilterTests {
        private let folder: TemporaryFolder
        private let database: Database

        init() throws {
            folder = try TemporaryFolder()
            let path = folder.path("attached.sqlite")
            try Connection(path: path).execute("CREATE TABLE t(x); CREATE TABLE v(x)")
            database = try ListenedDatabase.wal.open(
                in: folder,
                "CREATE TABLE Cars(x); CREATE TABLE \"a b.c\"(x)"
            )
            database.prepareConnections { connection in
                try connection.attachDatabase(from: .onDisk(path), withName: "Other")
            }
        }

        @Test(arguments: [
            ("t", "t", ["t"]), ("T", "t", ["t"]), ("main.t", "t", ["t"]), ("MAIN.T", "T", ["t"]),
            ("cars", "CARS", ["Cars"]), ("Main.Cars", "main.cars", ["Cars"]),
            ("a b.c", "\"a b.c\"", ["a b.c"]), ("other.v", "v", ["Other.v"]),
            ("OTHER.T", "other.t", ["Other.t"]), ("Other.v", "Other.V", ["Other.v"]),
        ])
        func aTableIsNamedInAnyCaseAndWithItsDatabase(
            name: String,
            spelling: String,
            expected: [String]
        ) async throws {
            let changes = database.changes(in: [name, "marker"])
            try await database.write { try $0.run("INSERT INTO \(spelling) VALUES(1)") }
            let heard = try await changes.heard(from: database)
            #expect(heard == TableChanges(tables: Set(expected)))
            #expect(heard.concerns(name))
            #expect(heard.concerns(name.uppercased()))
        }

        @Test(arguments: [
            ("t", "u"), ("t", "Other.t"), ("main.t", "Other.t"), ("Other.t", "t"),
            ("Other.t", "v"), ("v", "v"), ("unknown", "t"), ("temp.t", "t"),
        ])
        func otherTablesAreNotHeardOf(name: String, other: String) async throws {
            let changes = database.changes(in: [name, "marker"])
            try await database.write { try $0.run("INSERT INTO \(other) VALUES(1)") }
            let heard = try await changes.heard(from: database)
            #expect(heard == TableChanges())
        }

        @Test func ofSeveralTablesEachIsHeardOf() async throws {
            let changes = database.changes(in: ["t", "other.v", "marker"])
            for table in ["t", "u", "Cars", "Other.v", "Other.t"] {
                try await database.write { try $0.run("INSERT INTO \(table) VALUES(1)") }
            }
            let heard = try await changes.heard(from: database)
            #expect(heard == TableChanges(tables: ["t", "Other.v"]))
        }

        @Test func temporaryTablesAreNotHeardOf() async throws {
            let changes = database.changes()
            try await database.write { connection in
                try connection.execute("CREATE TEMP TABLE own(x); INSERT INTO own VALUES(1)")
            }
            try await database.write { try $0.execute("DELETE FROM own; DROP TABLE own") }
            let heard = try await changes.heard(from: database)
            #expect(heard.tables.isEmpty)
            #expect(!heard.includesAllTables)
        }

        @Test(arguments: [
            "CREATE TABLE new(x)", "ALTER TABLE u RENAME TO w", "ALTER TABLE u ADD COLUMN y",
            "DROP TABLE u", "CREATE INDEX i ON u(x)", "CREATE VIEW v2 AS SELECT 1",
            "CREATE TRIGGER r AFTER INSERT ON u BEGIN SELECT 1; END", "DROP TABLE Other.v",
        ])
        func changesOfTheSchemaReachEveryListener(sql: SQL) async throws {
            let listeners = [
                database.changes(), database.changes(in: ["t"]), database.changes(in: []),
                database.changes(in: ["other.t", "unknown"]),
            ]
            try await database.write { try $0.execute(sql) }
            for changes in listeners {
                let heard = try await changes.next()
                #expect(heard?.schemaChanged == true)
                #expect(heard?.concerns("anything") == true)
            }
        }

        @Test(
            .enabled(if: Capability.countsEmptiedTables),
            arguments: [
                "SELECT * FROM t", "PRAGMA user_version", "PRAGMA wal_checkpoint",
                "DELETE FROM t WHERE x = -1", "UPDATE t SET x = 1 WHERE 0",
                "INSERT INTO t SELECT 1 WHERE 0",
            ]
        )
        func whatWritesToNoTableIsNotHeardOf(sql: SQL) async throws {
            let changes = database.changes()
            try await database.writeWithoutTransaction { connection in
                let _: [Row] = try connection.query(sql)
            }
            let heard = try await changes.heard(from: database)
            #expect(heard == TableChanges())
        }
    }
}

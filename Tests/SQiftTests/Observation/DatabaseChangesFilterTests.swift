// Only the library makes `TableChanges`.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

extension ObservationSuites {
    /// Which tables a listener hears of.
    struct DatabaseChangesFilterTests {
        private let folder = TemporaryFolder.fresh
        private let database: Database

        init() throws {
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
            try await database.run("INSERT INTO \(spelling) VALUES(1)")
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
            try await database.run("INSERT INTO \(other) VALUES(1)")
            try await changes.expect(TableChanges(), from: database)
        }

        @Test func ofSeveralTablesEachIsHeardOf() async throws {
            let changes = database.changes(in: ["t", "other.v", "marker"])
            for table in ["t", "u", "Cars", "Other.v", "Other.t"] {
                try await database.run("INSERT INTO \(table) VALUES(1)")
            }
            try await changes.expect(.commit("t", "Other.v"), from: database)
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
            try await database.execute(sql)
            for changes in listeners {
                let heard = try await changes.next()
                #expect(heard?.schemaChanged == true)
                #expect(heard?.concerns("anything") == true)
            }
        }
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

// Rows that had no parents before: SQift 5.1 left foreign keys off. They are reported, and fail
// nothing.
struct LegacyViolationTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute(
            """
            CREATE TABLE parents(id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE children(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parents ON DELETE CASCADE, x);
            CREATE TABLE toys(name TEXT, parent INTEGER REFERENCES parents);
            CREATE TABLE keys(a TEXT, b INTEGER, parent REFERENCES parents, PRIMARY KEY(a, b)) WITHOUT ROWID;
            INSERT INTO parents VALUES(1, 'Ada');
            INSERT INTO children VALUES(1, 1, 0), (2, 77, 0);
            INSERT INTO toys(rowid, name, parent) VALUES(5, 'car', 78), (9, 'kite', 1), (20, 'doll', 79);
            INSERT INTO keys VALUES('k', 1, 80), ('k', 2, 80), ('l', 1, 1);
            PRAGMA foreign_keys = ON
            """
        )
    }

    /// The number of violations by table.
    private func violations(_ report: Migrator.Report) -> [String: Int] {
        report.foreignKeyViolations.reduce(into: [:]) { $0[$1.table, default: 0] += 1 }
    }

    private static let before = Set(["children", "toys", "keys"])

    @Test func theyAreReportedAndFailNothing() throws {
        let report = try migrate(
            connection,
            [creating("a"), Migration("b", sql: "UPDATE parents SET name = 'x'")]
        )
        #expect(report.migrations == ["a", "b"])
        #expect(Set(violations(report).keys) == Self.before)
        let child = try #require(report.foreignKeyViolations.first { $0.table == "children" })
        #expect(child.rowID == 2)
        #expect(child.parent == "parents")
        #expect(child.columns == ["parent"])
        #expect(
            report.foreignKeyViolations.filter { $0.table == "toys" }.compactMap(\.rowID).sorted()
                == [5, 20]
        )
        #expect(report.foreignKeyViolations.first { $0.table == "keys" }?.rowID == nil)
    }

    @Test func rowsThatLookAlikeAreEachReported() throws {
        // Two rows of a table without rowids: nothing tells them apart.
        let report = try migrate(connection, [creating("a")])
        #expect(violations(report) == ["children": 1, "toys": 2, "keys": 2])
        #expect(report.foreignKeyViolations.count == 5)
    }

    @Test func theyFailNothingAgainAndAgain() throws {
        var migrations: [Migration] = []
        for number in 0..<5 {
            migrations.append(creating("t\(number)"))
            migrations.append(
                Migration(
                    "update \(number)",
                    sql:
                        "UPDATE children SET x = x + 1; UPDATE toys SET name = name || '!'; UPDATE keys SET a = a || '!'"
                )
            )
            let report = try migrate(connection, migrations)
            #expect(report.migrations.count == 2)
            #expect(Set(violations(report).keys) == Self.before)
            #expect(try enforcesForeignKeys(connection))
        }
    }

    @Test(arguments: [
        "INSERT INTO children VALUES(3, 77, 0)", "INSERT INTO toys VALUES('car', 78)",
        "INSERT INTO keys VALUES('m', 1, 80)", "UPDATE keys SET parent = 81 WHERE a = 'l'",
        "DELETE FROM parents",
        "DELETE FROM children WHERE id = 2; INSERT INTO children VALUES(3, 77, 0)",
    ])
    func anotherOneFails(sql: SQL) throws {
        try expectUntouched(connection, .foreignKeyViolations) {
            try migrate(connection, [Migration("more", sql: sql)])
        }
        // Also behind another migration, and with the old ones removed by it.
        let migrations = [
            creating("a"), Migration("mend", sql: "DELETE FROM children WHERE id = 2"),
            Migration("more", sql: sql),
        ]
        migratorError(.foreignKeyViolations, at: "more") { try migrate(connection, migrations) }
        #expect(try recordedNames(on: connection) == ["a", "mend"])
    }

    /// There may be hundreds of thousands.
    @Test func manyAreCountedAndTheFirstHundredReported() throws {
        let sql = """
            WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 349)
            INSERT INTO children SELECT i, 77, 0 FROM n
            """
        try connection.execute("PRAGMA foreign_keys = OFF; \(sql); PRAGMA foreign_keys = ON")
        let report = try migrate(connection, [creating("a")])
        #expect(report.foreignKeyViolations.count == 100)
        #expect(report.foreignKeyViolationCount == 250 + 5)
        let more = """
            INSERT INTO children VALUES(1000, 78, 0);
            DELETE FROM children WHERE id = 100
            """
        let error = migratorError(.foreignKeyViolations) {
            try migrate(connection, [creating("a"), Migration("more", sql: more)])
        }
        #expect(error?.message.contains("1000") == true)
    }

    @Test func whatWasMendedMayNotComeBack() throws {
        let mend = Migration("mend", sql: "UPDATE children SET parent = NULL WHERE id = 2")
        let breaking = Migration("break", sql: "UPDATE children SET parent = 77 WHERE id = 2")
        migratorError(.foreignKeyViolations) { try migrate(connection, [mend, breaking]) }
        #expect(try recordedNames(on: connection) == ["mend"])
    }

    @Test func mendedOnesAreNoLongerReported() throws {
        let sql = "INSERT INTO parents VALUES(77, ''), (78, ''), (79, ''), (80, '')"
        #expect(try migrate(connection, [Migration("mend", sql: sql)]).foreignKeyViolations == [])
    }

    @Test func theySurviveTheRebuildOfTheirTable() throws {
        let rebuild = Migration("rebuild") { connection in
            let columns =
                "id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parents ON DELETE CASCADE, x NOT NULL"
            try connection.rebuildTable("children", columns: columns) { old, new in
                try connection.run("INSERT INTO \(new) SELECT * FROM \(old)")
            }
        }
        let report = try migrate(connection, [rebuild])
        #expect(Set(violations(report).keys) == Self.before)
        try expectRows(2, of: "children", on: connection)
    }

    @Test func theySurviveTheRebuildOfATableWithoutANumberOfItsOwn() throws {
        // The rows are the same, but their rowids, 5, 9 and 20, become 1, 2 and 3.
        let rebuild = Migration("rebuild") { connection in
            let columns = "name TEXT NOT NULL, parent INTEGER REFERENCES parents"
            try connection.rebuildTable("toys", columns: columns) { old, new in
                try connection.run("INSERT INTO \(new) SELECT name, parent FROM \(old)")
            }
        }
        let report = try migrate(connection, [rebuild])
        #expect(violations(report)["toys"] == 2)
    }

    @Test func theySurviveAVacuum() throws {
        let report = try migrate(
            connection,
            [Migration("compact", sql: "VACUUM", options: .withoutTransaction)]
        )
        #expect(violations(report)["toys"] == 2)
        #expect(try recordedNames(on: connection) == ["compact"])
    }

    @Test(arguments: [
        "ALTER TABLE children RENAME TO kids", "ALTER TABLE parents RENAME TO people",
        "ALTER TABLE children RENAME COLUMN parent TO mother", "ALTER TABLE keys RENAME TO locks",
    ])
    func theySurviveARenaming(sql: SQL) throws {
        let report = try migrate(connection, [Migration("rename", sql: sql)])
        #expect(report.foreignKeyViolations.count >= 4)
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

// Foreign keys: not enforced while a migration runs, checked at its end, restored whatever happens.
struct MigrationForeignKeyTests {
    private let connection: Connection
    private static let family = """
        CREATE TABLE parents(id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE children(
            id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parents ON DELETE CASCADE ON UPDATE CASCADE);
        INSERT INTO parents VALUES(1, 'Ada'), (2, 'Grace');
        INSERT INTO children VALUES(10, 1), (11, 1), (20, 2)
        """

    init() throws {
        connection = try Connection()
        try connection.execute(Self.family)
        try connection.execute("PRAGMA foreign_keys = ON")
    }

    // MARK: The setting

    /// Among the moments is the one at which the setting is read.
    @Test func anInterruptAtAnyMomentLeavesTheSettingAsItIs() throws {
        var moment = 0
        var count = 0
        repeat {
            moment += 1
            count = 0
            connection.progressHandler(every: 1) {
                count += 1
                return count == moment
            }
            let migration = Migration("\(moment)", sql: "SELECT 1")
            let migrator = Migrator(connection: connection, migrations: [migration])
            migrator.editedMigrations = .ignore
            _ = try? migrator.run()
            connection.progressHandler(nil)
            #expect(try enforcesForeignKeys(connection), "interrupted at \(moment)")
            try connection.execute("DROP TABLE IF EXISTS sqift_migrations")
        } while count >= moment
        #expect(moment > 10)
    }

    @Test(arguments: 1...4) func anInterruptOfThePragmaLeavesTheSettingAsItIs(time: Int) throws {
        var times = 0
        connection.trace { [unowned connection] sql in
            guard sql.contains("foreign_keys") else { return }
            times += 1
            if times == time {
                connection.interrupt()
            }
        }
        _ = try? migrate(connection, [Migration("one", sql: "CREATE TABLE one(x)")])
        connection.trace(nil)

        #expect(times > 0)
        #expect(try enforcesForeignKeys(connection))
    }

    @Test func enforcementIsOffWhileAMigrationRunsAndOnAfterwards() throws {
        let seen = SharedNotes<Bool>()
        try migrate(
            connection,
            [
                Migration("one") { seen.note(try enforcesForeignKeys($0)) },
                Migration("two", options: .enforcingForeignKeys) {
                    seen.note(try enforcesForeignKeys($0))
                },
                Migration("three") { seen.note(try enforcesForeignKeys($0)) },
                Migration("four", options: .withoutTransaction) {
                    seen.note(try enforcesForeignKeys($0))
                },
                Migration("five", options: [.withoutTransaction, .enforcingForeignKeys]) {
                    seen.note(try enforcesForeignKeys($0))
                },
            ]
        )
        #expect(seen.all == [false, true, false, false, true])
        #expect(try enforcesForeignKeys(connection))
        #expect(
            sqliteError { try connection.run("INSERT INTO children VALUES(99, 99)") }?.resultCode
                == .constraint
        )
    }

    @Test(arguments: [true, false])
    func theSettingIsRestoredHoweverARunEnds(isEnforced: Bool) throws {
        try connection.execute("PRAGMA foreign_keys = \(isEnforced)")
        let lastOnes = [
            creating("b", named: "a"), Migration("fails", sql: "nonsense"),
            Migration("fails") { _ in throw TestError() }, Migration("fails", sql: "COMMIT"),
            Migration("orphans", sql: "DELETE FROM parents"),
            Migration("fails", sql: "nonsense", options: .enforcingForeignKeys),
            Migration("opens", options: .withoutTransaction) { try $0.run("BEGIN") },
            Migration("switches", sql: "PRAGMA foreign_keys = \(!isEnforced)"),
            Migration(
                "really switches",
                sql: "PRAGMA foreign_keys = \(!isEnforced)",
                options: .withoutTransaction
            ),
        ]
        let runs = lastOnes.map { last in
            { [connection] in _ = try migrate(connection, [creating("a"), last]) }
        }
        let ends: [() throws -> Void] =
            runs + [
                { try migrate(connection, []) },
                { try migrate(connection, [creating("a")]) },
                { try migrate(connection, [creating("a"), creating("b")], upTo: "nowhere") },
                {
                    try connection.migrator([creating("w")]).run(willRun: { _ in throw TestError() }
                    )
                },
                {
                    try connection.migrator([creating("d")]).run(didRun: { _ in throw TestError() })
                },
                { _ = try connection.migrator([creating("r")]).rehearse() },
            ]
        for (index, end) in ends.enumerated() {
            try connection.execute("DROP TABLE IF EXISTS a; DROP TABLE IF EXISTS sqift_migrations")
            try connection.execute("PRAGMA foreign_keys = \(isEnforced)")
            try? end()
            #expect(try enforcesForeignKeys(connection) == isEnforced, "end \(index)")
            #expect(!connection.isInsideTransaction, "end \(index)")
            #expect(try count("children", on: connection) == 3, "end \(index)")
        }
    }

    @Test func aRollbackThatIsHeldUpDoesNotLeaveThemOff() throws {
        try connection.authorizer { action, operation, _, _, _ in
            action == .transaction && operation == "ROLLBACK" ? .deny : .ok
        }
        _ = expectThrows(MigratorError.self) {
            try migrate(connection, [Migration("fails", sql: "nonsense")])
        }
        try connection.authorizer(nil)
        #expect(try count("children", on: connection) == 3)
        #expect(!connection.isInsideTransaction)
        #expect(try enforcesForeignKeys(connection))
    }

    @Test func foreignKeysThatAreOffAreCheckedAllTheSame() throws {
        try connection.execute("PRAGMA foreign_keys = OFF")
        try expectUntouched(connection, .foreignKeyViolations) {
            try migrate(connection, [Migration("orphans", sql: "DELETE FROM parents")])
        }
    }

    // MARK: Violations

    @Test func aNewViolationFailsAndNamesTableRowAndParent() throws {
        let orphans = Migration("orphans", sql: "DELETE FROM parents WHERE id = 2")
        try expectUntouched(
            connection,
            .foreignKeyViolations,
            at: "orphans",
            containing: "orphans",
            "children",
            "20",
            "parents"
        ) {
            try migrate(connection, [orphans, creating("later")])
        }
    }

    @Test func manyViolationsStayAReadableMessage() throws {
        let rows = numbers(to: 500, selecting: "n + 1000, n + 1000")
        let error = try expectUntouched(connection, .foreignKeyViolations) {
            try migrate(connection, [Migration("orphans", sql: "INSERT INTO children \(rows)")])
        }
        #expect((error?.message.count ?? .max) < 2000)
    }

    @Test(arguments: [
        "INSERT INTO children VALUES(30, 3)", "UPDATE children SET parent = 3 WHERE id = 20",
        "UPDATE parents SET id = 3 WHERE id = 2", "DROP TABLE parents",
        "CREATE TABLE more(x REFERENCES parents); INSERT INTO more VALUES(5)",
    ])
    func anyWayToOrphanARowFails(sql: SQL) throws {
        try expectUntouched(connection, .foreignKeyViolations) {
            try migrate(connection, [Migration("orphans", sql: sql)])
        }
        try expectUntouched(connection, .foreignKeyViolations) {
            try migrate(connection, [Migration("orphans") { try $0.execute(sql) }])
        }
    }

    /// As many rows are without a parent as before, but not the same ones.
    @Test(arguments: [
        "DELETE FROM children WHERE id = 90; INSERT INTO children VALUES(91, 9)",
        "UPDATE children SET id = 91 WHERE id = 90",
        "UPDATE children SET parent = 2 WHERE id = 90; UPDATE children SET parent = 9 WHERE id = 10",
    ])
    func oneViolationIsNotExchangedForAnother(sql: SQL) throws {
        try connection.execute(
            "PRAGMA foreign_keys = OFF; INSERT INTO children VALUES(90, 9); PRAGMA foreign_keys = ON"
        )
        try expectUntouched(connection, .foreignKeyViolations) {
            try migrate(connection, [Migration("exchange", sql: sql)])
        }
    }

    @Test func violationsInBetweenAreFine() throws {
        let sql = """
            INSERT INTO children VALUES(30, 3);
            CREATE TABLE new_parents(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            INSERT INTO new_parents SELECT * FROM parents;
            DROP TABLE parents;
            ALTER TABLE new_parents RENAME TO parents;
            INSERT INTO parents VALUES(3, 'Edsger')
            """
        #expect(
            try migrate(connection, [Migration("in between", sql: sql)]).foreignKeyViolations == []
        )
        let children: [Int] = try connection.query("SELECT id FROM children ORDER BY id")
        #expect(children == [10, 11, 20, 30])
        #expect(try connection.foreignKeyViolations() == [])
    }

    @Test func droppingOrRebuildingAParentKeepsItsCascadingChildren() throws {
        let rebuild = Migration("rebuild") { connection in
            try connection.rebuildTable(
                "parents",
                columns: "id INTEGER PRIMARY KEY, name TEXT NOT NULL"
            ) { old, new in
                try connection.run("INSERT INTO \(new) SELECT id, name FROM \(old)")
            }
        }
        let drop = Migration(
            "drop",
            sql: """
                CREATE TEMP TABLE kept AS SELECT * FROM parents;
                DROP TABLE parents;
                CREATE TABLE parents(id INTEGER PRIMARY KEY, name TEXT);
                INSERT INTO parents SELECT * FROM kept;
                DROP TABLE kept
                """
        )
        let replace = Migration(
            "replace",
            sql: "INSERT OR REPLACE INTO parents SELECT id, upper(name) FROM parents"
        )
        try migrate(connection, [rebuild, drop, replace])
        #expect(try count("children", on: connection) == 3)
        #expect(try connection.foreignKeyViolations() == [])
        try connection.run("DELETE FROM parents WHERE id = 1")
        #expect(try count("children", on: connection) == 1)
    }

    // MARK: Enforcement for one migration

    @Test func aMigrationThatEnforcesThemHasTheirActions() throws {
        let deleting = Migration(
            "delete",
            sql: "DELETE FROM parents WHERE id = 1",
            options: .enforcingForeignKeys
        )
        #expect(try migrate(connection, [deleting]).changedRowCount >= 1)
        let children: [Int] = try connection.query("SELECT id FROM children")
        #expect(children == [20])
    }

    @Test func aMigrationThatEnforcesThemMeetsTheirRefusals() throws {
        let inserting = Migration(
            "insert",
            sql: "INSERT INTO children VALUES(30, 3)",
            options: .enforcingForeignKeys
        )
        try expectUntouched(connection, .failed, code: .constraint) {
            try migrate(connection, [inserting])
        }
    }

    // MARK: What SQLite can't check

    @Test func aMismatchThatWasThereBeforeDoesNotMatter() throws {
        try connection.execute(
            """
            PRAGMA foreign_keys = OFF;
            CREATE TABLE loose(x);
            CREATE TABLE loose_children(x REFERENCES loose(x));
            INSERT INTO loose_children VALUES(1);
            PRAGMA foreign_keys = ON
            """
        )
        _ = try #require(sqliteError { _ = try connection.foreignKeyViolations() })
        let migrations = [
            creating("a"), Migration("b", sql: "UPDATE parents SET name = upper(name)"),
            Migration(
                "mended",
                sql: "CREATE UNIQUE INDEX loose_x ON loose(x); INSERT INTO loose VALUES(1)"
            ),
            creating("c"),
        ]
        #expect(try migrate(connection, Array(migrations.prefix(2))).migrations == ["a", "b"])
        #expect(try migrate(connection, migrations).migrations == ["mended", "c"])
        #expect(try enforcesForeignKeys(connection))
        #expect(try connection.foreignKeyViolations() == [])
        try expectUntouched(connection, .foreignKeyViolations) {
            try migrate(connection, migrations + [Migration("orphans", sql: "DELETE FROM parents")])
        }
    }

    @Test func foreignKeysOfAnotherDatabaseAreNotTheMigrators() throws {
        try connection.execute(
            """
            PRAGMA foreign_keys = OFF;
            ATTACH ':memory:' AS other;
            CREATE TABLE other.p(id INTEGER PRIMARY KEY);
            CREATE TABLE other.c(p REFERENCES p);
            INSERT INTO other.c VALUES(1);
            PRAGMA foreign_keys = ON
            """
        )
        #expect(try migrate(connection, [creating("a")]).foreignKeyViolations == [])
    }
}

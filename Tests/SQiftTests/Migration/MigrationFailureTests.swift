import Foundation
import SQift
import SQiftTestSupport
import Testing

// Whatever fails in a migration, and wherever: it is absent, what was before stays, what comes
// later didn't run.
struct MigrationFailureTests {
    private let garage: Garage

    init() throws {
        garage = try Garage()
    }

    @Test(arguments: [
        "INSERT INTO nowhere VALUES(1)", "SELEC 1", "SELECT abs(-9223372036854775808)",
        "INSERT INTO log VALUES(json('{'))",
        "SELECT sum(n) FROM (SELECT 9223372036854775807 AS n UNION ALL SELECT 1)",
    ])
    func aFailureAtAnyStatementUndoesItsMigrationOnly(fault: SQL) throws {
        for (index, stage) in Garage.stages.enumerated() {
            let isAlone = stage.options == .withoutTransaction
            for position in 0...(isAlone ? 0 : stage.parts.count) {
                let connection = try Connection()
                try connection.execute("PRAGMA foreign_keys = ON")
                var migrations = Garage.migrations
                migrations[index] = stage.migration(failingAt: position, with: fault)

                let error = migratorError(.failed, at: stage.name, containing: stage.name) {
                    try migrate(connection, migrations)
                }
                #expect(error?.underlyingError is SQLiteError)
                #expect(
                    try Contents(connection) == garage.states[index],
                    "\(stage.name), \(position)"
                )
                #expect(!connection.isInsideTransaction)
                #expect(try enforcesForeignKeys(connection))

                let report = try migrate(connection, Garage.migrations)
                #expect(report.migrations == Array(Garage.names[index...]))
                #expect(try Contents(connection) == garage.states[Garage.stages.count])
            }
        }
    }

    @Test func aClosureThatThrowsUndoesItsMigration() throws {
        let connection = try Garage.database(after: 2)
        let failing = Migration("fails") { connection in
            try connection.execute("DROP TABLE cars; INSERT INTO log VALUES('dropped')")
            throw TestError(reason: "on purpose")
        }
        let later = creating("later")
        let error = try expectUntouched(connection, .failed) {
            try migrate(connection, Garage.migrations.prefix(2) + [failing, later])
        }
        #expect(error?.underlyingError as? TestError == TestError(reason: "on purpose"))
        #expect(error?.migration == "fails")
    }

    @Test func aTriggerThatRaisesUndoesTheMigration() throws {
        for action in ["ABORT", "FAIL", "ROLLBACK"] {
            let connection = try Garage.database(after: 2)
            try connection.execute(
                """
                CREATE TRIGGER refusing BEFORE INSERT ON log WHEN new.message = 'bad' BEGIN
                    SELECT RAISE(\(action), 'refused');
                END
                """
            )
            let failing = Migration(
                "fails",
                sql: "DELETE FROM cars; INSERT INTO log VALUES('good'), ('bad')"
            )
            let error = try expectUntouched(connection, .failed) {
                try migrate(connection, Garage.migrations.prefix(2) + [failing])
            }
            #expect(error?.message.contains("refused") ?? false, "\(action)")
        }
    }

    @Test func aClosureThatPassesOverALostTransactionHasFailed() throws {
        let connection = try Garage.database(after: 2)
        try connection.execute(
            """
            CREATE TRIGGER refusing BEFORE INSERT ON log WHEN new.message = 'bad' BEGIN
                SELECT RAISE(ROLLBACK, 'refused');
            END
            """
        )
        let failing = Migration("fails") { connection in
            try connection.run("DELETE FROM cars")
            _ = try? connection.run("INSERT INTO log VALUES('bad')")
            _ = try? connection.run("INSERT INTO log VALUES('after it')")
        }
        try expectUntouched(connection, .failed) {
            try migrate(connection, Garage.migrations.prefix(2) + [failing])
        }
    }

    // MARK: COMMIT

    @Test func aCommitThatAHookRefusesUndoesTheMigration() throws {
        for index in 0..<Garage.stages.count
        where Garage.stages[index].options != .withoutTransaction {
            let connection = try Garage.database(after: index)
            connection.commitHook { true }
            try expectUntouched(connection, .failed, at: Garage.names[index], code: .constraint) {
                try migrate(connection, Garage.migrations)
            }
            #expect(try enforcesForeignKeys(connection))

            connection.commitHook(nil)
            try migrate(connection, Garage.migrations)
            #expect(try Contents(connection) == garage.states[Garage.stages.count])
        }
    }

    @Test func aDeferredConstraintThatStaysViolatedUndoesTheMigration() throws {
        for options: Migration.Options in [[], .enforcingForeignKeys] {
            let connection = try Garage.database(after: 2)
            let sql = """
                CREATE TABLE wheels(car INTEGER REFERENCES cars DEFERRABLE INITIALLY DEFERRED);
                INSERT INTO wheels VALUES(77)
                """
            let before = try Contents(connection)
            let error = expectThrows(MigratorError.self) {
                try migrate(
                    connection,
                    Garage.migrations.prefix(2) + [Migration("wheels", sql: sql, options: options)]
                )
            }
            #expect(error?.migration == "wheels")
            #expect(try Contents(connection) == before)
            #expect(!connection.isInsideTransaction)
        }
    }

    // MARK: A full disk

    @Test func aFullDatabaseUndoesTheMigration() throws {
        let folder = try TemporaryFolder()
        for isScript in [true, false] {
            let connection = try Connection(path: folder.path(isScript ? "script" : "closure"))
            try connection.execute("PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON")
            try migrate(connection, Array(Garage.migrations.prefix(2)))
            let sql =
                "DELETE FROM cars; CREATE TABLE big(x); INSERT INTO big VALUES(zeroblob(1000000))"
            let big =
                isScript ? Migration("big", sql: sql) : Migration("big") { try $0.execute(sql) }
            let migrations = Garage.migrations.prefix(2) + [big, creating("later")]
            let pages: Int = try connection.query("PRAGMA page_count")
            try connection.execute("PRAGMA max_page_count = \(pages + 10)")

            try expectUntouched(connection, .failed, code: .full) {
                try migrate(connection, Array(migrations))
            }
            #expect(try enforcesForeignKeys(connection))

            try connection.execute("PRAGMA max_page_count = 100000")
            #expect(try migrate(connection, Array(migrations)).migrations == ["big", "later"])
            try expectRows(0, of: "cars", on: connection)
        }
    }

    @Test func aDatabaseWithoutRoomForTheBookkeepingIsNotMigrated() throws {
        let folder = try TemporaryFolder()
        let connection = try folder.connection()
        try connection.execute("CREATE TABLE t(x); PRAGMA max_page_count = 2")
        try expectUntouched(connection, .failed) {
            try migrate(connection, [Migration("one", sql: "SELECT 1")])
        }
    }

    // MARK: Without a transaction

    @Test func aFirstMigrationWithoutATransactionThatFailsLeavesNothing() throws {
        let connection = try Connection()
        let failing = Migration(
            "alone",
            sql: "INSERT INTO nowhere VALUES(1)",
            options: .withoutTransaction
        )
        try expectUntouched(connection, .failed) { try migrate(connection, [failing]) }
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

// Callbacks, reports and the words of errors.
struct MigrationProgressTests {
    private let connection: Connection
    private static let names = ["a", "b", "c", "d", "e"]
    private static var migrations: [Migration] { names.map { creating($0) } }

    init() throws {
        connection = try Connection()
    }

    private var migrator: Migrator { connection.migrator(Self.migrations) }

    @Test func stepsCountWhatRuns() throws {
        try migrate(connection, Self.migrations, upTo: "b")
        let notes = Notes<String>()
        try migrator.run(willRun: { notes.note("will \($0)") }, didRun: { notes.note("did \($0)") })
        #expect(
            notes.all == [
                "will 1 of 3, c", "did 1 of 3, c", "will 2 of 3, d", "did 2 of 3, d",
                "will 3 of 3, e", "did 3 of 3, e",
            ]
        )
        try migrator.run(willRun: { _ in recordCall() }, didRun: { _ in recordCall() })
    }

    @Test func aStepHasItsParts() throws {
        let steps = Notes<Migrator.Step>()
        try migrator.run(upTo: "c") { steps.note($0) }
        #expect(steps.all.map(\.name) == ["a", "b", "c"])
        #expect(steps.all.map(\.number) == [1, 2, 3])
        #expect(steps.all.map(\.count) == [3, 3, 3])
    }

    @Test func willIsCalledBeforeTheTransactionAndDidAfterTheCommit() throws {
        let folder = try TemporaryFolder()
        let connection = try folder.connection()
        try connection.execute("PRAGMA journal_mode = WAL")
        let other = try folder.connection()
        try connection.migrator(Self.migrations).run(
            willRun: { step in
                #expect(!connection.isInsideTransaction)
                let isThere = try other.tableExists(step.name)
                #expect(!isThere)
            },
            didRun: { step in
                #expect(!connection.isInsideTransaction)
                let isThere = try other.tableExists(step.name)
                let lastName = try recordedNames(on: other)?.last
                #expect(isThere)
                #expect(lastName == step.name)
            }
        )
    }

    @Test func throwingBeforeAMigrationEndsTheRunWithoutIt() throws {
        let thrown = expectThrows(TestError.self) {
            try migrator.run(willRun: { step in
                if step.name == "c" {
                    throw TestError(reason: "not c")
                }
            })
        }
        #expect(thrown == TestError(reason: "not c"))
        #expect(try tables(of: connection) == ["a", "b"])
        #expect(try recordedNames(on: connection) == ["a", "b"])
        #expect(!connection.isInsideTransaction)
        #expect(try migrator.run().migrations == ["c", "d", "e"])
    }

    @Test func throwingAfterAMigrationEndsTheRunWithIt() throws {
        let thrown = expectThrows(TestError.self) {
            try migrator.run(didRun: { step in
                if step.name == "c" {
                    throw TestError(reason: "after c")
                }
            })
        }
        #expect(thrown == TestError(reason: "after c"))
        #expect(try recordedNames(on: connection) == ["a", "b", "c"])
        #expect(try migrator.run().migrations == ["d", "e"])
    }

    @Test func whatTheCallbacksThrowIsRethrownWhateverItIs() throws {
        let error = SQLiteError(code: .full, message: "my own")
        #expect(sqliteError { try migrator.run(willRun: { _ in throw error }) } == error)
        #expect(sqliteError { try migrator.run(didRun: { _ in throw error }) } == error)
        expectThrows(CancellationError.self) {
            try migrator.run(willRun: { _ in throw CancellationError() })
        }
    }

    @Test func whatWillWritesStaysWhateverTheMigrationDoes() throws {
        try connection.execute("CREATE TABLE log(x)")
        let migrations = [creating("a"), Migration("fails", sql: "nonsense")]
        migratorError(.failed) {
            try connection.migrator(migrations)
                .run(willRun: { try connection.run("INSERT INTO log VALUES(?)", $0.name) })
        }
        #expect(try connection.query("SELECT x FROM log") == ["a", "fails"])
    }

    @Test func aFailureCallsNoDid() throws {
        let notes = Notes<String>()
        let migrations = [creating("a"), Migration("fails", sql: "nonsense"), creating("c")]
        migratorError(.failed) {
            try connection.migrator(migrations)
                .run(
                    willRun: { notes.note("will \($0.name)") },
                    didRun: { notes.note("did \($0.name)") }
                )
        }
        #expect(notes.all == ["will a", "did a", "will fails"])
    }

    // MARK: Errors

    @Test func anErrorNamesTheMigrationTheLineAndTheByte() throws {
        let sql =
            "-- Ünïcödé\nCREATE TABLE good(x);\n\nINSERT INTO good VALUES('é'); INSERT INTO bad VALUES(1);\n"
        let error = try #require(
            expectUntouched(connection, .failed) {
                try migrate(connection, [Migration("one", sql: sql)])
            }
        )
        #expect(error.migration == "one")
        #expect(error.message.contains("one"))
        #expect(error.message.contains("line 4"))
        #expect(error.message.contains("no such table"))
        #expect(error.description == error.message)
        #expect(error.localizedDescription == error.message)
        let underlying = try #require(error.underlyingError as? SQLiteError)
        let place = try #require(sql.range(of: "INSERT INTO bad"))
        #expect(underlying.offset == sql.utf8.distance(from: sql.startIndex, to: place.lowerBound))
    }

    @Test func anErrorNamesTheLineOfAStatementThatFailsWhenItRuns() throws {
        let sql =
            "CREATE TABLE t(x UNIQUE);\nINSERT INTO t VALUES(1);\n\n-- The same.\nINSERT INTO t\nVALUES(1);"
        let error = migratorError(.failed, containing: "line 5") {
            try migrate(connection, [Migration("one", sql: sql)])
        }
        #expect((error?.underlyingError as? SQLiteError)?.extendedResultCode == .constraintUnique)
        #expect(
            (error?.underlyingError as? SQLiteError)?.offset == sql.utf8.count
                - "INSERT INTO t\nVALUES(1);".utf8.count
        )
    }

    @Test(arguments: ["\n", "\r\n"])
    func anErrorInAFileNamesTheFile(lineEnd: String) throws {
        for mark in ["", "\u{FEFF}"] {
            let text =
                mark
                + ["CREATE TABLE t(x);", "", "SELECT * FROM nowhere;", ""].joined(
                    separator: lineEnd
                )
            let folder = try MigrationFolder(["7-people.sql": text])
            let error = try expectUntouched(
                connection,
                .failed,
                at: "7-people",
                containing: folder.folder.path("7-people.sql"),
                "line 3"
            ) {
                try migrate(connection, folder.load())
            }
            let underlying = try #require(error?.underlyingError as? SQLiteError)
            // The token, or else the statement.
            let places = try ["nowhere", "SELECT"].map { word in
                let place = try #require(text.range(of: word))
                return text.utf8.distance(from: text.startIndex, to: place.lowerBound)
            }
            #expect(places.contains(try #require(underlying.offset)), "\(underlying)")
        }
    }

    @Test func anErrorOfAClosureNamesItsSQLToo() throws {
        let migration = Migration("closure") { try $0.run("INSERT INTO nowhere VALUES(?)", 1) }
        let error = migratorError(.failed, containing: "closure", "nowhere") {
            try migrate(connection, [migration])
        }
        #expect((error?.underlyingError as? SQLiteError)?.sql == "INSERT INTO nowhere VALUES(?)")
    }

    // MARK: Reports

    @Test func aRunReportsTheRowsAndTheSchema() throws {
        try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1), (2), (3)")
        let report = try migrate(
            connection,
            [
                Migration(
                    "rows",
                    sql:
                        "UPDATE t SET x = x + 1; DELETE FROM t WHERE x = 4; INSERT INTO t VALUES(5)"
                ),
                Migration("view") { try $0.run("CREATE VIEW v AS SELECT * FROM t") },
                Migration("comes and goes", sql: "CREATE TABLE u(x); DROP TABLE u"),
            ]
        )
        #expect(report.migrations == ["rows", "view", "comes and goes"])
        #expect(report.changedRowCount == 5)
        #expect(report.schemaChanges.map(\.description) == ["new view v"])
        #expect(report.foreignKeyViolations == [])
    }
}

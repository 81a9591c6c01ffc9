import Foundation
import SQiftTestSupport
import Testing

import SQift

// The numbered form of SQift 5.1.
struct NumberedMigrationTests {
    private let connection: Connection
    private static let scripts: [UInt64: SQL] = [
        1:
            "CREATE TABLE agents(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO agents VALUES(1, 'Archer')",
        2: "ALTER TABLE agents ADD COLUMN missions INTEGER; UPDATE agents SET missions = 485",
        3:
            "CREATE INDEX agents_by_name ON agents(name); INSERT INTO agents VALUES(2, 'Lana', 2315)",
    ]

    init() throws {
        connection = try Connection()
    }

    /// A form in which migrations can be handed over.
    enum Form: CaseIterable {
        case sql, closure

        func run(
            _ migrator: Migrator,
            _ scripts: [UInt64: SQL] = NumberedMigrationTests.scripts,
            will: ((UInt64) -> Void)? = nil,
            did: ((UInt64) -> Void)? = nil
        ) throws -> UInt64 {
            switch self {
            case .sql:
                try migrator.runMigrationsIfNecessary(
                    migrationSQLForSchemaVersion: { scripts[$0] ?? "no SQL for \($0)" },
                    willMigrateToSchemaVersion: will,
                    didMigrateToSchemaVersion: did
                )
            case .closure:
                try migrator.runMigrationsIfNecessary(
                    migrateDatabaseToSchemaVersion: { version, connection in
                        // A transaction of its own, as 5.1's form needed.
                        try connection.transaction {
                            try connection.execute(scripts[version] ?? "no SQL")
                        }
                    },
                    willMigrateToSchemaVersion: will,
                    didMigrateToSchemaVersion: did
                )
            }
        }
    }

    private func migrator(to version: UInt64) -> Migrator {
        Migrator(connection: connection, desiredSchemaVersion: version)
    }

    private func versions() throws -> [Int] {
        try connection.query("SELECT version FROM schema_migrations")
    }

    /// What the same scripts make without a migrator.
    private func expected(_ version: UInt64) throws -> [String] {
        let connection = try Connection()
        for number in 0..<version {
            try connection.execute(Self.scripts[number + 1] ?? "")
        }
        return try Contents(connection).schema + [
            Contents(connection).rows["agents"]?.description ?? ""
        ]
    }

    private func actual() throws -> [String] {
        try Contents(connection).schema + [Contents(connection).rows["agents"]?.description ?? ""]
    }

    @Test(arguments: Form.allCases)
    func versionsRunInOrderAndOnce(form: Form) throws {
        let migrator = migrator(to: 3)
        #expect(migrator.desiredSchemaVersion == 3)
        #expect(migrator.currentSchemaVersion == 0)
        #expect(migrator.migrationRequired)

        let notes = Notes<String>()
        let count = try form.run(
            migrator,
            will: { notes.note("will \($0)") },
            did: { notes.note("did \($0)") }
        )
        #expect(count == 3)
        #expect(notes.take() == ["will 1", "did 1", "will 2", "did 2", "will 3", "did 3"])
        #expect(try actual() == expected(3))
        #expect(try versions() == [1, 2, 3])
        #expect(migrator.currentSchemaVersion == 3)
        #expect(!migrator.migrationRequired)

        let again = try form.run(
            migrator,
            will: { notes.note("will \($0)") },
            did: { notes.note("did \($0)") }
        )
        #expect(again == 0)
        #expect(notes.take() == [])
        #expect(try versions() == [1, 2, 3])
    }

    @Test(arguments: Form.allCases)
    func fromOneToThreeRunsExactlyTwoAndThree(form: Form) throws {
        #expect(try form.run(migrator(to: 1)) == 1)
        #expect(try actual() == expected(1))
        let notes = Notes<UInt64>()
        #expect(try form.run(migrator(to: 3), will: { notes.note($0) }) == 2)
        #expect(notes.all == [2, 3])
        #expect(try actual() == expected(3))
    }

    @Test(arguments: Form.allCases)
    func willIsCalledBeforeAndDidAfter(form: Form) throws {
        _ = try form.run(migrator(to: 1))
        let seen = Notes<Int>()
        let columns = { (try? connection.columns(in: "agents").count) ?? 0 }
        _ = try form.run(
            migrator(to: 2),
            will: { _ in seen.note(columns()) },
            did: { _ in
                seen.note(columns())
                #expect(!connection.isInsideTransaction)
            }
        )
        #expect(seen.all == [2, 3])
    }

    @Test(arguments: Form.allCases)
    func aVersionThatFailsLeavesTheOneBefore(form: Form) throws {
        for fault in [
            "INSERT INTO nowhere VALUES(1)", "INSERT INTO agents VALUES(1, 'Cyril', 0)", "nonsense",
        ] {
            let connection = try Connection()
            let migrator = Migrator(connection: connection, desiredSchemaVersion: 3)
            var scripts = Self.scripts
            scripts[2]?.append("; \(fault)")
            let notes = Notes<String>()
            let error = sqliteError {
                try form.run(
                    migrator,
                    scripts,
                    will: { notes.note("will \($0)") },
                    did: { notes.note("did \($0)") }
                )
            }
            #expect(error != nil)
            #expect(notes.all == ["will 1", "did 1", "will 2"])
            #expect(migrator.currentSchemaVersion == 1)
            #expect(!connection.isInsideTransaction)
            let contents = try Contents(connection)
            #expect(
                try contents.schema + [contents.rows["agents"]?.description ?? ""] == expected(1)
            )

            #expect(try form.run(migrator) == 2)
            #expect(migrator.currentSchemaVersion == 3)
        }
    }

    @Test func aClosureThatThrowsIsUndoneAndItsErrorRethrown() throws {
        try connection.execute("CREATE TABLE t(x)")
        let thrown = expectThrows(TestError.self) {
            try migrator(to: 1).runMigrationsIfNecessary(migrateDatabaseToSchemaVersion: {
                _,
                connection in
                try connection.execute("INSERT INTO t VALUES(1); CREATE TABLE u(x)")
                throw TestError(reason: "on purpose")
            })
        }
        #expect(thrown == TestError(reason: "on purpose"))
        #expect(try tables(of: connection) == ["t"])
        #expect(try count("t", on: connection) == 0)
        #expect(migrator(to: 1).currentSchemaVersion == 0)
    }

    @Test(arguments: Form.allCases)
    func aCommitThatFailsLeavesTheVersionBefore(form: Form) throws {
        _ = try form.run(migrator(to: 1))
        connection.commitHook { true }
        let error = expectThrows((any Error).self) { try form.run(migrator(to: 3)) }
        #expect(error != nil)
        connection.commitHook(nil)
        #expect(try actual() == expected(1))
        #expect(try versions() == [1])
    }

    @Test(arguments: Form.allCases)
    func aNewerDatabaseIsRefusedBeforeAnyChange(form: Form) throws {
        _ = try form.run(migrator(to: 3))
        try expectUntouched(connection, .databaseIsNewer, containing: "3") {
            _ = try form.run(migrator(to: 2), will: { _ in recordCall() })
        }
        #expect(migrator(to: 2).currentSchemaVersion == 3)
        #expect(!migrator(to: 2).migrationRequired)
    }

    @Test(arguments: Form.allCases)
    func aDatabaseOfSQift51IsTakenOver(form: Form) throws {
        try connection.execute(
            """
            CREATE TABLE schema_migrations(version INTEGER UNIQUE NOT NULL, migration_timestamp TEXT NOT NULL);
            \(Self.scripts[1] ?? "");
            INSERT INTO schema_migrations VALUES(1, '2017-03-09T10:11:12.345')
            """
        )
        #expect(migrator(to: 3).currentSchemaVersion == 1)
        #expect(try form.run(migrator(to: 3)) == 2)
        #expect(try versions() == [1, 2, 3])
        #expect(try actual() == expected(3))
        #expect(
            try connection.query(
                "SELECT migration_timestamp FROM schema_migrations WHERE version = 1"
            ) == "2017-03-09T10:11:12.345"
        )
    }

    @Test(arguments: Form.allCases)
    func theTableIsAsSQift51MadeIt(form: Form) throws {
        _ = try form.run(migrator(to: 2))
        let columns = try connection.columns(in: "schema_migrations")
        #expect(columns.map(\.name) == ["version", "migration_timestamp"])
        #expect(columns.map(\.declaredType) == ["INTEGER", "TEXT"])
        #expect(columns.map(\.isNotNull) == [true, true])
        #expect(try connection.indexes(on: "schema_migrations").map(\.isUnique) == [true])
        // How 5.1 goes on with it.
        try connection.run("INSERT INTO schema_migrations VALUES(?, ?)", 3, Date())
        #expect(migrator(to: 3).currentSchemaVersion == 3)
        let timestamps: [Date] = try connection.query(
            "SELECT migration_timestamp FROM schema_migrations"
        )
        #expect(timestamps.count == 3)
        #expect(timestamps.allSatisfy { abs($0.timeIntervalSinceNow) < 3600 })
    }

    @Test(arguments: [
        "CREATE TABLE schema_migrations(version VARCHAR NOT NULL PRIMARY KEY)",
        "CREATE TABLE schema_migrations(version BIGINT NOT NULL PRIMARY KEY, dirty BOOLEAN NOT NULL)",
        "CREATE TABLE schema_migrations(id INTEGER, version INTEGER, migration_timestamp TEXT)",
    ])
    func anotherToolsTableIsRefusedUntouched(table: SQL) throws {
        try connection.execute(table)
        for form in Form.allCases {
            try expectUntouched(connection, .inconsistent, containing: "schema_migrations") {
                _ = try form.run(migrator(to: 3))
            }
        }
        #expect(migrator(to: 3).currentSchemaVersion == 0)
    }

    @Test func versionZeroNeedsNothing() throws {
        #expect(!migrator(to: 0).migrationRequired)
        #expect(try Form.sql.run(migrator(to: 0)) == 0)
        #expect(try Form.closure.run(migrator(to: 0)) == 0)
        #expect(try tables(of: connection) == [])
    }

    @Test(arguments: Form.allCases)
    func aTransactionOfItsOwnIsDeniedToAVersion(form: Form) throws {
        for statement in ["COMMIT", "ROLLBACK", "BEGIN", "END"] {
            let connection = try Connection()
            let migrator = Migrator(connection: connection, desiredSchemaVersion: 1)
            let error = expectThrows((any Error).self) {
                _ = try form.run(
                    migrator,
                    [1: "CREATE TABLE t(x); \(statement); CREATE TABLE u(x)"]
                )
            }
            #expect(error != nil)
            #expect(try tables(of: connection) == [])
            #expect(migrator.currentSchemaVersion == 0)
            #expect(!connection.isInsideTransaction)
        }
    }

    @Test(arguments: Form.allCases)
    func aMigratorInATransactionThrows(form: Form) throws {
        try connection.execute("BEGIN")
        migratorError(.insideTransaction) { _ = try form.run(migrator(to: 3)) }
        #expect(connection.isInsideTransaction)
        try connection.execute("ROLLBACK")
        #expect(try form.run(migrator(to: 3)) == 3)
    }

    @Test(arguments: Form.allCases)
    func foreignKeysAreCheckedAndRestored(form: Form) throws {
        try connection.execute("PRAGMA foreign_keys = ON")
        let parents =
            "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(p INTEGER REFERENCES p ON DELETE CASCADE)"
        var scripts: [UInt64: SQL] = [
            1: "\(parents); INSERT INTO p VALUES(1); INSERT INTO c VALUES(1)"
        ]
        scripts[2] = "DELETE FROM p"
        let migrator = migrator(to: 2)
        migratorError(.foreignKeyViolations, containing: "main.c") {
            _ = try form.run(migrator, scripts)
        }
        #expect(migrator.currentSchemaVersion == 1)
        #expect(try count("p", on: connection) == 1)
        #expect(try count("c", on: connection) == 1)
        #expect(try enforcesForeignKeys(connection))

        scripts[2] =
            "DROP TABLE p; CREATE TABLE p(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO p(id) VALUES(1)"
        #expect(try form.run(migrator, scripts) == 1)
        #expect(try count("c", on: connection) == 1)
        #expect(try enforcesForeignKeys(connection))
    }

    @Test(arguments: Form.allCases)
    func aVersionThatOrphansRowsIsNamed(form: Form) throws {
        let scripts: [UInt64: SQL] = [
            1: "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(p REFERENCES p)",
            2: "INSERT INTO c VALUES(9)",
        ]
        migratorError(.foreignKeyViolations, containing: "2") {
            _ = try form.run(migrator(to: 3), scripts)
        }
    }

    @Test func aSubclassMayWatch() throws {
        class Watching: Migrator {
            var runs = 0

            override var currentSchemaVersion: UInt64 { super.currentSchemaVersion }

            override func runMigrationsIfNecessary(
                migrationSQLForSchemaVersion: (UInt64) -> String,
                willMigrateToSchemaVersion: ((UInt64) -> Void)? = nil,
                didMigrateToSchemaVersion: ((UInt64) -> Void)? = nil
            ) throws -> UInt64 {
                runs += 1
                return try super.runMigrationsIfNecessary(
                    migrationSQLForSchemaVersion: migrationSQLForSchemaVersion,
                    willMigrateToSchemaVersion: willMigrateToSchemaVersion,
                    didMigrateToSchemaVersion: didMigrateToSchemaVersion
                )
            }
        }
        let migrator = Watching(connection: connection, desiredSchemaVersion: 3)
        #expect(try Form.sql.run(migrator) == 3)
        #expect(migrator.runs == 1)
        #expect(migrator.currentSchemaVersion == 3)
    }
}

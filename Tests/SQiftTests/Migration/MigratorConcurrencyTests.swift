import Foundation
import SQift
import SQiftTestSupport
import Testing

extension CopySuites {
    // Several processes that start at once, each with a connection of its own to the same file.
    struct MigratorConcurrencyTests {
        private let folder = TemporaryFolder.fresh
        private let path: String

        init() throws {
            path = folder.path()
        }

        private static func open(_ path: String, journalMode: String? = nil) throws -> Connection {
            let connection = try Connection(path: path)
            // The first one to read an old WAL locks it, and the migrator is to wait in its own way
            // later.
            try connection.busyHandler(.timeout(patience))
            try connection.execute("PRAGMA synchronous = OFF")
            if let journalMode {
                try connection.execute("PRAGMA journal_mode = \(journalMode)")
            }
            try connection.busyHandler(.defaultBehavior)
            return connection
        }

        @Test(arguments: ["WAL", "DELETE"])
        func twoThatStartAtOnceRunEachMigrationOnce(journalMode: String) async throws {
            let garage = try Garage()
            for round in 0..<10 {
                let path = folder.path("\(journalMode)-\(round)")
                try Self.open(path, journalMode: journalMode).close()
                let barrier = Barrier(of: 2)
                let runs = SharedNotes<String>()
                let migrations = Garage.stages.map { stage in
                    // Only what runs in a transaction runs once for certain.
                    let options = stage.options.subtracting(.withoutTransaction)
                    return Migration(stage.name, options: options) { connection in
                        runs.note(stage.name)
                        if stage.parts != ["VACUUM"] {
                            try stage.runByHand(on: connection)
                        }
                    }
                }
                let workers = (0..<2).map { _ in
                    Worker {
                        let connection = try Self.open(path)
                        let migrator = connection.migrator(migrations)
                        migrator.busyTimeout = patience
                        barrier.wait()
                        let names = try migrator.run().migrations
                        try connection.close()
                        return names
                    }
                }
                var reported: [String] = []
                for worker in workers {
                    reported += try await worker.finalValue()
                }
                #expect(reported.sorted() == Garage.names.sorted())
                #expect(runs.all == Garage.names)
                let connection = try Self.open(path)
                #expect(try Contents(connection) == garage.states[Garage.stages.count])
                try expectSound(connection)
            }
        }

        @Test func twoNumberedMigratorsRunEachVersionOnce() async throws {
            for round in 0..<10 {
                let path = folder.path("\(round)")
                try Self.open(path, journalMode: "WAL").close()
                let (barrier, runs) = (Barrier(of: 2), SharedNotes<UInt64>())
                let workers = (0..<2).map { _ in
                    Worker {
                        let connection = try Self.open(path)
                        let migrator = Migrator(connection: connection, desiredSchemaVersion: 5)
                        migrator.busyTimeout = patience
                        barrier.wait()
                        return try migrator.runMigrationsIfNecessary(
                            migrateDatabaseToSchemaVersion: {
                                runs.note($0)
                                try $1.execute("CREATE TABLE t\($0)(x)")
                            })
                    }
                }
                var count: UInt64 = 0
                for worker in workers {
                    count += try await worker.finalValue()
                }
                #expect(count == 5)
                #expect(runs.all == [1, 2, 3, 4, 5])
                #expect(try tables(of: Self.open(path)) == ["t1", "t2", "t3", "t4", "t5"])
            }
        }

        @Test(arguments: ["WAL", "DELETE"])
        func aHeldWriteLockIsWaitedFor(journalMode: String) async throws {
            let holder = try Self.open(path, journalMode: journalMode)
            try holder.execute("BEGIN IMMEDIATE; CREATE TABLE held(x)")
            let path = path
            let worker = Worker {
                let connection = try Self.open(path)
                let migrator = connection.migrator([creating("a")])
                migrator.busyTimeout = patience
                return try migrator.run().migrations
            }
            worker.waitUntilBlocked()
            #expect(!worker.isFinished)
            try holder.execute("COMMIT")
            #expect(try await worker.finalValue() == ["a"])
            #expect(try tables(of: holder) == ["a", "held"])
        }

        @Test func onAQueueItIsWaitedForTooAfterAPragmaHasSwitchedTheTimeoutOff() async throws {
            let holder = try Self.open(path, journalMode: "WAL")
            try holder.execute("BEGIN IMMEDIATE; CREATE TABLE held(x)")
            let connection = try Self.open(path)
            try connection.busyHandler(.timeout(patience))
            let queue = ConnectionQueue(connection: connection)
            let worker = Worker {
                try queue.execute { connection in
                    try connection.execute("PRAGMA busy_timeout = 0")
                    let migrator = connection.migrator([creating("a")])
                    migrator.busyTimeout = patience
                    return try migrator.run().migrations
                }
            }
            worker.waitUntilBlocked()
            #expect(!worker.isFinished)
            try holder.execute("COMMIT")
            #expect(try await worker.finalValue() == ["a"])
        }

        @Test func theWaitEndsAfterTheBusyTimeout() throws {
            let holder = try Self.open(path, journalMode: "WAL")
            let connection = try Self.open(path)
            try connection.execute("PRAGMA foreign_keys = ON")
            try holder.execute("BEGIN IMMEDIATE")
            let migrator = connection.migrator([creating("a")])
            #expect(migrator.busyTimeout == 5)
            migrator.busyTimeout = 0.05
            let start = Date()
            migratorError(.failed, at: "a", code: .busy) {
                try migrator.run(didRun: { _ in recordCall() })
            }
            #expect(Date().timeIntervalSince(start) < patience)
            #expect(!connection.isInsideTransaction)
            #expect(try enforcesForeignKeys(connection))
            #expect(try connection.query("PRAGMA busy_timeout") == 0)
            try holder.execute("ROLLBACK")
            #expect(try tables(of: connection) == [])
            #expect(try migrator.run().migrations == ["a"])
            #expect(try connection.query("PRAGMA busy_timeout") == 0)
        }

        @Test func theConnectionsOwnWayToWaitIsKept() throws {
            let holder = try Self.open(path, journalMode: "WAL")
            let connection = try Self.open(path)
            try holder.execute("BEGIN IMMEDIATE")
            let calls = Notes<Int32>()
            try connection.busyHandler(
                .custom { count in
                    calls.note(count)
                    return count < 3
                }
            )
            let migrator = connection.migrator([creating("a")])
            migrator.busyTimeout = 10 * patience
            migratorError(.failed) { try migrator.run() }
            #expect(calls.take() == [0, 1, 2, 3])
            expectSQLiteError(.busy) { try connection.run("CREATE TABLE b(x)") }
            #expect(calls.take() == [0, 1, 2, 3])

            try connection.busyHandler(.timeout(0.02))
            migratorError(.failed) { try migrator.run() }
            #expect(try connection.query("PRAGMA busy_timeout") == 20)
        }

        @Test func whatTheOtherHasDoneMeanwhileIsSkipped() throws {
            let (one, other) = (try Self.open(path, journalMode: "WAL"), try Self.open(path))
            let migrations = [creating("a"), creating("b"), creating("c")]
            let first = one.migrator(migrations)
            let second = other.migrator(migrations)
            var steps: [String] = []
            // After its first migration the other process does all the rest.
            let report = try first.run(didRun: { step in
                steps.append(step.name)
                guard step.name == "a" else { return }
                let rest = try second.run().migrations
                #expect(rest == ["b", "c"])
            })
            #expect(report.migrations == ["a"])
            #expect(steps == ["a"])
            #expect(try recordedNames(on: one) == ["a", "b", "c"])
        }

        /// Runs the migrations of a program, and those of another one before its first.
        @discardableResult private func run(
            _ migrations: [Migration],
            whileOther others: [Migration]...
        ) throws -> Migrator.Report {
            let other = try Self.open(path)
            return try Migrator(connection: Self.open(path), migrations: migrations).run(
                willRun: { step in
                    guard step.number == 1 else { return }
                    for migrations in others {
                        try migrate(other, migrations)
                    }
                }
            )
        }

        @Test func aNewerProgramsMigrationsMeanwhileEndTheRun() throws {
            let (a, b) = (creating("a"), creating("b"))
            migratorError(.databaseIsNewer) { try run([a], whileOther: [a, creating("new")]) }
            try Self.open(path).execute("DROP TABLE a; DELETE FROM sqift_migrations")
            let others = [a, creating("other")]
            migratorError(.databaseIsNewer) { try run([a, b], whileOther: others) }
            #expect(try tables(of: Self.open(path)) == ["a", "new", "other"])
        }

        @Test func aSquashMeanwhileLetsNoMigrationRunAgain() throws {
            let a = creating("a")
            let seed = Migration("seed", sql: "INSERT INTO a VALUES(7)")
            let squash = Migration(
                "base",
                sql: "CREATE TABLE a(x); INSERT INTO a VALUES(7)",
                replaces: [["a", "seed"]]
            )
            try migrate(Self.open(path), [a])
            migratorError(.databaseIsNewer) {
                try run([a, seed], whileOther: [a, seed], [squash])
            }
            #expect(try Self.open(path).query("SELECT count(*) FROM a") == 1)
        }

        @Test func whatAnotherProcessDidIsNotInTheReport() throws {
            let migrations = [creating("a"), creating("b")]
            let report = try run(migrations, whileOther: migrations)
            #expect(report.migrations == [])
            #expect(report.schemaChanges == [])
            #expect(report.changedRowCount == 0)
        }

        @Test func aRecordOfAnotherProcessIsNotCountedAsARow() throws {
            let vacuum = Migration("v", sql: "VACUUM", options: .withoutTransaction)
            let both = Migration("v", options: .withoutTransaction) { [path] connection in
                try migrate(Connection(path: path), [vacuum])
                try connection.run("VACUUM")
            }
            #expect(try migrate(Self.open(path), [both]).changedRowCount == 0)
        }

        /// SQLite itself doesn't wait for a reader to end.
        @Test func aChangeOfTheJournalModeIsTriedAgain() throws {
            try Self.open(path, journalMode: "WAL").execute("CREATE TABLE t(x)")
            let reader = try Self.open(path)
            let rows = try reader.cursor("SELECT name FROM sqlite_schema")
            _ = try rows.next()
            let connection = try Self.open(path)
            var attempts = 0
            connection.trace { sql in
                guard sql == "PRAGMA journal_mode = DELETE" else { return }
                attempts += 1
                if attempts == 2 {
                    rows.close()
                    try? reader.close()
                }
            }
            let migration = Migration(
                "delete",
                sql: "PRAGMA journal_mode = DELETE",
                options: .withoutTransaction
            )
            try migrate(connection, [migration])
            #expect(attempts == 2)
            #expect(try connection.query("PRAGMA journal_mode") == "delete")
        }

        // MARK: Read-only

        private func readOnly() throws -> Connection {
            return try Connection.open(path) { $0.readOnly = true }
        }

        @Test func aReadOnlyConnectionAnswersWhatIsPending() throws {
            let writer = try Self.open(path)
            try writer.execute("CREATE TABLE t(x)")
            let migrations = [creating("a"), creating("b")]
            let reader = try readOnly()
            let migrator = reader.migrator(migrations)
            #expect(try migrator.pending() == ["a", "b"])
            #expect(try migrator.applied() == [])

            let before = try bytes(of: path)
            migratorError(.readOnly, containing: "a", "b") {
                try migrator.run(willRun: { _ in recordCall() })
            }
            let backup = folder.path("backup")
            migratorError(.readOnly) { try migrator.run(backupTo: .onDisk(backup)) }
            #expect(!FileManager.default.fileExists(atPath: backup))
            #expect(try bytes(of: path) == before)
            #expect(try migrator.rehearse().migrations == ["a", "b"])

            try migrate(writer, migrations)
            #expect(try migrator.pending() == [])
            #expect(try migrator.run().migrations == [])
            #expect(!FileManager.default.fileExists(atPath: path + "-journal"))
        }

        @Test func aReadOnlyConnectionHearsOfANewerDatabase() throws {
            try migrate(Self.open(path), [creating("a"), creating("b")])
            let reader = try readOnly()
            migratorError(.databaseIsNewer) { try migrate(reader, [creating("a"), creating("c")]) }
        }

        @Test func aReadOnlyConnectionKnowsItsVersion() throws {
            let writer = try Self.open(path)
            try Migrator(connection: writer, desiredSchemaVersion: 1)
                .runMigrationsIfNecessary(migrationSQLForSchemaVersion: { _ in "CREATE TABLE t(x)" }
                )
            let reader = try readOnly()
            #expect(Migrator(connection: reader, desiredSchemaVersion: 2).migrationRequired)
            let same = Migrator(connection: reader, desiredSchemaVersion: 1)
            #expect(
                try same.runMigrationsIfNecessary(migrationSQLForSchemaVersion: { _ in "nonsense" })
                    == 0
            )
        }
    }
}

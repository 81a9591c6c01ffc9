import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    // Migrations through a `Database`.
    struct DatabaseMigrationTests {
        private let folder = TemporaryFolder.fresh

        private static let family = Migration(
            "family",
            sql: """
                CREATE TABLE t(x);
                CREATE TABLE parents(id INTEGER PRIMARY KEY);
                CREATE TABLE children(parent REFERENCES parents ON DELETE CASCADE);
                INSERT INTO parents VALUES(1), (2);
                INSERT INTO children VALUES(1), (2), (2)
                """
        )
        private static let rebuild = Migration("rebuild") { connection in
            try connection.rebuildTable("parents", columns: "id INTEGER PRIMARY KEY, name TEXT") {
                old,
                new in
                try connection.run("INSERT INTO \(new)(id) SELECT id FROM \(old)")
            }
        }

        private func expectForeignKeys(
            of database: Database,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let isEnforced = try database.executeWrite { try enforcesForeignKeys($0) }
            #expect(isEnforced, sourceLocation: sourceLocation)
        }

        @Test func aDatabaseMigratesBlocking() throws {
            let database = try folder.open()
            let report = try database.writeWithoutTransaction { connection in
                try connection.migrator([Self.family, Self.rebuild]).run()
            }
            #expect(report.migrations == ["family", "rebuild"])
            #expect(try database.read { try count("children", on: $0) } == 3)
            try expectForeignKeys(of: database)
            let columns = try database.read { try $0.columns(in: "parents").map(\.name) }
            #expect(columns == ["id", "name"])
        }

        @Test func aDatabaseMigratesAsynchronously() async throws {
            let database = try folder.open()
            let report = try await database.writeWithoutTransaction { connection in
                try connection.migrator([Self.family, Self.rebuild]).run()
            }
            #expect(report.migrations == ["family", "rebuild"])
            try await database.writeWithoutTransaction { connection in
                try connection.migrator([Self.family, Self.rebuild]).run()
            }
            let children = try await database.read { try count("children", on: $0) }
            #expect(children == 3)
            #expect(try await database.writeWithoutTransaction { try enforcesForeignKeys($0) })
        }

        @Test func aDatabaseInMemoryMigrates() throws {
            let database = try Database.inMemory()
            try database.writeWithoutTransaction { try migrate($0, [Self.family, Self.rebuild]) }
            #expect(try database.read { try count("children", on: $0) } == 3)
            try expectForeignKeys(of: database)
        }

        @Test func aMigratorInAWriteThrows() throws {
            let database = try folder.open()
            let error = expectThrows(MigratorError.self) {
                _ = try database.write { try migrate($0, [Self.family]) }
            }
            #expect(error?.reason == .insideTransaction)
            let reason = expectThrows(MigratorError.self) {
                _ = try database.read { try migrate($0, [Self.family]) }
            }?
            .reason
            #expect(reason == .insideTransaction)
            #expect(try database.read { try tables(of: $0) } == [])
        }

        @Test func aMigrationThatFailsLeavesTheDatabaseUsable() throws {
            let database = try folder.open()
            let error = expectThrows(MigratorError.self) {
                _ = try database.writeWithoutTransaction { connection in
                    try migrate(
                        connection,
                        [Self.family, Migration("orphans", sql: "DELETE FROM parents")]
                    )
                }
            }
            #expect(error?.reason == .foreignKeyViolations)
            try expectForeignKeys(of: database)
            try database.add(1)
            try expectRows(1, in: database)
            expectSQLiteError { try database.run("INSERT INTO children VALUES(9)") }
        }

        @Test func withoutATransactionTheJournalModeAndTheSizeCanChange() throws {
            let database = try folder.open()
            try database.writeWithoutTransaction { connection in
                try migrate(
                    connection,
                    [
                        Self.family,
                        Migration("compact", sql: "VACUUM", options: .withoutTransaction),
                        Self.rebuild,
                    ]
                )
            }
            #expect(try database.read { try count("children", on: $0) } == 3)
        }

        @Test func readersSeeTheOldStateOrTheNewOne() async throws {
            let database = try folder.open { $0.maximumReaderCount = 2 }
            try await database.writeWithoutTransaction { try migrate($0, [Self.family]) }
            let isMigrated = Gate()
            let readers = (0..<2).map { _ in
                Worker {
                    var states: Set<[Int]> = []
                    while true {
                        let isLast = isMigrated.isOpen
                        let state = try database.read { connection in
                            // Two questions, one snapshot.
                            let columns = try connection.columns(in: "parents").count
                            return [
                                columns, try count("children", on: connection),
                                try tables(of: connection).count,
                            ]
                        }
                        states.insert(state)
                        if isLast {
                            return states
                        }
                    }
                }
            }
            let growing = Migration("grow") { connection in
                for number in 0..<200 {
                    try connection.run("INSERT INTO parents(id) VALUES(?)", number + 10)
                    try connection.run("INSERT INTO children VALUES(?)", number + 10)
                }
                try connection.run("CREATE TABLE grown(x)")
            }
            try await database.writeWithoutTransaction {
                try migrate($0, [Self.family, Self.rebuild, growing])
            }
            isMigrated.open()
            for reader in readers {
                let states = try await reader.finalValue()
                #expect(states.isSubset(of: [[1, 3, 3], [2, 3, 3], [2, 203, 4]]))
                #expect(states.contains([2, 203, 4]))
            }
        }

        // MARK: Cancellation

        @Test func aCancelledMigrationIsAbsentAndTheDatabaseUsable() async throws {
            let database = try folder.open()
            try await database.writeWithoutTransaction { try migrate($0, [Self.family]) }
            let started = Gate()
            let endless = Migration("endless") { connection in
                try connection.run("DELETE FROM children")
                try runEndlessQuery(on: connection, opening: started)
            }
            let task = Task {
                try await database.writeWithoutTransaction { connection in
                    try migrate(connection, [Self.family, endless, creating("later")])
                }
            }
            await started.opened()
            task.cancel()
            let result = await task.result
            expectThrows((any Error).self) { try result.get() }
            let children = try await database.read { try count("children", on: $0) }
            #expect(children == 3)
            #expect(try await database.read { try recordedNames(on: $0) } == ["family"])
            #expect(try await database.writeWithoutTransaction { try enforcesForeignKeys($0) })
            try await database.add(1)
            try await database.writeWithoutTransaction {
                try migrate($0, [Self.family, Self.rebuild])
            }
        }

        @Test func aCancellationSaysThatItIsOne() async throws {
            let database = try folder.open()
            let started = Gate()
            let task = Task {
                try await database.writeWithoutTransaction { connection in
                    try migrate(
                        connection,
                        [Migration("endless") { try runEndlessQuery(on: $0, opening: started) }]
                    )
                }
            }
            await started.opened()
            task.cancel()
            switch await task.result {
            case .success: Issue.record("it wasn't cancelled")
            case .failure(let error):
                let underlying = (error as? MigratorError)?.underlyingError as? SQLiteError
                #expect(
                    error is CancellationError || underlying?.resultCode == .interrupt,
                    "\(error)"
                )
            }
        }

        @Test func aCancellationAtAnyMomentLeavesWholeMigrations() async throws {
            let migrations = (0..<8).map { number in
                number % 2 == 1
                    ? Migration("m\(number)") { connection in
                        try connection.rebuildTable(
                            "parents",
                            columns: "id INTEGER PRIMARY KEY, c\(number)"
                        ) {
                            old,
                            new in
                            try connection.run("INSERT INTO \(new)(id) SELECT id FROM \(old)")
                        }
                        for value in 0..<50 {
                            try connection.run("INSERT INTO t VALUES(?)", value)
                        }
                    }
                    : Migration(
                        "m\(number)",
                        sql: "CREATE TABLE t\(number)(x); INSERT INTO t VALUES(1), (2)"
                    )
            }
            for round in 0..<30 {
                let folder = try TemporaryFolder()
                let database = try folder.open()
                try await database.writeWithoutTransaction { try migrate($0, [Self.family]) }
                let started = Gate()
                let task = Task {
                    try await database.writeWithoutTransaction { connection in
                        let migrator = Migrator(
                            connection: connection,
                            migrations: [Self.family] + migrations
                        )
                        started.open()
                        try migrator.run()
                    }
                }
                await started.opened()
                // So that the cancellation comes at another moment each time, from the run's
                // beginning to behind its end.
                try await Task.sleep(for: .microseconds(round * 250))
                task.cancel()
                // Success, where it came too late.
                _ = await task.result

                let names = try await database.read { try recordedNames(on: $0) } ?? []
                let done = names.count - 1
                #expect(names == ["family"] + migrations.prefix(done).map(\.name))
                let state = try await database.read { connection in
                    let columns = try connection.columns(in: "parents").map(\.name)
                    return (
                        try count("t", on: connection), columns, try tables(of: connection).count
                    )
                }
                let rebuilds = done / 2
                #expect(state.0 == rebuilds * 50 + (done - rebuilds) * 2, "after \(done)")
                #expect(
                    state.1 == (rebuilds == 0 ? ["id"] : ["id", "c\(rebuilds * 2 - 1)"]),
                    "after \(done)"
                )
                #expect(state.2 == 3 + done - rebuilds, "after \(done)")
                let isEnforced = try await database.writeWithoutTransaction {
                    try enforcesForeignKeys($0)
                }
                #expect(isEnforced, "after \(done)")
                let children = try await database.read { try count("children", on: $0) }
                #expect(children == 3)

                let rest = try await database.writeWithoutTransaction { connection in
                    try Migrator(connection: connection, migrations: [Self.family] + migrations)
                        .run()
                }
                #expect(rest.migrations.count == migrations.count - done)
                try await database.close()
            }
        }

        @Test func aCancellationWhileWaitingForALockEndsTheWait() async throws {
            let database = try folder.open { $0.busyTimeout = 10 * patience }
            try await database.writeWithoutTransaction { try migrate($0, [Self.family]) }
            let holder = try folder.connection()
            try holder.execute("BEGIN IMMEDIATE")
            let started = Gate()
            let task = Task {
                try await database.writeWithoutTransaction { connection in
                    started.open()
                    try migrate(connection, [Self.family, creating("later")])
                }
            }
            await started.openerBlocked()
            task.cancel()
            let result = await task.result
            expectThrows((any Error).self) { try result.get() }
            try holder.execute("ROLLBACK")
            #expect(try await database.read { try recordedNames(on: $0) } == ["family"])
            #expect(try await database.writeWithoutTransaction { try enforcesForeignKeys($0) })
        }
    }
}

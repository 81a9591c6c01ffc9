import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    struct DatabaseSnapshotTests {
        private let folder = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.open { configuration in
                configuration.maximumReaderCount = 1
                configuration.busyTimeout = 0.1
            }
            try database.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)")
        }

        // MARK: What it shows

        @Test func itStaysAsItWasWhileWritesGoOn() throws {
            let snapshot = try database.snapshot()
            for number in 0..<20 {
                try database.add(number)
                try expectRows(1, in: snapshot)
            }
            try database.execute("DELETE FROM t; CREATE TABLE u(x)")
            try expectRows(1, in: snapshot)
            try expectAnswer(
                0,
                to: "SELECT count(*) FROM sqlite_schema WHERE name = 'u'",
                from: snapshot
            )
            let now = try database.snapshot()
            try expectRows(0, in: now)
            try expectRows(1, in: snapshot)
        }

        @Test func itIsFixedBeforeItsFirstUse() throws {
            let snapshot = try database.snapshot()
            try database.run("DELETE FROM t")
            try database.checkpoint(mode: .passive)
            try expectRows(1, in: snapshot)
        }

        @Test func severalThreadsAndTasksShareIt() async throws {
            let snapshot = try await database.snapshot()
            let threads = (0..<4).map { _ in
                Worker {
                    try (0..<50).map { _ in try snapshot.read { try count("t", on: $0) } }
                }
            }
            for number in 0..<50 {
                try await database.add(number)
                try expectRows(1, in: snapshot)
            }
            for thread in threads {
                let seen = try await thread.finalValue()
                #expect(Set(seen) == [1])
            }
            try await snapshot.read { try $0.execute("SELECT 1") }
        }

        @Test func itIsNotOneOfTheReaders() throws {
            let snapshots = try (0..<5).map { _ in try database.snapshot() }
            for snapshot in snapshots {
                try expectRows(1, in: snapshot)
            }
            // All at once, and a read beside them.
            let barrier = Barrier(of: 6)
            let threads = snapshots.map { snapshot in
                Worker { try snapshot.read { _ in barrier.wait() } }
            }
            try database.read { _ in barrier.wait() }
            try threads.values()
        }

        @Test(arguments: DatabaseAccess.own) func itMayBeTakenButNotReadInsideAnAccess(
            access: DatabaseAccess
        ) throws {
            let taken = try access.run(on: database) { _ in
                let snapshot = try database.snapshot()
                try expectRefusal(.reentrant) { _ = try snapshot.read { try count("t", on: $0) } }
                return snapshot
            }
            try expectRows(1, in: taken)
        }

        @Test func theDatabaseMayBeUsedInsideIt() throws {
            let snapshot = try database.snapshot()
            let (seen, afterwards) = try snapshot.read { connection in
                try database.add(2)
                let now = try database.read { try count("t", on: $0) }
                return (try count("t", on: connection), now)
            }
            #expect(seen == 1)
            #expect(afterwards == 2)
        }

        @Test func takenInAWriteItShowsTheLastCommit() throws {
            let snapshot = try database.write { connection in
                try add(2, on: connection)
                return try database.snapshot()
            }
            try expectRows(1, in: snapshot)
            try expectRows(2, in: database.snapshot())
        }

        @Test func itHasTheDatabasesFunctionsAndSettings() throws {
            database.prepareConnections { connection in
                try connection.addFunction(named: "twice") { (number: Int) in number * 2 }
            }
            let snapshot = try database.snapshot()
            try expectAnswer(4, to: "SELECT twice(2)", from: snapshot)
            try expectAnswer(1, to: "PRAGMA foreign_keys", from: snapshot)
        }

        @Test func aFunctionThatIsAddedLaterReachesIt() throws {
            let snapshot = try database.snapshot()
            database.prepareConnections { connection in
                try connection.addFunction(named: "answer") { (_: [BindingValue]) in 42 }
            }
            try expectAnswer(42, to: "SELECT answer()", from: snapshot)
        }

        // MARK: What it refuses

        @Test func takenByAClosureThatPreparesOneItIsRefused() async throws {
            let database = database
            database.prepareConnections { _ in _ = try database.snapshot() }
            let reasons = try await onThread {
                [
                    try refusal { try database.snapshot() },
                    try refusal { try database.read { _ in } },
                    try refusal { try database.write { _ in } },
                ]
            }
            #expect(reasons == [.reentrant, .reentrant, .reentrant])
            try await database.suspend()
            database.resume()
            try await database.close()
        }

        @Test func severalAreTakenAtOnceAlsoInsideWrites() async throws {
            let database = database
            database.prepareConnections { _ in Thread.sleep(forTimeInterval: 0.01) }
            let workers = (0..<6).map { number in
                Worker {
                    number.isMultiple(of: 2)
                        ? try database.write { _ in try database.snapshot() }
                        : try database.snapshot()
                }
            }
            for worker in workers {
                let snapshot = try await worker.finalValue()
                try expectRows(1, in: snapshot)
            }
        }

        @Test func itCantWrite() throws {
            let snapshot = try database.snapshot()
            for sql in ["INSERT INTO t VALUES(2)", "CREATE TABLE u(x)"] {
                expectSQLiteError(.readOnly) { try snapshot.read { try $0.run(sql) } }
            }
            try expectRows(1, in: snapshot)
        }

        @Test func aTransactionInItIsASavepoint() throws {
            let snapshot = try database.snapshot()
            let seen = try snapshot.read { connection in
                try connection.transaction { try count("t", on: connection) }
            }
            #expect(seen == 1)
            try database.add(2)
            try expectRows(1, in: snapshot)
        }

        @Test(arguments: ["COMMIT", "ROLLBACK"]) func aClosureThatEndsItIsNoticed(
            sql: String
        ) throws {
            let snapshot = try database.snapshot()
            try database.add(2)
            // It throws at once or at the next read, and never shows another state.
            var isNoticed = false
            for body in [{ try $0.run(sql) }, { _ in }] as [(Connection) throws -> Void] {
                do {
                    let seen = try snapshot.read { connection in
                        try body(connection)
                        return try count("t", on: connection)
                    }
                    #expect(seen == 1)
                } catch is AccessError {
                    isNoticed = true
                } catch is SQLiteError {
                    isNoticed = true
                }
            }
            #expect(isNoticed)
            try expectRows(2, in: database)
            try snapshot.close()
            try #expect(database.checkpoint().isComplete)
        }

        @Test func insideItNeitherItNorClosingNorSuspendingIsAllowed() throws {
            let snapshot = try database.snapshot()
            let reasons = try snapshot.read { _ in
                try [
                    refusal { try snapshot.read { _ in } }, refusal { try database.suspend() },
                    refusal { try database.close() },
                    refusal { try database.close(interrupting: true) },
                ]
            }
            #expect(reasons == [.reentrant, .reentrant, .reentrant, .reentrant])
            try database.add(2)
            try expectRows(2, in: database)
            try expectRows(1, in: snapshot)
        }

        @Test func withoutAWALThereAreNone() async throws {
            var configuration = Database.Configuration()
            configuration.journalMode = .delete
            let rollback = try Database(
                path: folder.path("rollback.sqlite"),
                configuration: configuration
            )
            let old = try Database(path: folder.path("old.sqlite"), configuration: .sqift5)
            let temporary = try Database.open(.temporary)
            var databases = [rollback, old, try Database.inMemory(), temporary]
            if Capability.sharedMemory {
                let location = StorageLocation.uri("file:/\(UUID().uuidString)?vfs=memdb")
                databases.append(
                    try Database.open(location)
                )
            }
            for database in databases {
                try await database.execute("CREATE TABLE t(x)")
                try await expectTaskRefusal(.notShareable) { _ = try await database.snapshot() }
                #expect(try Self.refusalOfASnapshot(of: database) == .notShareable)
                try await database.add(1)
            }
        }

        @Test func withASharedCacheThereAreNone() async throws {
            for (name, parameters) in [("flag.sqlite", ""), ("uri.sqlite", "?cache=shared")] {
                var configuration = Database.Configuration()
                configuration.connection.flags &= ~SQLITE_OPEN_PRIVATECACHE
                if parameters.isEmpty {
                    configuration.connection.flags |= SQLITE_OPEN_SHAREDCACHE
                }
                let location = StorageLocation.uri("file:\(folder.path(name))\(parameters)")
                let database = try Database(storageLocation: location, configuration: configuration)
                try await database.execute("CREATE TABLE t(x)")
                try await expectTaskRefusal(.notShareable) { _ = try await database.snapshot() }
                try await database.backup(to: folder.path("backup.sqlite"))
                try await database.close()
            }
        }

        private static func refusalOfASnapshot(of database: Database) throws -> AccessError.Reason?
        {
            try refusal { _ = try database.snapshot() }
        }

        // MARK: Its end

        @Test func afterItsEndItThrows() throws {
            let snapshot = try database.snapshot()
            try snapshot.close()
            try snapshot.close()
            try expectRefusal(.closed) { _ = try snapshot.read { try count("t", on: $0) } }
            try expectRows(1, in: database)
        }

        @Test func afterTheDatabasesEndItThrows() throws {
            let snapshot = try database.snapshot()
            try database.close()
            try expectRefusal(.closed) { _ = try snapshot.read { try count("t", on: $0) } }
            try snapshot.close()
            try folder.expectFiles("test.sqlite")
        }

        @Test func closingItWaitsForItsClosure() throws {
            let snapshot = try database.snapshot()
            let (isInside, mayEnd) = (Gate(), Gate())
            let reader = Worker {
                try snapshot.read { connection in
                    isInside.open()
                    mayEnd.wait()
                    return try count("t", on: connection)
                }
            }
            isInside.wait()
            let closer = Worker { try snapshot.close() }
            closer.waitUntilBlocked()
            #expect(!closer.isFinished)
            mayEnd.open()
            try #expect(reader.value() == 1)
            try closer.value()
        }

        @Test func itHoldsBackTheWALUntilItsEnd() throws {
            var snapshot: DatabaseSnapshot? = try database.snapshot()
            for ends in [{ snapshot = nil }, { try snapshot?.close() }] as [() throws -> Void] {
                snapshot = try database.snapshot()
                try database.add(2)
                expectSQLiteError(.busy) { try database.checkpoint(mode: .truncate) }
                let passive = try database.checkpoint(mode: .passive)
                #expect(!passive.isComplete)
                try ends()
                try #expect(database.checkpoint(mode: .truncate).isComplete)
                #expect(folder.size("test.sqlite-wal") == 0)
            }
        }

        @Test func takingAndClosingManyLeavesNoDescriptors() throws {
            guard let before = folder.descriptorCount() else { return }
            for _ in 0..<50 {
                let snapshot = try database.snapshot()
                try expectRows(1, in: snapshot)
                try snapshot.close()
                _ = try database.snapshot()
            }
            // Descriptors whose closing SQLite puts off, for POSIX locks' sake, go with the next
            // one.
            #expect((folder.descriptorCount() ?? 0) <= before + 3)
        }

        @Test func aReadOfItIsCancelled() async throws {
            let snapshot = try await database.snapshot()
            await cancelRead(of: snapshot)
            try await database.add(2)
            try expectRows(1, in: snapshot)
        }

        @Test func aCancelledReadOfItEndsItsBlobsSoThatLaterReadsWork() async throws {
            try await database.write { try $0.run("INSERT INTO t VALUES(?)", ZeroBlob(count: 9)) }
            let snapshot = try await database.snapshot()
            let blob = try Self.openBlob(in: snapshot)
            await cancelRead(of: snapshot)
            try expectRows(2, in: snapshot)
            #expect(blob.count == 0)
            try blob.close()
        }

        private func cancelRead(of snapshot: DatabaseSnapshot) async {
            let started = Gate()
            let task = Task.detached {
                try await snapshot.read { try runEndlessQuery(on: $0, opening: started) }
            }
            await expectCancelled(task, once: started)
        }

        private static func openBlob(in snapshot: DatabaseSnapshot) throws -> Blob {
            try snapshot.read {
                try $0.openBlob(table: "t", column: "x", rowID: 2, readOnly: true)
            }
        }
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Restoring while others use the database.
extension DatabaseSuites {
    struct DatabaseRestoreLiveTests {
        private let folder = TemporaryFolder.fresh
        private let target = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.open()
            try database.write { try fill($0, rows: 7, with: "old") }
        }

        private var path: String { target.path("backup.sqlite") }

        @Test(arguments: [4096, 1024])
        func readersKeepWhatTheySeeAndLaterOnesSeeTheBackup(size: Int) async throws {
            try makeFile(at: path, setup: "PRAGMA page_size = \(size)").close()
            let (begun, goOn) = (Gate(), Gate())
            let reader = Worker { [database] in
                try database.read { connection in
                    let before = try count("t", on: connection)
                    begun.open()
                    goOn.wait()
                    return try [
                        before, count("t", on: connection), connection.integrityCheck().count,
                    ]
                }
            }
            await begun.opened()
            try await database.restore(from: .onDisk(path), pagesPerStep: 5)
            try expectRows(100, in: database)
            goOn.open()
            #expect(try await reader.finalValue() == [7, 7, 0])
            try expectSound(folder.connection())
        }

        @Test func readsBetweenTheStepsSeeTheOldState() async throws {
            try makeFile(at: path).close()
            let seen = SharedNotes<Int>()
            try await database.restore(from: .onDisk(path), pagesPerStep: 5) {
                [database, folder] progress in
                guard progress.remainingPageCount > 0 else { return }
                seen.note(try Worker { try rows(database) }.value())
                seen.note(try count("t", on: folder.connection()))
            }
            #expect(Set(seen.all) == [7])
            try expectRows(100, in: database)
        }

        @Test func aSnapshotStaysAsItIs() async throws {
            try makeFile(at: path).close()
            let snapshot = try await database.snapshot()
            try await database.restore(from: path)
            let found = try await snapshot.read { try (count("t", on: $0), $0.integrityCheck()) }
            #expect(found.0 == 7 && found.1 == [])
            try expectRows(100, in: database)
            try await database.run("DELETE FROM t WHERE id > 50")
            try expectRows(7, in: snapshot)
            try snapshot.close()
            try expectRows(50, in: database)
        }

        /// Begins to restore the backup, and waits for the gate after the first step.
        private func beginRestoring(
            _ database: Database
        ) async -> (task: Task<Void, any Error>, goOn: Gate) {
            let (begun, goOn) = (Gate(), Gate())
            let task = Task.detached { [path] in
                try await database.restore(from: .onDisk(path), pagesPerStep: 5) { _ in
                    begun.open()
                    goOn.wait()
                }
            }
            await begun.opened()
            return (task, goOn)
        }

        @Test func writersWaitForItsEnd() async throws {
            try makeFile(at: path).close()
            let (restoring, goOn) = await beginRestoring(database)
            let writer = Worker { [database] in try database.write { try count("t", on: $0) } }
            writer.waitUntilBlocked()
            #expect(!writer.isFinished)
            goOn.open()
            try await restoring.value
            #expect(try await writer.finalValue() == 100)
        }

        @Test func manyReadersSeeTheOldOrTheNewState() async throws {
            try makeFile(at: path).close()
            try makeOldFile(at: target.path("old.sqlite"))
            let stop = Gate()
            let readers = (0..<3).map { _ in
                Worker { [database] in
                    var states: Set<String> = []
                    while !stop.isOpen {
                        let state: String = try database.read { connection in
                            let rows: Int = try connection.query("SELECT count(*) FROM t")
                            let first: String = try connection.query(
                                "SELECT substr(x, 1, 3) FROM t WHERE id = 5"
                            )
                            let last: Int = try connection.query("SELECT max(id) FROM t")
                            return "\(rows) \(first) \(last)"
                        }
                        states.insert(state)
                    }
                    return states
                }
            }
            for _ in 0..<15 {
                try await database.restore(from: .onDisk(path), pagesPerStep: 4)
                try await database.restore(
                    from: .onDisk(target.path("old.sqlite")),
                    pagesPerStep: 4
                )
            }
            stop.open()
            for reader in readers {
                let states = try await reader.finalValue()
                #expect(states.isSubset(of: ["7 old 7", "100 row 100"]), "\(states)")
            }
            try expectSound(folder.connection())
        }

        @Test func aReaderOfARollbackJournalIsWaitedFor() async throws {
            try await database.close()
            let database = try folder.open {
                $0.journalMode = .delete
                $0.busyTimeout = patience
            }
            try makeFile(at: path).close()
            let (begun, goOn) = (Gate(), Gate())
            let reader = Worker {
                try database.read { connection in
                    let before = try count("t", on: connection)
                    begun.open()
                    goOn.wait()
                    return try [before, count("t", on: connection)]
                }
            }
            await begun.opened()
            let restoring = Task.detached { [path] in
                try await database.restore(from: path)
            }
            goOn.open()
            try await restoring.value
            #expect(try await reader.finalValue() == [7, 7])
            try expectRows(100, in: database)
        }

        @Test func insideTheProgressTheDatabaseIsRefused() async throws {
            try makeFile(at: path).close()
            try await database.restore(from: .onDisk(path)) { [database] _ in
                try expectRefusal(.reentrant) { try database.write { _ in recordCall() } }
                try expectRefusal(.reentrant) { try database.read { _ in recordCall() } }
            }
            try expectRows(100, in: database)
        }

        @Test func aBackupWithAHotJournalIsRefusedOrRestoredAsItWasBefore() async throws {
            let other = try TemporaryFolder()
            let origin = try makeFile(at: other.path(), rows: 200, setup: "PRAGMA cache_size = 1")
            try origin.execute("BEGIN; UPDATE t SET x = 'half' || x; DELETE FROM t WHERE id % 2")
            for suffix in ["", "-journal"] {
                try FileManager.default.copyItem(
                    atPath: other.path("test.sqlite" + suffix),
                    toPath: path + suffix
                )
            }
            let before = try contents(of: target.url)
            let result = await Task { [database, path] in
                try await database.restore(from: path)
            }.result
            if case .success = result {
                let halves = try await database.read {
                    try $0.query("SELECT count(*) FROM t WHERE x LIKE 'half%'") as Int
                }
                #expect(try halves == 0 && rows(database) == 200)
            } else {
                try expectRows(7, in: database)
            }
            #expect(try contents(of: target.url) == before)
        }

        @Test(arguments: [StorageLocation.inMemory, .temporary])
        func databasesWithoutAFileAreRestoredAtTheSameTime(location: StorageLocation) async throws {
            try makeFile(at: path, setup: "PRAGMA page_size = 1024").close()
            let problems = SharedNotes<String>()
            let workers = (0..<4).map { _ in
                Worker { [path] in
                    let memory = try Database.open(location)
                    for _ in 0..<40 {
                        do {
                            try memory.restore(from: path)
                            let isThere = try memory.read { try $0.tableExists("t") }
                            if !isThere {
                                problems.note("it is empty now")
                            }
                        } catch {
                            problems.note("\(error)")
                        }
                    }
                }
            }
            try await workers.finalValues()
            #expect(
                problems.all.isEmpty,
                "\(problems.all.count) of 160: \(Set(problems.all.map { $0.prefix(80) }))"
            )
        }

        @Test func restoringSoonAfterBackingUpGoesRound() async throws {
            for round in 1...10 {
                try await database.write { try $0.run("INSERT INTO t(x) VALUES(?)", round) }
                let before = try await database.read { try texts($0) }
                try await database.backup(to: path)
                try await database.write { try $0.run("DELETE FROM t WHERE id % 2 = ?", round % 2) }
                try await database.restore(from: path)
                let after = try await database.read { try texts($0) }
                #expect(after == before)
            }
            try target.expectFiles("backup.sqlite")
        }

        @Test func suspendingDuringARestoreEndsIt() async throws {
            try makeFile(at: path).close()
            let (task, goOn) = await beginRestoring(database)
            let suspender = Worker { [database] in try database.suspend() }
            suspender.waitUntilBlocked()
            try expectRefusal(.suspended) { try database.read { _ in } }
            goOn.open()
            try await suspender.finalValue()
            try await expectTaskRefusal(.suspended) { try await task.value }
            try expectUnlocked(folder)
            database.resume()
            try expectRows(7, in: database)
            try await database.restore(from: path)
            try expectRows(100, in: database)
        }

        @Test func closingDuringARestoreWaitsForItOrEndsIt() async throws {
            try makeFile(at: path).close()
            for isInterrupting in [false, true] {
                let database = try folder.open()
                let before = try rows(database)
                let (task, goOn) = await beginRestoring(database)
                let closer = Worker { try database.close(interrupting: isInterrupting) }
                closer.waitUntilBlocked()
                try expectRefusal(.closed) { try database.read { _ in } }
                goOn.open()
                let result = await task.result
                try await closer.finalValue()
                if case .failure(let error) = result {
                    #expect(isInterrupting)
                    #expect((error as? AccessError)?.reason == .closed, "\(error)")
                    try expectRows(before, on: folder.connection())
                } else {
                    try expectRows(100, on: folder.connection())
                }
                try expectSound(folder.connection())
            }
        }
    }
}

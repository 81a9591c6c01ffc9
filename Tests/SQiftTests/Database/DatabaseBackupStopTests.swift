// `Locked` is the library's own.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

/// Backups that end before their time.
extension DatabaseSuites {
    struct DatabaseBackupStopTests {
        private let folder = TemporaryFolder.fresh
        private let target = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.open()
            try database.write { try fill($0) }
            try makeOldFile(at: target.path("backup.sqlite"))
        }

        private var path: String { target.path("backup.sqlite") }

        /// Expects that the destination is the old one, alone in its folder, and that the database
        /// works.
        private func expectOld(sourceLocation: SourceLocation = #_sourceLocation) async throws {
            #expect(try target.files() == ["backup.sqlite"], sourceLocation: sourceLocation)
            let old = try Connection(path: path)
            #expect(try count("t", on: old) == 7, sourceLocation: sourceLocation)
            try expectSound(old, sourceLocation: sourceLocation)
            try await expectUsable(sourceLocation: sourceLocation)
        }

        private func expectUsable(sourceLocation: SourceLocation = #_sourceLocation) async throws {
            try await database.run("UPDATE t SET x = x || '' WHERE id = 1")
            let rows = try await database.read { try count("t", on: $0) }
            #expect(rows == 100, sourceLocation: sourceLocation)
        }

        /// Begins a backup, which waits for the gate after its first step.
        private func beginBackup() async -> (task: Task<Void, any Error>, goOn: Gate) {
            let (begun, goOn) = (Gate(), Gate())
            let task = Task.detached { [database, path] in
                try await database.backup(to: .onDisk(path), pagesPerStep: 5) { _ in
                    begun.open()
                    goOn.wait()
                }
            }
            await begun.opened()
            return (task, goOn)
        }

        @Test func whatTheProgressThrowsIsThrown() async throws {
            for call in 1...3 {
                let calls = SharedCount()
                await expectTaskThrows(TestError()) {
                    try await database.backup(to: .onDisk(path), pagesPerStep: 10) { _ in
                        if calls.add(1) == call {
                            throw TestError()
                        }
                    }
                }
                try await expectOld()
            }
            let synchronous = Worker { [database, path] in
                try database.backup(to: .onDisk(path)) { _ in throw TestError() }
            }
            await expectTaskThrows(TestError()) { try await synchronous.finalValue() }
            try await expectOld()
        }

        @Test func whatTheLastProgressThrowsIsThrown() async throws {
            await expectTaskThrows(TestError()) {
                try await database.backup(to: .onDisk(path), pagesPerStep: 10) { progress in
                    if progress.remainingPageCount == 0 {
                        throw TestError()
                    }
                }
            }
            try await expectOld()
        }

        @Test func aTaskThatWasCancelledBeforeBeginsNothing() async throws {
            let task = Task.detached { [database, path] in
                withUnsafeCurrentTask { $0?.cancel() }
                try await database.backup(to: .onDisk(path)) { _ in recordCall() }
            }
            await expectCancelled(task)
            try await expectOld()
        }

        @Test func cancellingFromTheProgressEndsIt() async throws {
            let (own, hasTask) = (Locked<Task<Void, any Error>?>(nil), Gate())
            let task = Task.detached { [database, path] in
                try await database.backup(to: .onDisk(path), pagesPerStep: 5) { progress in
                    hasTask.wait()
                    if progress.completedPageCount > 10 {
                        own.withLock { $0?.cancel() }
                    }
                }
            }
            own.withLock { $0 = task }
            hasTask.open()
            await expectCancelled(task)
            try await expectOld()
        }

        @Test func cancellingInTheLastProgressEndsIt() async throws {
            let (own, hasTask) = (Locked<Task<Void, any Error>?>(nil), Gate())
            let task = Task.detached { [database, path] in
                try await database.backup(to: .onDisk(path), pagesPerStep: -1) { _ in
                    hasTask.wait()
                    own.withLock { $0?.cancel() }
                }
            }
            own.withLock { $0 = task }
            hasTask.open()
            await expectCancelled(task)
            try await expectOld()
        }

        @Test func cancellingFromOutsideEndsIt() async throws {
            let (task, goOn) = await beginBackup()
            task.cancel()
            goOn.open()
            await expectCancelled(task)
            try await expectOld()
        }

        @Test func cancellingAtAnyMomentLeavesTheOldOrTheNewState() async throws {
            let old = try bytes(of: path)
            var generator = SystemRandomNumberGenerator()
            var wrong = 0
            for _ in 0..<80 {
                let delay = UInt64.random(in: 0...12_000_000, using: &generator)
                let task = Task.detached { [database, path] in
                    try await database.backup(to: .onDisk(path), pagesPerStep: 3)
                }
                // A moment of the backup at random: that is the test.
                try await Task.sleep(nanoseconds: delay)
                task.cancel()
                var expectedRows = 100
                if case .failure(let error) = await task.result {
                    #expect(error is CancellationError, "thrown: \(error)")
                    expectedRows = 7
                }
                try target.expectFiles("backup.sqlite")
                let found = try Connection(path: path)
                let rows = try count("t", on: found)
                if rows != expectedRows {
                    wrong += 1
                }
                try expectSound(found)
                try found.close()
                if rows != 7 {
                    try old.write(to: URL(fileURLWithPath: path))
                }
            }
            #expect(wrong == 0, "so many of 80 threw though the file was in place, or the reverse")
            try await expectUsable()
            #expect(folder.descriptorCount() ?? 0 < 30)
        }

        @Test func interruptingEndsItOrNot() async throws {
            let (task, goOn) = await beginBackup()
            database.interrupt()
            goOn.open()
            if case .success = await task.result {
                try expectRows(100, on: Connection(path: path))
                try target.expectFiles("backup.sqlite")
                try await expectUsable()
            } else {
                try await expectOld()
            }
        }

        @Test func suspendingEndsIt() async throws {
            let (task, goOn) = await beginBackup()
            let suspender = Worker { [database] in try database.suspend() }
            suspender.waitUntilBlocked()
            try expectRefusal(.suspended) { try database.read { _ in } }
            goOn.open()
            try await suspender.finalValue()
            try await expectTaskRefusal(.suspended) { try await task.value }
            try target.expectFiles("backup.sqlite")
            try await expectTaskRefusal(.suspended) { try await database.backup(to: path) }
            try target.expectFiles("backup.sqlite")
            database.resume()
            try await expectOld()
            try await database.backup(to: path)
            try expectRows(100, on: Connection(path: path))
        }

        @Test(arguments: [false, true])
        func closingEndsItOrWaitsForIt(isInterrupting: Bool) async throws {
            let (task, goOn) = await beginBackup()
            let closer = Worker { [database] in
                try database.close(interrupting: isInterrupting)
            }
            closer.waitUntilBlocked()
            try expectRefusal(.closed) { try database.read { _ in } }
            goOn.open()
            let result = await task.result
            try await closer.finalValue()
            if case .failure(let error) = result {
                #expect((error as? AccessError)?.reason == .closed, "\(error)")
            } else {
                #expect(!isInterrupting)
            }
            let rows = if case .success = result { 100 } else { 7 }
            try target.expectFiles("backup.sqlite")
            try expectRows(rows, on: Connection(path: path))
            try folder.expectFiles("test.sqlite")
            try await expectTaskRefusal(.closed) { try await database.backup(to: path) }
            try target.expectFiles("backup.sqlite")
        }

        @Test(arguments: DatabaseAccess.own)
        func insideTheDatabasesClosuresItIsRefused(access: DatabaseAccess) async throws {
            try await onThread { [database, path] in
                try access.run(on: database) { _ in
                    try expectRefusal(.reentrant) {
                        try database.backup(to: .onDisk(path)) { _ in recordCall() }
                    }
                    try expectRefusal(.reentrant) {
                        try database.restore(from: .onDisk(path)) { _ in recordCall() }
                    }
                }
            }
            try await expectOld()
        }

        @Test func insideTheProgressTheDatabaseMayBeUsedByOthers() async throws {
            try await database.backup(to: .onDisk(path), pagesPerStep: 20) { [database] _ in
                _ = try Worker {
                    try database.run("UPDATE t SET x = x || 1 WHERE id = 1")
                }.value()
            }
            try expectRows(100, on: Connection(path: path))
        }

        @Test(.enabled(if: SmallDisk.canBeMade, "only root may mount a small disk"))
        func aFullDiskLeavesTheOldBackup() async throws {
            let disk = try SmallDisk(in: target)
            let path = disk.path + "/backup.sqlite"
            try makeOldFile(at: path)
            try await database.run(
                "INSERT INTO t(x) " + numbers(to: 600, selecting: "n || hex(zeroblob(450))")
            )
            let error = await expectTaskThrows(SQLiteError.self) {
                try await database.backup(to: path)
            }
            #expect(
                error?.resultCode == .full || error?.resultCode == .ioError,
                "\(String(describing: error))"
            )
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["backup.sqlite"]
            )
            try expectRows(7, on: Connection(path: path))

            try await database.writeWithoutTransaction {
                try $0.execute("DELETE FROM t WHERE id > 100; VACUUM")
            }
            try await database.backup(to: path)
            try expectRows(100, on: Connection(path: path))
        }
    }
}

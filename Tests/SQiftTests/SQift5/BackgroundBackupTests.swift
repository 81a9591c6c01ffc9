import Foundation
import Testing

@testable import SQift

/// The form of SQift 5.1, which copies in the background.
extension ConcurrencySuites {
    @Suite(.timeLimit(.minutes(20))) struct BackgroundBackupTests {
        private let folder: TemporaryFolder
        private let source: Connection
        private let destination: Connection
        private let results = BackupResults()
        private let backupQueue = DispatchQueue(label: "backup")
        private let completionQueue = DispatchQueue(label: "completion")

        init() throws {
            folder = try TemporaryFolder()
            source = try makeFile(at: folder.path())
            destination = try makeFile(at: folder.path("copy.sqlite"), rows: 7, with: "old")
        }

        @discardableResult
        private func begin(
            _ name: String = "main",
            of source: Connection? = nil,
            pageSize: Int32 = 100
        ) throws -> Progress {
            try (source ?? self.source).backup(
                databaseNamed: name,
                to: destination,
                pageSize: pageSize,
                backupQueue: backupQueue,
                completionQueue: completionQueue
            ) { [results] in results.note($0) }
        }

        /// Waits until the queues have done everything that is on them.
        private func finishQueues() {
            for _ in 0..<5 {
                backupQueue.sync {}
                completionQueue.sync {}
            }
        }

        /// Begins a backup of many steps, and pauses it after the first.
        private func beginAndPause() throws -> Progress {
            backupQueue.suspend()
            let progress = try begin(pageSize: 1)
            // Each step puts the next one at the end of the queue.
            backupQueue.async { progress.pause() }
            backupQueue.resume()
            for _ in 0..<3 {
                backupQueue.sync {}
            }
            return progress
        }

        private func expectOld(sourceLocation: SourceLocation = #_sourceLocation) throws {
            #expect(try count("t", on: destination) == 7, sourceLocation: sourceLocation)
            #expect(try destination.integrityCheck() == [], sourceLocation: sourceLocation)
        }

        @Test(arguments: ["DELETE", "WAL"], [1, 10, 100, -1, Int32.max, Int32.min])
        func theCopyIsTheSameAndTheCompletionIsCalledOnce(
            mode: String,
            pageSize: Int32
        ) async throws {
            try source.execute("PRAGMA journal_mode = \(mode)")
            let progress = try begin(pageSize: pageSize)
            #expect(try await results.first().isSuccess)
            finishQueues()
            #expect(results.all.count == 1)
            let pages: Int64 = try source.query("PRAGMA page_count")
            #expect(progress.totalUnitCount == pages)
            #expect(progress.completedUnitCount == pages)
            #expect(progress.fractionCompleted == 1)
            #expect(progress.isFinished)
            try expectSame(destination, source)
            try source.close()
            try destination.close()
        }

        @Test func theCompletionIsCalledOnItsQueue() async throws {
            let key = DispatchSpecificKey<String>()
            completionQueue.setSpecific(key: key, value: "here")
            let (names, done) = (SharedNotes<String>(), Gate())
            try source.backup(
                to: destination,
                backupQueue: backupQueue,
                completionQueue: completionQueue
            ) { _ in
                names.note(DispatchQueue.getSpecific(key: key) ?? "elsewhere")
                done.open()
            }
            await done.opened()
            #expect(names.all == ["here"])
        }

        @Test func oneQueueMayServeForBoth() async throws {
            try source.backup(
                to: destination,
                backupQueue: backupQueue,
                completionQueue: backupQueue
            ) { [results] in
                results.note($0)
            }
            #expect(try await results.first().isSuccess)
            try expectSame(destination, source)
        }

        @Test func theDestinationIsFreeInTheCompletion() async throws {
            let (found, done) = (SharedNotes<Int>(), Gate())
            let handed = Handed(value: destination)
            try source.backup(
                to: destination,
                backupQueue: backupQueue,
                completionQueue: completionQueue
            ) { _ in
                found.note((try? count("t", on: handed.value)) ?? -1)
                done.open()
            }
            await done.opened()
            #expect(found.all == [100])
        }

        @Test func theDestinationIsLentUntilTheCompletion() async throws {
            backupQueue.suspend()
            let statement = try destination.prepare("SELECT count(*) FROM t")
            let progress = try begin()
            #expect(sqliteError { _ = try count("t", on: destination) }?.resultCode == .misuse)
            #expect(sqliteError { _ = try statement.query() as Int }?.resultCode == .misuse)
            #expect(sqliteError { try destination.close() }?.resultCode == .misuse)
            #expect(sqliteError { try begin() }?.resultCode == .misuse)
            progress.pause()
            backupQueue.resume()
            backupQueue.sync {}
            #expect(sqliteError { _ = try count("t", on: destination) }?.resultCode == .misuse)
            progress.resume()
            #expect(try await results.first().isSuccess)
            #expect(try statement.query() == 100)
            try expectSame(destination, source)
            finishQueues()
            #expect(results.all.count == 1)
        }

        @Test func pausingStopsItAndResumingLetsItGoOn() async throws {
            let progress = try beginAndPause()
            let completed = progress.completedUnitCount
            #expect(completed == 1)
            // Many times as long as a step takes: nothing shows that none is to come.
            try await Task.sleep(for: .milliseconds(100))
            backupQueue.sync {}
            #expect(progress.completedUnitCount == completed)
            #expect(results.all.isEmpty)
            #expect(progress.isPaused)
            progress.resume()
            #expect(try await results.first().isSuccess)
            try expectSame(destination, source)
        }

        @Test func theProgressIsPausableAndCancellable() async throws {
            let progress = try begin()
            #expect(progress.isPausable)
            #expect(progress.isCancellable)
            _ = try await results.first()
        }

        @Test func cancellingBeforeTheFirstStepLeavesTheDestinationAsItWas() async throws {
            backupQueue.suspend()
            let progress = try begin()
            progress.cancel()
            backupQueue.resume()
            #expect(try await results.first().isCancelled)
            finishQueues()
            #expect(results.all.count == 1)
            try expectOld()
            try source.close()
        }

        @Test func cancellingWhilePausedLeavesTheDestinationAsItWas() async throws {
            let progress = try beginAndPause()
            progress.cancel()
            #expect(try await results.first().isCancelled)
            finishQueues()
            #expect(results.all.count == 1)
            try expectOld()
            try destination.run("INSERT INTO t(x) VALUES(1)")
        }

        @Test func cancellingAtAnyMomentLeavesTheOldOrTheNewState() async throws {
            for round in 0..<40 {
                let results = BackupResults()
                let progress = try source.backup(
                    to: destination,
                    pageSize: 1,
                    backupQueue: backupQueue,
                    completionQueue: completionQueue
                ) { results.note($0) }
                // At another step each time.
                for _ in 0..<round {
                    backupQueue.sync {}
                }
                progress.cancel()
                let result = try await results.first()
                #expect(!result.isFailure)
                let rows = try count("t", on: destination)
                #expect(rows == (result.isSuccess ? 100 : 7))
                #expect(try destination.integrityCheck() == [])
                if result.isSuccess {
                    try destination.run("DELETE FROM t WHERE id > 7")
                }
                #expect(results.all.count == 1)
            }
        }

        @Test func cancellingAfterTheEndChangesNothing() async throws {
            let progress = try begin()
            #expect(try await results.first().isSuccess)
            progress.cancel()
            progress.pause()
            finishQueues()
            #expect(results.all.count == 1)
            try expectSame(destination, source)
        }

        @Test func lettingGoOfTheProgressLetsItGoOn() async throws {
            try begin()
            #expect(try await results.first().isSuccess)
            try expectSame(destination, source)
        }

        @Test func whatIsWrittenAfterTheCallIsNotInACopyOfAWAL() async throws {
            try source.execute("PRAGMA journal_mode = WAL")
            let before = try texts(source)
            backupQueue.suspend()
            try begin(pageSize: 1)
            try source.run("UPDATE t SET x = 'new'")
            backupQueue.resume()
            for id in 1...20 {
                try source.run("DELETE FROM t WHERE id = ?", id)
            }
            #expect(try await results.first().isSuccess)
            #expect(try texts(destination) == before)
            #expect(try destination.integrityCheck() == [])
            #expect(try count("t", on: source) == 80)
        }

        @Test func whatIsWrittenAfterTheCallDoesNotKeepARollbackJournalFromBeingCopied()
            async throws
        {
            try source.execute("PRAGMA busy_timeout = 5000")
            try begin(pageSize: 2)
            for id in 1...20 {
                try source.run("DELETE FROM t WHERE id = ?", id)
            }
            #expect(try await results.first().isSuccess)
            let rows = try count("t", on: destination)
            #expect((80...100).contains(rows))
            #expect(try destination.query("SELECT max(id) - min(id) + 1 FROM t") == rows)
            #expect(try destination.integrityCheck() == [])
        }

        @Test func nothingIsReadAnyMoreInTheCompletion() async throws {
            try source.execute("PRAGMA journal_mode = WAL")
            let errors = SharedNotes<String>()
            for _ in 0..<50 {
                let done = Gate()
                try source.backup(
                    to: destination,
                    backupQueue: backupQueue,
                    completionQueue: completionQueue
                ) {
                    [folder] _ in
                    do {
                        // This would be busy for a reader of an old state.
                        let other = try folder.connection()
                        try other.run("UPDATE t SET x = x || '' WHERE id = 1")
                        try other.checkpoint(mode: .truncate)
                    } catch {
                        errors.note("\(error)")
                    }
                    done.open()
                }
                await done.opened()
            }
            #expect(errors.all.isEmpty, "\(errors.all.count) of 50")
        }

        @Test func theSourceMayBeClosedOrLetGo() async throws {
            for mode in ["DELETE", "WAL"] {
                try source.execute("PRAGMA journal_mode = \(mode)")
                let results = BackupResults()
                backupQueue.suspend()
                var other: Connection? = try Connection(path: folder.path())
                try other?.backup(
                    to: destination,
                    backupQueue: backupQueue,
                    completionQueue: completionQueue
                ) { results.note($0) }
                if mode == "WAL" {
                    try other?.close()
                }
                other = nil
                backupQueue.resume()
                #expect(try await results.first().isSuccess)
                try expectSame(destination, source)
            }
        }

        @Test func aSourceWithoutAFileIsCopiedAsItIsAtTheCall() async throws {
            var locations = [StorageLocation.inMemory, .temporary]
            if Capability.sharedMemory {
                locations.append(.uri("file:/\(UUID().uuidString)?vfs=memdb"))
            }
            for location in locations {
                let results = BackupResults()
                let memory = try Connection(storageLocation: location)
                try fill(memory, rows: 50, with: "memory")
                let before = try texts(memory)
                backupQueue.suspend()
                defer { try? memory.close() }
                do {
                    try memory.backup(
                        to: destination,
                        pageSize: 3,
                        backupQueue: backupQueue,
                        completionQueue: completionQueue
                    ) { results.note($0) }
                } catch {
                    Issue.record("\(location): \(error)")
                    backupQueue.resume()
                    continue
                }
                try memory.run("DELETE FROM t")
                backupQueue.resume()
                #expect(try await results.first().isSuccess, "\(location)")
                #expect(try texts(destination) == before, "\(location)")
            }
        }

        @Test func theTemporaryDatabaseAndAttachedOnesAreCopied() async throws {
            try source.execute("CREATE TEMP TABLE own(x); INSERT INTO own VALUES(1), (2)")
            try begin("temp")
            #expect(try await results.first().isSuccess)
            #expect(try count("own", on: destination) == 2)

            let (hub, again) = (try Connection(), BackupResults())
            try hub.attachDatabase(from: .onDisk(folder.path()), withName: "it's")
            try hub.backup(databaseNamed: "it's", to: destination, completionQueue: completionQueue)
            { again.note($0) }
            #expect(try await again.first().isSuccess)
            try expectSame(destination, source)
        }

        @Test func aSmallTimeLockedSourceIsWaitedFor() async throws {
            let other = try folder.connection()
            try other.execute("BEGIN EXCLUSIVE")
            let progress = try? begin()
            // Where the lock keeps even the call from beginning, there is nothing to wait for.
            guard progress != nil else { return try other.execute("ROLLBACK") }
            for _ in 0..<3 {
                backupQueue.sync {}
            }
            #expect(results.all.isEmpty)
            try other.execute("ROLLBACK")
            #expect(try await results.first().isSuccess)
            try expectSame(destination, source)
        }

        @Test func aFailureIsAResultAndLeavesTheDestinationAsItWas() async throws {
            try destination.execute("PRAGMA max_page_count = 12")
            try begin(pageSize: 5)
            guard case .failure(let error) = try await results.first() else {
                Issue.record("it didn't fail")
                return
            }
            #expect((error as? SQLiteError)?.resultCode == .full)
            finishQueues()
            #expect(results.all.count == 1)
            try expectOld()
        }

        @Test func aPageSizeOfZeroThrows() throws {
            #expect(sqliteError { try begin(pageSize: 0) }?.resultCode == .misuse)
            try expectOld()
            finishQueues()
            #expect(results.all.isEmpty)
        }

        @Test func aDestinationInATransactionThrowsAtTheCall() throws {
            try destination.execute("BEGIN; SELECT count(*) FROM t")
            #expect(sqliteError { try begin() } != nil)
            try destination.execute("COMMIT")
            try expectOld()
            finishQueues()
            #expect(results.all.isEmpty)
        }

        @Test func aResultIsOneOfThree() {
            let results: [Connection.BackupResult] = [.success, .failure(TestError()), .cancelled]
            #expect(results.map(\.isSuccess) == [true, false, false])
            #expect(results.map(\.isFailure) == [false, true, false])
            #expect(results.map(\.isCancelled) == [false, false, true])
        }
    }
}

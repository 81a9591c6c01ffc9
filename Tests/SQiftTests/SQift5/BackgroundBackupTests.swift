import Foundation
import SQiftTestSupport
import Testing

import SQift

/// The form of SQift 5.1, which copies in the background.
extension FacilitySuites {
    struct BackgroundBackupTests {
        private let fixture: BackgroundBackupFixture

        init() throws {
            fixture = try BackgroundBackupFixture()
        }

        /// Begins a copy to the fixture's destination, and tells `completion` of its end.
        private func copy(
            _ source: Connection? = nil,
            named name: String = "main",
            pageSize: Int32 = 100,
            completion: @escaping @Sendable (Connection.BackupResult) -> Void
        ) throws {
            try (source ?? fixture.source).backup(
                databaseNamed: name,
                to: fixture.destination,
                pageSize: pageSize,
                backupQueue: fixture.backupQueue,
                completionQueue: fixture.completionQueue,
                completion: completion
            )
        }

        @Test(arguments: ["DELETE", "WAL"], [1, 10, 100, -1, Int32.max, Int32.min])
        func theCopyIsTheSameAndTheCompletionIsCalledOnce(
            mode: String,
            pageSize: Int32
        ) async throws {
            try fixture.source.execute("PRAGMA journal_mode = \(mode)")
            let progress = try fixture.begin(pageSize: pageSize)
            #expect(try await fixture.results.first().isSuccess)
            fixture.finishQueues()
            #expect(fixture.results.all.count == 1)
            let pages: Int64 = try fixture.source.query("PRAGMA page_count")
            #expect(progress.totalUnitCount == pages)
            #expect(progress.completedUnitCount == pages)
            #expect(progress.fractionCompleted == 1)
            #expect(progress.isFinished)
            try expectSame(fixture.destination, fixture.source)
            try fixture.source.close()
            try fixture.destination.close()
        }

        @Test func theCompletionIsCalledOnItsQueue() async throws {
            let key = DispatchSpecificKey<String>()
            fixture.completionQueue.setSpecific(key: key, value: "here")
            let (names, done) = (SharedNotes<String>(), Gate())
            try copy { _ in
                names.note(DispatchQueue.getSpecific(key: key) ?? "elsewhere")
                done.open()
            }
            await done.opened()
            #expect(names.all == ["here"])
        }

        @Test func aLockedSourceIsTriedAgain() async throws {
            fixture.backupQueue.suspend()
            try fixture.begin()
            let holder = try fixture.folder.connection()
            try holder.execute("BEGIN EXCLUSIVE")
            fixture.backupQueue.resume()
            // Whether a step comes before this or not, the backup succeeds.
            let handed = Handed(value: holder)
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) {
                #expect(throws: Never.self) { try handed.value.execute("COMMIT") }
            }
            #expect(try await fixture.results.first().isSuccess)
            try expectSame(fixture.destination, fixture.source)
        }

        @Test func oneQueueMayServeForBoth() async throws {
            try fixture.source.backup(
                to: fixture.destination,
                backupQueue: fixture.backupQueue,
                completionQueue: fixture.backupQueue
            ) { [results = fixture.results] in
                results.note($0)
            }
            #expect(try await fixture.results.first().isSuccess)
            try expectSame(fixture.destination, fixture.source)
        }

        @Test func theDestinationIsFreeInTheCompletion() async throws {
            let (found, done) = (SharedNotes<Int>(), Gate())
            let handed = Handed(value: fixture.destination)
            try copy { _ in
                found.note((try? count("t", on: handed.value)) ?? -1)
                done.open()
            }
            await done.opened()
            #expect(found.all == [100])
        }

        @Test func theDestinationIsLentUntilTheCompletion() async throws {
            fixture.backupQueue.suspend()
            let statement = try fixture.destination.prepare("SELECT count(*) FROM t")
            try fixture.begin()
            expectSQLiteError(.misuse) { try count("t", on: fixture.destination) }
            expectSQLiteError(.misuse) { try statement.query() as Int }
            expectSQLiteError(.misuse) { try fixture.destination.close() }
            expectSQLiteError(.misuse) { try fixture.begin() }
            fixture.backupQueue.resume()
            #expect(try await fixture.results.first().isSuccess)
            #expect(try statement.query() == 100)
            try expectSame(fixture.destination, fixture.source)
            fixture.finishQueues()
            #expect(fixture.results.all.count == 1)
        }

        @Test func whatIsWrittenAfterTheCallIsNotInACopyOfAWAL() async throws {
            try fixture.source.execute("PRAGMA journal_mode = WAL")
            let before = try texts(fixture.source)
            fixture.backupQueue.suspend()
            try fixture.begin(pageSize: 1)
            try fixture.source.run("UPDATE t SET x = 'new'")
            fixture.backupQueue.resume()
            for id in 1...20 {
                try fixture.source.run("DELETE FROM t WHERE id = ?", id)
            }
            #expect(try await fixture.results.first().isSuccess)
            #expect(try texts(fixture.destination) == before)
            #expect(try fixture.destination.integrityCheck() == [])
            #expect(try count("t", on: fixture.source) == 80)
        }

        @Test func whatIsWrittenAfterTheCallDoesNotKeepARollbackJournalFromBeingCopied()
            async throws
        {
            try fixture.source.execute("PRAGMA busy_timeout = 5000")
            try fixture.begin(pageSize: 2)
            for id in 1...20 {
                try fixture.source.run("DELETE FROM t WHERE id = ?", id)
            }
            #expect(try await fixture.results.first().isSuccess)
            let rows = try count("t", on: fixture.destination)
            #expect((80...100).contains(rows))
            #expect(try fixture.destination.query("SELECT max(id) - min(id) + 1 FROM t") == rows)
            #expect(try fixture.destination.integrityCheck() == [])
        }

        @Test func nothingIsReadAnyMoreInTheCompletion() async throws {
            try fixture.source.execute("PRAGMA journal_mode = WAL")
            let errors = SharedNotes<String>()
            for _ in 0..<50 {
                let done = Gate()
                try copy {
                    [folder = fixture.folder] _ in
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
                try fixture.source.execute("PRAGMA journal_mode = \(mode)")
                let results = BackupResults()
                fixture.backupQueue.suspend()
                var other: Connection? = try Connection(path: fixture.folder.path())
                try other?.backup(
                    to: fixture.destination,
                    backupQueue: fixture.backupQueue,
                    completionQueue: fixture.completionQueue
                ) { results.note($0) }
                if mode == "WAL" {
                    try other?.close()
                }
                other = nil
                fixture.backupQueue.resume()
                #expect(try await results.first().isSuccess)
                try expectSame(fixture.destination, fixture.source)
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
                fixture.backupQueue.suspend()
                defer { try? memory.close() }
                do {
                    try copy(memory, pageSize: 3) { results.note($0) }
                } catch {
                    Issue.record("\(location): \(error)")
                    fixture.backupQueue.resume()
                    continue
                }
                try memory.run("DELETE FROM t")
                fixture.backupQueue.resume()
                #expect(try await results.first().isSuccess, "\(location)")
                #expect(try texts(fixture.destination) == before, "\(location)")
            }
        }

        @Test func theTemporaryDatabaseAndAttachedOnesAreCopied() async throws {
            try fixture.source.execute("CREATE TEMP TABLE own(x); INSERT INTO own VALUES(1), (2)")
            try fixture.begin("temp")
            #expect(try await fixture.results.first().isSuccess)
            #expect(try count("own", on: fixture.destination) == 2)

            let (hub, again) = (try Connection(), BackupResults())
            try hub.attachDatabase(from: .onDisk(fixture.folder.path()), withName: "it's")
            try copy(hub, named: "it's") { again.note($0) }
            #expect(try await again.first().isSuccess)
            try expectSame(fixture.destination, fixture.source)
        }

        @Test(.encryption) func anAttachedFileWithAnotherKeyIsRefusedWithAdvice() async throws {
            for (key, other) in [(Keys.one, Keys.other), (nil, Keys.other), (Keys.one, nil)] {
                let folder = try TemporaryFolder()
                let (path, otherPath) = (folder.path(), folder.path("other.sqlite"))
                let source = try Connection(path: path, configuration: .init(key: key))
                let made = try Connection(path: otherPath, configuration: .init(key: other))
                try fill(made)
                try source.attachDatabase(
                    from: .onDisk(otherPath),
                    withName: "other",
                    key: other ?? Data()
                )
                let destination = try Connection(
                    path: folder.path("copy.sqlite"),
                    configuration: .init(key: other)
                )
                expectSQLiteError(.notADatabase, containing: "without a completion") {
                    try source.backup(databaseNamed: "other", to: destination) { _ in recordCall() }
                }
                try source.backup(databaseNamed: "other", to: destination)
                try expectSame(destination, made)
            }
        }

        @Test func nothingIsWrittenBesideAnImmutableFile() async throws {
            let path = fixture.folder.path("immutable.sqlite")
            try makeFile(at: path, setup: "PRAGMA journal_mode = WAL").close()
            var configuration = Connection.Configuration()
            configuration.readOnly = true
            let source = try Connection(
                storageLocation: .uri("file:\(path)?immutable=1"),
                configuration: configuration
            )
            let hub = try Connection(storageLocation: .uri("file::memory:"))
            try hub.attachDatabase(from: .uri("file:\(path)?immutable=1"), withName: "other")
            func files() throws -> [String] {
                try fixture.folder.files().filter { $0.hasPrefix("immutable") }
            }
            for (name, connection) in [("main", source), ("other", hub)] {
                let results = BackupResults()
                try copy(connection, named: name) { results.note($0) }
                #expect(try files() == ["immutable.sqlite"])
                #expect(try await results.first().isSuccess)
                #expect(try files() == ["immutable.sqlite"])
                try expectSame(fixture.destination, source)
            }
        }

        @Test func aSmallTimeLockedSourceIsWaitedFor() async throws {
            let other = try fixture.folder.connection()
            try other.execute("BEGIN EXCLUSIVE")
            let progress = try? fixture.begin()
            // Where the lock keeps even the call from beginning, there is nothing to wait for.
            guard progress != nil else { return try other.execute("ROLLBACK") }
            // Many times as long as a step takes: nothing shows that one has found the lock.
            try await Task.sleep(for: .milliseconds(50))
            #expect(fixture.results.all.isEmpty)
            try other.execute("ROLLBACK")
            #expect(try await fixture.results.first().isSuccess)
            try expectSame(fixture.destination, fixture.source)
        }

        @Test func aFailureIsAResultAndLeavesTheDestinationAsItWas() async throws {
            try fixture.destination.execute("PRAGMA max_page_count = 12")
            try fixture.begin(pageSize: 5)
            guard case .failure(let error) = try await fixture.results.first() else {
                Issue.record("it didn't fail")
                return
            }
            #expect((error as? SQLiteError)?.resultCode == .full)
            fixture.finishQueues()
            #expect(fixture.results.all.count == 1)
            try fixture.expectOld()
        }

        @Test func aPageSizeOfZeroThrows() throws {
            expectSQLiteError(.misuse) { try fixture.begin(pageSize: 0) }
            try fixture.expectOld()
            fixture.finishQueues()
            #expect(fixture.results.all.isEmpty)
        }

        @Test func aDestinationInATransactionThrowsAtTheCall() throws {
            try fixture.destination.execute("BEGIN; SELECT count(*) FROM t")
            #expect(sqliteError { try fixture.begin() } != nil)
            try fixture.destination.execute("COMMIT")
            try fixture.expectOld()
            fixture.finishQueues()
            #expect(fixture.results.all.isEmpty)
        }

        @Test func aResultIsOneOfThree() {
            let results: [Connection.BackupResult] = [.success, .failure(TestError()), .cancelled]
            #expect(results.map(\.isSuccess) == [true, false, false])
            #expect(results.map(\.isFailure) == [false, true, false])
            #expect(results.map(\.isCancelled) == [false, false, true])
        }
    }
}

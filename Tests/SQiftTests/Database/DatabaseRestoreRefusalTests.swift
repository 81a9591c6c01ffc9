import Foundation
import SQift
import SQiftTestSupport
import Testing

/// What isn't restored, and changes nothing.
extension DatabaseSuites {
    struct DatabaseRestoreRefusalTests {
        private let folder = TemporaryFolder.fresh
        private let target = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.open { $0.busyTimeout = 0.05 }
            try database.write { try fill($0, rows: 7, with: "old") }
        }

        private var path: String { target.path("backup.sqlite") }

        /// Expects that the database is as it was, and works.
        private func expectOld(
            _ database: Database? = nil,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let database = database ?? self.database
            let (rows, problems) = try await database.read {
                try (count("t", on: $0), $0.integrityCheck())
            }
            #expect(rows == 7, sourceLocation: sourceLocation)
            #expect(problems == [], sourceLocation: sourceLocation)
            try await database.write { connection in
                try connection.run("INSERT INTO t(x) VALUES('more')")
                try connection.run("DELETE FROM t WHERE x = 'more'")
            }
            let left = try folder.files().filter { !$0.hasPrefix("test.sqlite") }
            #expect(left == [], sourceLocation: sourceLocation)
        }

        /// Expects that an error is a `BackupError` with this reason, or an `SQLiteError` with this
        /// result code, and that these words are in its message.
        private func expect(
            _ error: (any Error)?,
            _ reason: BackupError.Reason?,
            _ code: ResultCode?,
            containing words: String = "",
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let (backup, sqlite) = (error as? BackupError, error as? SQLiteError)
            let comment: Comment = "\(String(describing: error))"
            #expect(backup?.reason == reason, comment, sourceLocation: sourceLocation)
            #expect(sqlite?.resultCode == code, comment, sourceLocation: sourceLocation)
            let message = backup?.message ?? sqlite?.message ?? ""
            let isContained = words.isEmpty || message.contains(words)
            #expect(isContained, comment, sourceLocation: sourceLocation)
        }

        /// Expects that both forms refuse a backup, and leave all as it is.
        @discardableResult
        private func expectRefused(
            _ location: StorageLocation? = nil,
            of database: Database? = nil,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws -> (any Error)? {
            let (database, location) = (database ?? self.database, location ?? .onDisk(path))
            let before = try contents(of: target.url)
            let error = await expectTaskThrows((any Error).self, sourceLocation: sourceLocation) {
                try await database.restore(from: location) { _ in
                    recordCall(sourceLocation: sourceLocation)
                }
            }
            let synchronous = Worker { try database.restore(from: location) }
            await expectTaskThrows((any Error).self, sourceLocation: sourceLocation) {
                try await synchronous.finalValue()
            }
            try await expectOld(database, sourceLocation: sourceLocation)
            let after = try contents(of: target.url)
            #expect(after == before, sourceLocation: sourceLocation)
            return error
        }

        @Test func itsErrorsNameTheBackupAndNotTheDatabase() async throws {
            try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: path))
            let noDatabase = try await expectRefused()
            try FileManager.default.removeItem(atPath: path)
            let holder = try makeFile(at: path)
            try holder.execute("BEGIN EXCLUSIVE")
            let locked = try await expectRefused()
            expect(locked, nil, .busy)
            for error in [noDatabase, locked] {
                let message = (error as? SQLiteError)?.message ?? ""
                #expect(message.contains(path))
                #expect(!message.contains(folder.path()), "\(message)")
            }
        }

        @Test func anEmptyFileIsRefused() async throws {
            try Data().write(to: URL(fileURLWithPath: path))
            let error = try await expectRefused()
            expect(error, .damaged, nil)
        }

        @Test(arguments: ["xy", "precious", String(repeating: "precious ", count: 2000)])
        func aFileThatIsNoDatabaseIsRefused(text: String) async throws {
            try write(text, toFile: path)
            let error = try await expectRefused()
            expect(error, nil, .notADatabase, containing: path)
            // What the caller knows is the path, not a pragma of ours.
            #expect((error as? SQLiteError)?.sql == nil)
        }

        @Test func aFileThatIsMissingIsRefusedAndNotMade() async throws {
            let error = try await expectRefused()
            expect(error, nil, .cantOpen, containing: path)
            try await expectRefused(.onDisk(target.path("gone/backup.sqlite")))
            try await expectRefused(.uri("file:\(path)?mode=rwc"))
            try target.expectFiles()
        }

        @Test func aBackupWhoseFirstPageIsDamagedIsRefusedByItsPath() async throws {
            try makeFile(at: path).close()
            try overwrite(path, at: 100, with: Data(repeating: 0xff, count: 400))
            let error = try await expectRefused()
            expect(error, nil, .corrupt, containing: path)
        }

        @Test func aFolderIsRefused() async throws {
            let error = try await expectRefused(.onDisk(target.url.path))
            let message = (error as? SQLiteError)?.message ?? ""
            #expect(message.contains("a folder") && message.contains(target.url.path))
        }

        /// SQLite would wait for a pipe forever, and with it each write.
        @Test func aPipeIsRefused() async throws {
            try #require(mkfifo(path, 0o644) == 0)
            try target.link("link", to: path)
            for name in ["backup.sqlite", "link"] {
                let error = await expectTaskThrows(BackupError.self) { [database, target] in
                    try await database.restore(from: .onDisk(target.path(name)))
                }
                expect(error, .damaged, nil, containing: "isn't a file")
            }
            try await expectOld()
        }

        @Test func databasesOfNobodyAreRefused() async throws {
            for location in [
                StorageLocation.inMemory, .temporary, .onDisk(""), .onDisk(":memory:"),
                .onDisk("a\0b"),
            ] {
                try await expectRefused(location)
            }
        }

        @Test(arguments: [4096, 1024])
        func aDamagedBackupIsRefused(size: Int) async throws {
            try makeFile(at: path, setup: "PRAGMA page_size = \(size)").close()
            try damageIndex(path)
            let error = try await expectRefused()
            expect(error, .damaged, nil, containing: path)
        }

        @Test func aBackupThatIsCutOffIsRefused() async throws {
            try makeFile(at: path).close()
            let data = try bytes(of: path)
            for size in [4096, 8192, data.count / 2, data.count - 4096, 100, 5000] {
                try data.prefix(size).write(to: URL(fileURLWithPath: path))
                try await expectRefused()
            }
        }

        @Test(arguments: [("UTF-16le", "UTF-8"), ("UTF-8", "UTF-16be")], [4096, 1024])
        func anotherEncodingIsRefused(encodings: (String, String), size: Int) async throws {
            try makeFile(
                at: folder.path("test.sqlite2"),
                rows: 7,
                setup: "PRAGMA encoding = '\(encodings.1)'"
            ).close()
            let other = try Database(path: folder.path("test.sqlite2"))
            let setup = "PRAGMA encoding = '\(encodings.0)'; PRAGMA page_size = \(size)"
            try makeFile(at: path, setup: setup).close()
            let error = try await expectRefused(of: other)
            expect(error, .textEncoding, nil)
            try await other.close()
        }

        @Test func theSameEncodingIsRestored() async throws {
            try makeFile(
                at: folder.path("test.sqlite2"),
                rows: 7,
                setup: "PRAGMA encoding = 'UTF-16le'"
            ).close()
            let other = try Database(path: folder.path("test.sqlite2"))
            try makeFile(
                at: path,
                with: "日本",
                setup: "PRAGMA encoding = 'UTF-16le'; PRAGMA page_size = 1024"
            ).close()
            try await other.restore(from: path)
            let found = try await other.read { try texts($0) }
            #expect(try found == texts(Connection(path: path)))
        }

        @Test func theDatabaseItselfIsRefused() async throws {
            try await database.checkpoint()
            try target.link("link", to: folder.path())
            try FileManager.default.linkItem(atPath: folder.path(), toPath: target.path("hard"))
            for location in [
                StorageLocation.onDisk(folder.path()), .onDisk(target.path("link")),
                .onDisk(target.path("hard")), .uri("file:\(folder.path())"),
            ] {
                let error = await expectTaskThrows((any Error).self) {
                    try await database.restore(from: location)
                }
                expect(error, .sameDatabase, nil)
                try await expectOld()
            }
        }

        @Test(.enabled(if: Capability.sharedMemory))
        func aNamedDatabaseInMemoryItselfIsRefused() async throws {
            let location = StorageLocation.uri("file:/\(UUID().uuidString)?vfs=memdb")
            let memory = try Database.open(location)
            try await memory.write { try fill($0, rows: 7, with: "old") }
            await expectTaskBackupError(.sameDatabase) {
                try await memory.restore(from: location)
            }
            try await expectOld(memory)
        }

        @Test func aReadOnlyDatabaseIsNotRestored() async throws {
            try makeFile(at: path).close()
            let readOnly = try folder.open { $0.accessMode = .readOnly() }
            await expectTaskSQLiteError(.readOnly) {
                try await readOnly.restore(from: .onDisk(path))
            }
            try await readOnly.close()
            try await expectOld()
        }

        @Test(arguments: [4096, 1024])
        func aWriteLockOfAnotherConnectionIsBusyAndChangesNothing(size: Int) async throws {
            try makeFile(at: path, setup: "PRAGMA page_size = \(size)").close()
            let other = try folder.connection()
            try other.execute("BEGIN IMMEDIATE")
            await expectTaskSQLiteError(.busy) {
                try await database.restore(from: path)
            }
            try other.execute("ROLLBACK")
            try await expectOld()
            try await database.restore(from: path)
            try expectRows(100, in: database)
        }

        @Test(arguments: [4096, 1024])
        func whatTheProgressThrowsEndsItAndChangesNothing(size: Int) async throws {
            try makeFile(at: path, setup: "PRAGMA page_size = \(size)").close()
            for call in 1...3 {
                let calls = SharedCount()
                await expectTaskThrows(TestError()) {
                    try await database.restore(from: .onDisk(path), pagesPerStep: 5) { _ in
                        if calls.add(1) == call {
                            throw TestError()
                        }
                    }
                }
                try await expectOld()
            }
            await expectTaskSQLiteError(.misuse) {
                try await database.restore(from: .onDisk(path), pagesPerStep: 0)
            }
            try await expectOld()
        }

        @Test(arguments: [4096, 1024])
        func cancellingEndsItAndChangesNothing(size: Int) async throws {
            try makeFile(at: path, setup: "PRAGMA page_size = \(size)").close()
            let (begun, goOn) = (Gate(), Gate())
            let task = Task.detached { [database, path] in
                try await database.restore(from: .onDisk(path), pagesPerStep: 5) { _ in
                    begun.open()
                    goOn.wait()
                }
            }
            await expectCancelled(task, once: begun, opening: goOn)
            try await expectOld()

            let early = Task.detached { [database, path] in
                withUnsafeCurrentTask { $0?.cancel() }
                try await database.restore(from: .onDisk(path)) { _ in recordCall() }
            }
            await expectCancelled(early)
            try await expectOld()
        }

        @Test func cancellingAtAnyMomentLeavesTheOldOrTheNewState() async throws {
            try makeFile(at: path, setup: "PRAGMA page_size = 1024").close()
            try makeOldFile(at: target.path("old.sqlite"))
            var wrong = 0
            for _ in 0..<60 {
                let delay = UInt64.random(in: 0...10_000_000)
                let task = Task.detached { [database, path] in
                    try await database.restore(from: .onDisk(path), pagesPerStep: 3)
                }
                // A moment of the restoring at random: that is the test.
                try await Task.sleep(nanoseconds: delay)
                task.cancel()
                var expectedRows = 100
                if case .failure(let error) = await task.result {
                    #expect(error is CancellationError, "thrown: \(error)")
                    expectedRows = 7
                }
                let (rows, problems) = try await database.read {
                    try (count("t", on: $0), $0.integrityCheck())
                }
                if rows != expectedRows {
                    wrong += 1
                }
                #expect(problems == [])
                if rows != 7 {
                    try await database.restore(from: target.path("old.sqlite"))
                }
            }
            #expect(wrong == 0, "so many of 60 threw though all was restored, or the reverse")
            try await expectOld()
        }

        @Test func closedAndSuspendedDatabasesRefuse() async throws {
            try makeFile(at: path).close()
            try await database.suspend()
            try await expectTaskRefusal(.suspended) {
                try await database.restore(from: path)
            }
            database.resume()
            try await expectOld()
            try await database.close()
            try await expectTaskRefusal(.closed) { try await database.restore(from: path) }
        }
    }
}

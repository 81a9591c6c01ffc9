import Foundation
import SQiftTestSupport
import Testing

import SQift

/// What isn't restored, and changes nothing.
extension DatabaseSuites {
    struct DatabaseRestoreRefusalTests {
        private let folder: TemporaryFolder
        private let target: TemporaryFolder
        private let database: Database

        init() throws {
            (folder, target) = try (TemporaryFolder(), TemporaryFolder())
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
            #expect((locked as? SQLiteError)?.resultCode == .busy)
            for error in [noDatabase, locked] {
                let message = (error as? SQLiteError)?.message ?? ""
                #expect(message.contains(path))
                #expect(!message.contains(folder.path()), "\(message)")
            }
        }

        @Test func anEmptyFileIsRefused() async throws {
            try Data().write(to: URL(fileURLWithPath: path))
            let error = try await expectRefused()
            #expect((error as? BackupError)?.reason == .damaged)
        }

        @Test(arguments: ["xy", "precious", String(repeating: "precious ", count: 2000)])
        func aFileThatIsNoDatabaseIsRefused(text: String) async throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            let error = try await expectRefused()
            #expect(
                (error as? SQLiteError)?.resultCode == .notADatabase,
                "\(String(describing: error))"
            )
            // What the caller knows is the path, not a pragma of ours.
            #expect((error as? SQLiteError)?.message.contains(path) == true)
            #expect((error as? SQLiteError)?.sql == nil)
        }

        @Test func aFileThatIsMissingIsRefusedAndNotMade() async throws {
            let error = try await expectRefused()
            #expect(
                (error as? SQLiteError)?.resultCode == .cantOpen,
                "\(String(describing: error))"
            )
            #expect((error as? SQLiteError)?.message.contains(path) == true)
            try await expectRefused(.onDisk(target.path("gone/backup.sqlite")))
            try await expectRefused(.uri("file:\(path)?mode=rwc"))
            #expect(try target.files() == [])
        }

        @Test func aBackupWhoseFirstPageIsDamagedIsRefusedByItsPath() async throws {
            try makeFile(at: path).close()
            try overwrite(path, at: 100, with: Data(repeating: 0xff, count: 400))
            let error = try await expectRefused()
            #expect(
                (error as? SQLiteError)?.resultCode == .corrupt,
                "\(String(describing: error))"
            )
            #expect((error as? SQLiteError)?.message.contains(path) == true)
        }

        @Test func aFolderIsRefused() async throws {
            let error = try await expectRefused(.onDisk(target.url.path))
            let message = (error as? SQLiteError)?.message ?? ""
            #expect(message.contains("a folder") && message.contains(target.url.path))
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
            #expect((error as? BackupError)?.reason == .damaged, "\(String(describing: error))")
            #expect((error as? BackupError)?.message.contains(path) == true)
        }

        @Test func aBackupThatIsCutOffIsRefused() async throws {
            try makeFile(at: path).close()
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            for size in [4096, 8192, data.count / 2, data.count - 4096, 100, 5000] {
                try data.prefix(size).write(to: URL(fileURLWithPath: path))
                try await expectRefused()
            }
        }

        @Test(arguments: [("UTF-16le", "UTF-8"), ("UTF-8", "UTF-16be")], [4096, 1024])
        func anotherEncodingIsRefused(encodings: (String, String), size: Int) async throws {
            let database = try Database(path: folder.path("test.sqlite2"))
            try await database.close()
            try FileManager.default.removeItem(atPath: folder.path("test.sqlite2"))
            try makeFile(
                at: folder.path("test.sqlite2"),
                rows: 7,
                setup: "PRAGMA encoding = '\(encodings.1)'"
            ).close()
            let other = try Database(path: folder.path("test.sqlite2"))
            let setup = "PRAGMA encoding = '\(encodings.0)'; PRAGMA page_size = \(size)"
            try makeFile(at: path, setup: setup).close()
            let error = try await expectRefused(of: other)
            #expect(
                (error as? BackupError)?.reason == .textEncoding,
                "\(String(describing: error))"
            )
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
            try await other.restore(from: .onDisk(path))
            let found = try await other.read { try texts($0) }
            #expect(try found == texts(Connection(path: path)))
        }

        @Test func theDatabaseItselfIsRefused() async throws {
            let manager = FileManager.default
            try manager.createSymbolicLink(
                atPath: target.path("link"),
                withDestinationPath: folder.path()
            )
            for location in [
                StorageLocation.onDisk(folder.path()), .onDisk(target.path("link")),
                .uri("file:\(folder.path())"),
            ] {
                let error = await expectTaskThrows((any Error).self) {
                    try await database.restore(from: location)
                }
                #expect(
                    (error as? BackupError)?.reason == .sameDatabase,
                    "\(location): \(String(describing: error))"
                )
                try await expectOld()
            }
        }

        @Test(.enabled(if: Capability.sharedMemory))
        func aNamedDatabaseInMemoryItselfIsRefused() async throws {
            let location = StorageLocation.uri("file:/\(UUID().uuidString)?vfs=memdb")
            let memory = try Database(storageLocation: location, configuration: .init())
            try await memory.write { try fill($0, rows: 7, with: "old") }
            let error = await expectTaskThrows(BackupError.self) {
                try await memory.restore(from: location)
            }
            #expect(error?.reason == .sameDatabase)
            try await expectOld(memory)
        }

        @Test func aHardLinkToTheDatabaseIsRefused() async throws {
            try await database.checkpoint()
            try FileManager.default.linkItem(atPath: folder.path(), toPath: target.path("hard"))
            let error = await expectTaskThrows((any Error).self) {
                try await database.restore(from: .onDisk(target.path("hard")))
            }
            #expect(
                (error as? BackupError)?.reason == .sameDatabase,
                "\(String(describing: error))"
            )
            try await expectOld()
        }

        @Test func aReadOnlyDatabaseIsNotRestored() async throws {
            try makeFile(at: path).close()
            let readOnly = try folder.open { $0.accessMode = .readOnly() }
            let error = await expectTaskThrows((any Error).self) {
                try await readOnly.restore(from: .onDisk(path))
            }
            #expect(
                (error as? SQLiteError)?.resultCode == .readOnly,
                "\(String(describing: error))"
            )
            try await readOnly.close()
            try await expectOld()
        }

        @Test(arguments: [4096, 1024])
        func aWriteLockOfAnotherConnectionIsBusyAndChangesNothing(size: Int) async throws {
            try makeFile(at: path, setup: "PRAGMA page_size = \(size)").close()
            let other = try folder.connection()
            try other.execute("BEGIN IMMEDIATE")
            let error = await expectTaskThrows((any Error).self) {
                try await database.restore(from: .onDisk(path))
            }
            #expect((error as? SQLiteError)?.resultCode == .busy, "\(String(describing: error))")
            try other.execute("ROLLBACK")
            try await expectOld()
            try await database.restore(from: .onDisk(path))
            #expect(try rows(database) == 100)
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
            let error = await expectTaskThrows(SQLiteError.self) {
                try await database.restore(from: .onDisk(path), pagesPerStep: 0)
            }
            #expect(error?.resultCode == .misuse)
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
            await begun.opened()
            task.cancel()
            goOn.open()
            await expectCancelled(task)
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
            try makeFile(at: target.path("old.sqlite"), rows: 7, with: "old").close()
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
                    try await database.restore(from: .onDisk(target.path("old.sqlite")))
                }
            }
            #expect(wrong == 0, "so many of 60 threw though all was restored, or the reverse")
            try await expectOld()
        }

        @Test func closedAndSuspendedDatabasesRefuse() async throws {
            try makeFile(at: path).close()
            try await database.suspend()
            let suspended = try await taskRefusal {
                try await database.restore(from: .onDisk(path))
            }
            #expect(suspended == .suspended)
            database.resume()
            try await expectOld()
            try await database.close()
            let closed = try await taskRefusal { try await database.restore(from: .onDisk(path)) }
            #expect(closed == .closed)
        }
    }
}

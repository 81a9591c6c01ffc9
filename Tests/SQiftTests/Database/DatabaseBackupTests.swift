import Foundation
import SQift
import SQiftTestSupport
import Testing

/// What `Database.backup` writes.
extension DatabaseSuites {
    struct DatabaseBackupTests {
        private let folder = TemporaryFolder.fresh
        private let target = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.open()
            try database.write { try fill($0) }
        }

        private var path: String { target.path("backup.sqlite") }

        /// Expects that the folder has a backup in it, and nothing else.
        private func expectBackup(
            rows: Int = 100,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            #expect(try target.files() == ["backup.sqlite"], sourceLocation: sourceLocation)
            let backup = try Connection(path: path)
            #expect(
                try backup.query("PRAGMA journal_mode") == "delete",
                sourceLocation: sourceLocation
            )
            #expect(try count("t", on: backup) == rows, sourceLocation: sourceLocation)
            try expectSound(backup, sourceLocation: sourceLocation)
            #expect(try target.files() == ["backup.sqlite"], sourceLocation: sourceLocation)
        }

        @Test func aBackupIsOneFileInNoWAL() async throws {
            try await database.backup(to: path)
            try expectBackup()
            // The versions that tell of a WAL.
            let header = try bytes(of: path).prefix(20)
            #expect(Array(header[18..<20]) == [1, 1])
        }

        @Test func theSynchronousFormDoesTheSame() throws {
            try database.backup(to: path)
            try expectBackup()
            try database.backup(to: .onDisk(path), pagesPerStep: -1) { _ in }
            try expectBackup()
        }

        @Test func theSourceStaysAsItIs() async throws {
            let names = try folder.files()
            try await database.backup(to: path)
            #expect(try folder.files() == names)
            try await database.write { connection in
                #expect(try connection.query("PRAGMA journal_mode") == "wal")
                try connection.run("INSERT INTO t(x) VALUES(1)")
            }
            try await database.close()
            try folder.expectFiles("test.sqlite")
        }

        @Test func theSnapshotIsGoneAfterwards() async throws {
            try await database.backup(to: path)
            try await database.run("DELETE FROM t WHERE id > 50")
            let result = try await database.checkpoint(mode: .truncate)
            _ = result
            #expect(folder.size("test.sqlite-wal") == 0)
        }

        @Test func theProgressCountsUpToTheTotal() async throws {
            let notes = SharedNotes<Backup.Progress>()
            try await database.backup(to: .onDisk(path), pagesPerStep: 10) { notes.note($0) }
            let pages = try await database.read { try $0.query("PRAGMA page_count") as Int }
            #expect(notes.all.allSatisfy { $0.pageCount == pages })
            #expect(notes.all.last?.fractionCompleted == 1)
            #expect(
                zip(notes.all, notes.all.dropFirst()).allSatisfy {
                    $0.remainingPageCount > $1.remainingPageCount
                }
            )
            #expect(notes.all.count >= pages / 10)
        }

        @Test func stepsOfNoPagesThrowAndLeaveNothing() async throws {
            await expectTaskSQLiteError(.misuse) {
                try await database.backup(to: .onDisk(path), pagesPerStep: 0)
            }
            try target.expectFiles()
        }

        @Test func aBackupIsOfTheStateInWhichItBegan() async throws {
            try await database.backup(to: .onDisk(path), pagesPerStep: 5) { [database] _ in
                _ = try Worker {
                    try database.run("DELETE FROM t WHERE id = (SELECT max(id) FROM t)")
                }
                .value()
            }
            try expectBackup()
            let rows = try await database.read { try count("t", on: $0) }
            #expect(rows < 100)
        }

        @Test func aSteadyWriterNeitherWaitsNorMakesItStartOver() async throws {
            let (stop, begun) = (Gate(), Gate())
            try await database.execute("CREATE TABLE pair(a, b); INSERT INTO pair VALUES(0, 0)")
            let writer = Worker { [database] in
                var number = 0
                while !stop.isOpen {
                    number += 1
                    try database.write {
                        try $0.run("UPDATE pair SET a = ?", number)
                        try $0.run(
                            "UPDATE t SET x = ? WHERE id = ?",
                            "changed \(number)",
                            number % 100 + 1
                        )
                        try $0.run("UPDATE pair SET b = ?", number)
                    }
                    if number == 5 {
                        begun.open()
                    }
                }
                return number
            }
            await begun.opened()
            for _ in 0..<5 {
                let notes = SharedNotes<Int>()
                try await database.backup(to: .onDisk(path), pagesPerStep: 2) {
                    notes.note($0.remainingPageCount)
                }
                #expect(zip(notes.all, notes.all.dropFirst()).allSatisfy { $0 > $1 })
                try expectBackup()
                let isConsistent: Bool = try Connection(path: path).query(
                    "SELECT a = b AND a > 0 FROM pair"
                )
                #expect(isConsistent)
            }
            stop.open()
            try await writer.finalValue()
        }

        @Test(arguments: [0o600, 0o640, 0o644, 0o660, 0o666])
        func theFileThatIsReplacedGivesThePermissions(mode: Int) async throws {
            try makeOldFile(at: path)
            try setPermissions(mode, of: path)
            try await database.backup(to: path)
            #expect(try permissions(path) == mode)
            try expectBackup()
        }

        @Test(arguments: [0o600, 0o640, 0o666])
        func elseTheDatabaseGivesThePermissions(mode: Int) async throws {
            try setPermissions(mode, of: folder.path())
            try await database.backup(to: path)
            #expect(try permissions(path) == mode)
        }

        @Test(arguments: [0o600, 0o644])
        func nobodyElseCanReadACopyThatIsNotComplete(mode: Int) async throws {
            try setPermissions(mode, of: folder.path())
            try await database.backup(to: .onDisk(path), pagesPerStep: 5) { [target] _ in
                for name in try target.files() where !name.hasSuffix("-lock") {
                    #expect(try permissions(target.path(name)) == 0o600, "\(name)")
                }
            }
        }

        @Test func theOldFileIsReplacedAsAWhole() async throws {
            try makeOldFile(at: path)
            try await database.backup(to: .onDisk(path), pagesPerStep: 5) { [path] _ in
                // Whoever reads it meanwhile finds the old one.
                try expectRows(7, on: Connection(path: path))
            }
            try expectBackup()
        }

        @Test func anEmptyFileIsReplaced() async throws {
            try Data().write(to: URL(fileURLWithPath: path))
            try await database.backup(to: path)
            try expectBackup()
        }

        @Test func aLargerOldBackupIsReplaced() async throws {
            try makeFile(at: path, rows: 2000, with: "old", setup: "PRAGMA page_size = 512").close()
            try await database.backup(to: path)
            try expectBackup()
        }

        @Test(arguments: [
            "with space", "it's.sqlite", "日本😀", "a?mode=memory#%41", ".hidden", "-wal", "x-journal",
            "a\nb",
        ])
        func aNameIsAName(name: String) async throws {
            for _ in 0..<2 {
                try await database.backup(to: target.path(name))
                #expect(try target.files() == [name])
                try expectRows(100, on: Connection(path: target.path(name)))
            }
        }

        @Test func aNameThatIsTooLongForAFileIsRefused() async throws {
            let long = StorageLocation.onDisk(target.path(String(repeating: "n", count: 256)))
            await expectTaskSQLiteError(containing: "name too long") {
                try await database.backup(to: long)
            }
            try target.expectFiles()
        }

        @Test func aRelativePathThatLooksLikeAURIStaysAPath() async throws {
            let name = "file:SQiftTests-\(UUID().uuidString)?mode=memory"
            defer { try? FileManager.default.removeItem(atPath: name) }
            try await database.backup(to: name)
            try expectRows(100, on: Connection(path: "./" + name))
        }

        @Test func aLinkStaysALinkToTheBackup() async throws {
            let elsewhere = try TemporaryFolder()
            let file = elsewhere.path("real.sqlite")
            try makeOldFile(at: file)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: file)
            try await database.backup(to: path)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == file)
            try target.expectFiles("backup.sqlite")
            try elsewhere.expectFiles("real.sqlite")
            try expectRows(100, on: Connection(path: file))
        }

        @Test func otherFilesOfTheFolderStay() async throws {
            let names = [
                "backup.sqlite.backup-1", ".backup.sqlite.backup-notes", "backup.sqlite2-wal",
                "note",
            ]
            for name in names {
                try write(name, toFile: target.path(name))
            }
            try await database.backup(to: path)
            for name in names {
                #expect(
                    try bytes(of: target.path(name)) == Data(name.utf8)
                )
            }
            #expect(try target.files().count == names.count + 1)
        }

        @Test func noDescriptorIsLeft() async throws {
            try await database.backup(to: path)
            let count = folder.descriptorCount()
            for _ in 0..<5 {
                try await database.backup(to: path)
            }
            #expect(target.descriptorCount() ?? 0 == 0)
            #expect(folder.descriptorCount() == count)
        }
    }
}

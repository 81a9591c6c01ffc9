import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Where a backup goes, and how long it waits for the place.
struct BackupPlaceTests {
    private let folder: TemporaryFolder
    private let target: TemporaryFolder
    private let path: String

    init() throws {
        (folder, target) = try (TemporaryFolder(), TemporaryFolder())
        path = target.path("backup.sqlite")
    }

    private func open(busyTimeout: TimeInterval = patience) throws -> Database {
        let database = try folder.open { $0.busyTimeout = busyTimeout }
        try database.write { try fill($0) }
        return database
    }

    // MARK: Files of SQLite's

    @Test(arguments: ["-wal", "-shm", "-journal"], [false, true])
    func whatIsBesideADatabaseIsNoDestination(suffix: String, isOwn: Bool) async throws {
        let database = try open()
        let other = isOwn ? folder.path() : path
        if !isOwn {
            try makeFile(at: other, rows: 7).close()
        }
        let itself = other + suffix
        let before = FileManager.default.contents(atPath: itself)
        try FileManager.default.createSymbolicLink(
            atPath: target.path("link"),
            withDestinationPath: itself
        )
        for destination in [itself, target.path("link")] {
            let error = await expectTaskThrows(BackupError.self) {
                try await database.backup(to: .onDisk(destination))
            }
            #expect(error?.reason == .unsuitableDestination, "\(error?.message ?? "")")
            #expect(error?.message.contains(suffix) == true)
        }
        if before == nil {
            #expect(!FileManager.default.fileExists(atPath: itself))
        }
        try await database.write { try $0.run("INSERT INTO t(x) VALUES(1)") }
        try await database.close()
        #expect(try count("t", on: Connection(path: other)) == (isOwn ? 101 : 7))
    }

    @Test func aNameLikeThatBesideNothingIsADestination() throws {
        let database = try open()
        try database.backup(to: .onDisk(path + "-wal"))
        #expect(try count("t", on: Connection(path: path + "-wal")) == 100)
    }

    // MARK: Links

    @Test func whatIsLeftOfAFileThatIsGoneIsRemoved() throws {
        let database = try open()
        for suffix in ["-wal", "-shm", "-journal"] {
            try Data("old".utf8).write(to: URL(fileURLWithPath: path + suffix))
        }
        try database.backup(to: .onDisk(path))
        #expect(try target.files() == ["backup.sqlite"])
        #expect(try count("t", on: Connection(path: path)) == 100)
    }

    @Test func aNewFileIsReadableByWhomTheDatabaseIs() throws {
        let database = try open()
        for mode in [0o600, 0o640, 0o666] {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode],
                ofItemAtPath: folder.path()
            )
            let name = target.path("backup\(mode).sqlite")
            try database.backup(to: .onDisk(name))
            #expect(try permissions(name) == mode)
        }
    }

    @Test func aLinkToWhatIsMissingIsWrittenThrough() throws {
        let database = try open()
        let manager = FileManager.default
        try manager.createDirectory(
            atPath: target.path("disk"),
            withIntermediateDirectories: false
        )
        for (link, goal) in [
            ("latest", path), ("relative", "disk/a.sqlite"), ("again", target.path("relative 2")),
            ("relative 2", "./disk/b.sqlite"),
        ] {
            try manager.createSymbolicLink(
                atPath: target.path(link),
                withDestinationPath: goal
            )
        }
        for (link, file) in [
            ("latest", "backup.sqlite"), ("relative", "disk/a.sqlite"), ("again", "disk/b.sqlite"),
        ] {
            for _ in 0..<2 {
                try database.backup(to: .onDisk(target.path(link)))
                #expect(
                    try manager.destinationOfSymbolicLink(atPath: target.path(link)).isEmpty
                        == false
                )
                #expect(try count("t", on: Connection(path: target.path(file))) == 100)
            }
        }
    }

    @Test func aLinkThatLeadsNowhereIsRefused() throws {
        let database = try open()
        for (link, goal) in [("lost", "gone/backup.sqlite"), ("loop", "loop")] {
            try FileManager.default.createSymbolicLink(
                atPath: target.path(link),
                withDestinationPath: goal
            )
            let error = sqliteError { try database.backup(to: .onDisk(target.path(link))) }
            #expect(error?.resultCode == .cantOpen)
            #expect(error?.message.contains(target.path(link)) == true)
        }
        #expect(try target.files() == ["loop", "lost"])
    }

    // MARK: Waiting

    @Test(arguments: ["DELETE", "WAL"])
    func itWaitsForThoseWhoReadTheOldBackup(mode: String) async throws {
        let database = try open()
        try makeFile(at: path, rows: 7, setup: "PRAGMA journal_mode = \(mode)").close()
        let (isReading, isCopied) = (Gate(), Gate())
        let reader = Worker { [path] in
            let connection = try Connection(path: path)
            try connection.execute("BEGIN; SELECT count(*) FROM t")
            isReading.open()
            isCopied.wait()
            // Until the backup has met it.
            Thread.sleep(forTimeInterval: 0.1)
            try connection.execute("COMMIT")
            try connection.close()
        }
        await isReading.opened()
        try await database.backup(to: .onDisk(path)) { _ in isCopied.open() }
        try await reader.finalValue()
        #expect(try count("t", on: Connection(path: path)) == 100)
        #expect(try target.files() == ["backup.sqlite"])
    }

    @Test func itWaitsAsLongAsTheBusyTimeout() async throws {
        let database = try open(busyTimeout: 0.2)
        let reader = try makeFile(at: path, rows: 7)
        try reader.execute("BEGIN; SELECT count(*) FROM t")
        let start = Date()
        let error = await expectTaskThrows(BackupError.self) {
            try await database.backup(to: .onDisk(path))
        }
        #expect(error?.reason == .destinationInUse)
        #expect(Date().timeIntervalSince(start) >= 0.2)
        try reader.execute("COMMIT")
        #expect(try count("t", on: reader) == 7)
    }

    @Test func cancellingEndsTheWaiting() async throws {
        let database = try open()
        let reader = try makeFile(at: path, rows: 7)
        try reader.execute("BEGIN; SELECT count(*) FROM t")
        let isCopied = Gate()
        let task = Task.detached { [path] in
            try await database.backup(to: .onDisk(path)) { progress in
                if progress.remainingPageCount == 0 {
                    isCopied.open()
                }
            }
        }
        await isCopied.opened()
        let start = Date()
        task.cancel()
        await expectCancelled(task)
        #expect(Date().timeIntervalSince(start) < patience / 2)
        try reader.execute("COMMIT")
        #expect(try count("t", on: reader) == 7)
        #expect(try target.files() == ["backup.sqlite"])
    }

    // MARK: Messages

    @Test func errorsSpeakOfTheUsersFiles() throws {
        let name = String(repeating: "n", count: 255)
        guard FileManager.default.createFile(atPath: target.path(name), contents: nil) else {
            return
        }
        try makeFile(at: folder.path(), setup: "PRAGMA page_size = 1024").close()
        var configuration = Database.Configuration()
        configuration.journalMode = .unchanged
        let database = try Database(path: target.path(name), configuration: configuration)
        let error = sqliteError { try database.restore(from: .onDisk(folder.path())) }
        let message = error?.message ?? ""
        #expect(error?.resultCode == .cantOpen)
        #expect(message.contains(folder.path()), "\(message)")
        #expect(message.contains("too long"), "\(message)")
        #expect(!message.contains(".backup"), "\(message)")
    }

    @Test func aLockedDatabaseIsNamedWhenItIsOpened() throws {
        let other = try makeFile(at: folder.path())
        try other.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
        let error = sqliteError { _ = try open(busyTimeout: 0) }
        #expect(error?.resultCode == .busy)
        #expect(error?.message.contains(folder.path()) == true)
        #expect(error?.sql == nil)
    }
}

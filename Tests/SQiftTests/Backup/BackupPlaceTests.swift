import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Where a backup goes, and how long it waits for the place.
struct BackupPlaceTests {
    private let folder = TemporaryFolder.fresh
    private let target = TemporaryFolder.fresh
    private let path: String

    init() throws {
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
        try target.link("link", to: itself)
        for destination in [itself, target.path("link")] {
            let error = await expectTaskThrows(BackupError.self) {
                try await database.backup(to: destination)
            }
            #expect(error?.reason == .unsuitableDestination, "\(error?.message ?? "")")
            #expect(error?.message.contains(suffix) == true)
        }
        if before == nil {
            #expect(!FileManager.default.fileExists(atPath: itself))
        }
        try await database.run("INSERT INTO t(x) VALUES(1)")
        try await database.close()
        try expectRows(isOwn ? 101 : 7, on: Connection(path: other))
    }

    @Test func aNameLikeThatBesideNothingIsADestination() throws {
        let database = try open()
        try database.backup(to: path + "-wal")
        try expectRows(100, on: Connection(path: path + "-wal"))
    }

    /// SQLite opens paths of at most 504 bytes.
    @Test(arguments: [480, 495, 496, 500, 504])
    func aPathOfAnyLengthThatSQLiteOpensIsADestination(length: Int) throws {
        var destination = target.url.path
        let name = "/backup.sqlite"
        while case let missing = length - destination.utf8.count - name.utf8.count, missing > 0 {
            destination +=
                missing == 1 ? "d" : "/" + String(repeating: "d", count: min(missing - 1, 99))
        }
        try FileManager.default.createDirectory(
            atPath: destination,
            withIntermediateDirectories: true
        )
        destination += name
        #expect(destination.utf8.count == length)
        let database = try open()
        for _ in 0..<2 {
            try database.backup(to: destination)
        }
        try expectRows(100, on: Connection(path: destination))
        let folder = URL(fileURLWithPath: destination).deletingLastPathComponent().path
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["backup.sqlite"])
    }

    // MARK: Links

    @Test func whatIsLeftOfAFileThatIsGoneIsRemoved() throws {
        let database = try open()
        for suffix in ["-wal", "-shm", "-journal"] {
            try write("old", toFile: path + suffix)
        }
        try database.backup(to: path)
        try target.expectFiles("backup.sqlite")
        try expectRows(100, on: Connection(path: path))
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
            try target.link(link, to: goal)
        }
        for (link, file) in [
            ("latest", "backup.sqlite"), ("relative", "disk/a.sqlite"), ("again", "disk/b.sqlite"),
        ] {
            for _ in 0..<2 {
                try database.backup(to: target.path(link))
                #expect(
                    try manager.destinationOfSymbolicLink(atPath: target.path(link)).isEmpty
                        == false
                )
                try expectRows(100, on: Connection(path: target.path(file)))
            }
        }
    }

    @Test func aLinkThatLeadsNowhereIsRefused() throws {
        let database = try open()
        for (link, goal) in [("lost", "gone/backup.sqlite"), ("loop", "loop")] {
            try target.link(link, to: goal)
            let error = sqliteError { try database.backup(to: target.path(link)) }
            #expect(error?.resultCode == .cantOpen)
            #expect(error?.message.contains(target.path(link)) == true)
        }
        try target.expectFiles("loop", "lost")
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
        try expectRows(100, on: Connection(path: path))
        try target.expectFiles("backup.sqlite")
    }

    @Test func itWaitsAsLongAsTheBusyTimeout() async throws {
        let database = try open(busyTimeout: 0.2)
        let reader = try makeFile(at: path, rows: 7)
        try reader.execute("BEGIN; SELECT count(*) FROM t")
        let start = Date()
        await expectTaskBackupError(.destinationInUse) {
            try await database.backup(to: path)
        }
        #expect(Date().timeIntervalSince(start) >= 0.2)
        try reader.execute("COMMIT")
        try expectRows(7, on: reader)
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
        try expectRows(7, on: reader)
        try target.expectFiles("backup.sqlite")
    }

    // MARK: Messages

    @Test func errorsSpeakOfTheUsersFiles() throws {
        let name = String(repeating: "n", count: 255)
        guard FileManager.default.createFile(atPath: target.path(name), contents: nil) else {
            return
        }
        try makeFile(at: folder.path(), setup: "PRAGMA page_size = 1024").close()
        let database = try Database.open(target.path(name)) { $0.journalMode = .unchanged }
        let error = sqliteError { try database.restore(from: folder.path()) }
        let message = error?.message ?? ""
        #expect(error?.resultCode == .cantOpen)
        #expect(message.contains(folder.path()), "\(message)")
        #expect(message.contains("too long"), "\(message)")
        #expect(!message.contains(".backup"), "\(message)")
    }
}

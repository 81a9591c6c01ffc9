import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Whatever fails, the file has its old key or the new one, and the error says which.
@Suite(.encryption) struct ChangeKeyErrorTests {
    private let file: KeyedFile

    init() throws {
        file = try KeyedFile()
    }

    @Test func whatCanNotBeChangedIsNamed() throws {
        try file.make(Keys.one)
        let plain = file.folder.path("plain")
        try Connection(path: plain).execute("CREATE TABLE t(x)")
        try Data().write(to: URL(fileURLWithPath: file.folder.path("empty")))
        let missing = file.folder.path("missing")
        let cases: [(String, Data?, Data?, ResultCode, String)] = [
            (file.path, Keys.other, Keys.passphrase, .notADatabase, "the key is wrong"),
            (file.path, Keys.other, Keys.one, .notADatabase, "; the file has the new key"),
            (file.path, nil, Keys.other, .notADatabase, "file is encrypted"),
            (file.path, nil, Keys.one, .notADatabase, "; the file has the new key"),
            (file.path, Keys.one, Data(), .misuse, "a key can't be empty"),
            (file.path, nil, nil, .misuse, "neither an old one nor a new one"),
            (plain, Keys.one, Keys.other, .notADatabase, "isn't encrypted"),
            (plain, Keys.one, nil, .notADatabase, "; the file has no key"),
            (file.folder.path("empty"), nil, Keys.one, .misuse, "is empty"),
            (missing, nil, Keys.one, .cantOpen, "there is no such file"),
            (missing, Keys.one, nil, .cantOpen, "there is no such file"),
            (file.folder.url.path, Keys.one, nil, .cantOpen, "it is a folder"),
        ]
        for (path, old, new, code, text) in cases {
            let error = sqliteError {
                try Connection.changeKey(of: path, configuration: file.configuration(old), to: new)
            }
            #expect(error?.resultCode == code, "\(text)")
            #expect(error?.message.contains(text) == true, "\(error?.message ?? ""), not \(text)")
            #expect(error?.message.contains("could be tried") == false, "\(text)")
        }
        var readOnly = file.configuration(Keys.one)
        readOnly.readOnly = true
        let error = sqliteError {
            try Connection.changeKey(of: file.path, configuration: readOnly, to: nil)
        }
        #expect(error?.resultCode == .readOnly)
        #expect(try opens(file.path, with: Keys.one))
        #expect(try opens(plain, with: nil))
        #expect(try file.folder.files() == ["empty", "plain", "test.sqlite"])
    }

    @Test(
        arguments: ["delete", "wal"],
        KeyedFile.changes
    )
    func whoUsesTheFileMakesItRefuse(journalMode: String, change: (old: Data?, new: Data?)) throws {
        try file.make(change.old, journalMode: journalMode)
        let before = try file.state(change.old)
        var configuration = file.configuration(change.old)
        configuration.busyTimeout = 0.01
        let uses =
            journalMode == "wal"
            ? ["SELECT 1", "BEGIN; SELECT * FROM t", "BEGIN IMMEDIATE"]
            : ["BEGIN; SELECT * FROM t", "BEGIN IMMEDIATE"]
        for use in uses {
            let other = try Connection(path: file.path, configuration: configuration)
            try other.execute("SELECT * FROM t; \(use)")
            let error = sqliteError {
                try Connection.changeKey(
                    of: file.path,
                    configuration: configuration,
                    to: change.new
                )
            }
            #expect(error?.resultCode == .busy, "\(use)")
            let state = change.old == nil ? "no key" : "the old key"
            #expect(
                error?.message.hasSuffix("; the file still has \(state)") == true,
                "\(error?.message ?? "")"
            )
            if other.isInsideTransaction {
                try other.execute("ROLLBACK")
            }
            #expect(try count("t", on: other) == 200)
            try other.run("UPDATE t SET x = x WHERE rowid = 2")
            try other.setPersistentWAL(false)
            try other.close()
        }
        #expect(try file.state(change.old) == before)
        #expect(try file.folder.files() == ["test.sqlite"])
    }

    @Test func oneThatIsIdleWithAJournalReadsTheOldFileAndCanNotWrite() throws {
        try file.make(Keys.one)
        let other = try Connection(path: file.path, configuration: file.configuration(Keys.one))
        #expect(try count("t", on: other) == 200)
        try file.changeKey(from: Keys.one, to: Keys.other)
        #expect(try count("t", on: other) == 200)
        let error = sqliteError { try other.run("DELETE FROM t") }
        #expect(error?.resultCode == .readOnly)
        try other.close()
        #expect(try opens(file.path, with: Keys.other))
    }

    @Test func aDamagedFileKeepsItsKey() throws {
        for (old, new) in KeyedFile.changes {
            try? FileManager.default.removeItem(atPath: file.path)
            try file.make(old)
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file.path))
            try handle.seek(toOffset: 4096 * 20)
            try handle.write(contentsOf: Data(repeating: 7, count: 4096 * 3))
            try handle.close()
            let before = FileManager.default.contents(atPath: file.path)

            let error = #expect(throws: (any Error).self) {
                try file.changeKey(from: old, to: new)
            }
            let text = error.map { "\($0)" } ?? ""
            #expect(
                text.contains(old == nil ? "still has no key" : "still has the old key"),
                "\(text)"
            )
            #expect(FileManager.default.contents(atPath: file.path) == before)
            #expect(try file.folder.files() == ["test.sqlite"])
        }
    }

    @Test func noErrorHasAKey() throws {
        try file.make(nil)
        let new = Data("hunter2hunter3".utf8)
        let folderPath = file.folder.url.path
        // The copy can't be made.
        try FileManager.default.createDirectory(
            atPath: file.folder.path(".test.sqlite.backup"),
            withIntermediateDirectories: false
        )
        let error = #expect(throws: (any Error).self) {
            try Connection.changeKey(of: file.path, to: new)
        }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("hunter") == false, "\(text)")
        #expect(text.contains("key=") == false, "\(text)")
        #expect(text.contains(folderPath))
    }

    @Test(
        .enabled(if: SmallDisk.canBeMade, "only root can mount a small disk"),
        arguments: ["delete", "wal"],
        [(Keys.passphrase, Data("hunter2".utf8)), (nil, Keys.passphrase), (Keys.passphrase, nil)]
            as [(old: Data?, new: Data?)]
    )
    func onAFullDiskTheKeyStays(journalMode: String, change: (old: Data?, new: Data?)) throws {
        let disk = try SmallDisk(in: file.folder, megabytes: 24)
        let file = KeyedFile(in: file.folder, path: disk.path + "/test.sqlite")
        // Larger than SQLite's page cache.
        try file.make(change.old, journalMode: journalMode, rowCount: 4000)
        let before = try file.state(change.old)
        let free = try FileManager.default.attributesOfFileSystem(forPath: disk.path)
        let freeSize = try #require(free[.systemFreeSize] as? Int)
        let ballast = disk.path + "/ballast"
        try Data(count: freeSize - 3_000_000).write(to: URL(fileURLWithPath: ballast))

        let error = sqliteError { try file.changeKey(from: change.old, to: change.new) }
        #expect(error?.resultCode == .full)
        let state = change.old == nil ? "no key" : "the old key"
        #expect(
            error?.message.hasSuffix("; the file still has \(state)") == true,
            "\(error?.message ?? "")"
        )
        #expect(try file.state(change.old) == before)
        #expect(
            Set(try FileManager.default.contentsOfDirectory(atPath: disk.path)) == [
                "ballast", "test.sqlite",
            ]
        )

        try FileManager.default.removeItem(atPath: ballast)
        try file.changeKey(from: change.old, to: change.new)
        #expect(try file.state(change.new) == before)
    }

    @Test(
        .disabled(
            if: ["3.51.0", "3.51.1"].contains(Connection.sqliteVersion),
            "this SQLite can hang when a thread opens a file that another one locks"
        ),
        arguments: ["delete", "wal"],
        KeyedFile.changes
    )
    func whoOpensItMeanwhileReadsAWholeFile(
        journalMode: String,
        change: (old: Data?, new: Data?)
    ) async throws {
        try file.make(change.old, journalMode: journalMode)
        let isOver = Gate()
        defer { isOver.open() }
        let reader = Worker { [file] in
            var wrongCounts: [Int] = []
            while !isOver.isOpen {
                for key in [change.old, change.new] {
                    // Another key, or a lock, is an error.
                    let count =
                        try? Connection(
                            path: file.path,
                            configuration: file.configuration(key, busyTimeout: 0)
                        ).query("SELECT count(*) FROM t") as Int
                    if let count, count != 200 {
                        wrongCounts.append(count)
                    }
                }
            }
            return wrongCounts
        }
        var keys = [change.old, change.new]
        for _ in 0..<6 {
            do {
                try file.changeKey(from: keys[0], to: keys[1], busyTimeout: 0.1)
                keys.swapAt(0, 1)
            } catch let error as SQLiteError where error.resultCode == .busy {
                // The other one read.
            }
            #expect(try file.state(keys[0]).contains("integrity_check: ok"))
        }
        isOver.open()
        try await #expect(reader.finalValue() == [])
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Page sizes, encodings and journal modes.
struct BackupFormatTests {
    private let folder = TemporaryFolder.fresh

    /// Expects that pages of another size are refused, naming both, and change nothing.
    private func expectRefused(
        _ source: Connection,
        _ destination: Connection,
        sizes: (Int, Int),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try texts(destination)
        let error = backupError {
            let backup = try Backup(from: source, to: destination)
            try backup.stepToEnd()
        }
        #expect(error?.reason == .pageSize, sourceLocation: sourceLocation)
        for size in [sizes.0, sizes.1] {
            #expect(
                error?.message.contains("\(size)") == true,
                "\(error?.message ?? "")",
                sourceLocation: sourceLocation
            )
        }
        #expect(
            backupError { try source.backup(to: destination) }?.reason == .pageSize,
            sourceLocation: sourceLocation
        )
        #expect(try texts(destination) == before, sourceLocation: sourceLocation)
        try expectSound(destination, sourceLocation: sourceLocation)
        try destination.run("INSERT INTO t(x) VALUES('goes on')")
    }

    @Test(arguments: [(512, 4096), (4096, 512), (65536, 1024), (1024, 65536)])
    func pagesOfAnotherSizeAreRefusedInAWAL(size: Int, other: Int) throws {
        let source = try makeFile(at: folder.path(), setup: "PRAGMA page_size = \(size)")
        let setup = "PRAGMA page_size = \(other); PRAGMA journal_mode = WAL"
        let destination = try makeFile(
            at: folder.path("copy.sqlite"),
            rows: 7,
            with: "old",
            setup: setup
        )
        try expectRefused(source, destination, sizes: (size, other))
        #expect(try destination.query("PRAGMA journal_mode") == "wal")
        #expect(try destination.query("PRAGMA page_size") == other)
    }

    @Test(arguments: [(512, 4096), (4096, 512), (65536, 1024)])
    func pagesOfAnotherSizeAreRefusedInMemory(size: Int, other: Int) throws {
        let source = try makeFile(at: folder.path(), setup: "PRAGMA page_size = \(size)")
        let memory = try Connection()
        try memory.execute("PRAGMA page_size = \(other)")
        try fill(memory, rows: 7, with: "old")
        try expectRefused(source, memory, sizes: (size, other))
    }

    @Test(arguments: [512, 1024, 8192, 65536])
    func aFileWithARollbackJournalTakesAnyPageSize(size: Int) throws {
        let source = try makeFile(at: folder.path(), setup: "PRAGMA page_size = \(size)")
        let destination = try makeFile(at: folder.path("copy.sqlite"), rows: 7, with: "old")
        let backup = try Backup(from: source, to: destination)
        try backup.stepToEnd(pages: 3)
        try expectSame(destination, source)
        #expect(try destination.query("PRAGMA page_size") == size)
        try expectSame(Connection(path: folder.path("copy.sqlite")), source)
    }

    @Test(arguments: [512, 1024, 8192, 65536])
    func anotherPageSizeLeavesAnUnfinishedDestinationAsItWas(size: Int) throws {
        let source = try makeFile(at: folder.path(), setup: "PRAGMA page_size = \(size)")
        let destination = try makeFile(at: folder.path("copy.sqlite"), rows: 70, with: "old")
        let before = try texts(destination)
        let backup = try Backup(from: source, to: destination)
        #expect(try backup.step(pages: 2) || size == 65536)
        if size != 65536 {
            try backup.finish()
            #expect(try texts(destination) == before)
            try expectSound(destination)
            #expect(try texts(Connection(path: folder.path("copy.sqlite"))) == before)
        }
    }

    @Test(arguments: [512, 65536])
    func whatIsEmptyTakesAnyPageSize(size: Int) throws {
        let source = try makeFile(at: folder.path(), setup: "PRAGMA page_size = \(size)")
        for empty in [
            try Connection(), try Connection(storageLocation: .temporary),
            try Connection(path: folder.path("new.sqlite")),
        ] {
            try source.backup(to: empty)
            try expectSame(empty, source)
            #expect(try empty.query("PRAGMA page_size") == size)
        }
    }

    @Test(arguments: ["UTF-16le", "UTF-16be", "UTF-8"])
    func anyEncodingIsCopiedToANewDatabase(encoding: String) throws {
        let source = try makeFile(
            at: folder.path(),
            with: "日本 \u{1F600}é",
            setup: "PRAGMA encoding = '\(encoding)'"
        )
        for (number, new) in [
            try Connection(), try Connection(storageLocation: .temporary),
            try Connection(path: folder.path("new.sqlite")),
        ].enumerated() {
            let backup = try Backup(from: source, to: new)
            try backup.stepToEnd()
            try expectSame(new, source)
            #expect(try new.query("PRAGMA encoding") == encoding, "\(number)")
            try new.run("INSERT INTO t(x) VALUES(?)", "ü")
            #expect(try new.query("SELECT x FROM t WHERE x = ?", "ü") == "ü")
        }
        try expectThatItReads(folder.path("new.sqlite"), encoding)
    }

    private func expectThatItReads(_ path: String, _ encoding: String) throws {
        let connection = try Connection(path: path)
        #expect(try connection.query("PRAGMA encoding") == encoding)
        #expect(try connection.query("SELECT substr(x, 1, 2) FROM t WHERE id = 1") == "日本")
    }

    @Test(arguments: [("UTF-16le", "UTF-8"), ("UTF-8", "UTF-16be"), ("UTF-16be", "UTF-16le")])
    func anotherEncodingIsRefusedAndNamed(encoding: String, other: String) throws {
        let source = try makeFile(at: folder.path(), setup: "PRAGMA encoding = '\(encoding)'")
        let file = try makeFile(
            at: folder.path("copy.sqlite"),
            rows: 7,
            with: "old",
            setup: "PRAGMA encoding = '\(other)'"
        )
        let memory = try Connection()
        try memory.execute("PRAGMA encoding = '\(other)'")
        try fill(memory, rows: 7, with: "old")
        for destination in [file, memory] {
            let error = backupError { try source.backup(to: destination) }
            #expect(error?.reason == .textEncoding)
            #expect(
                error?.message.contains(encoding) == true && error?.message.contains(other) == true
            )
            try expectRows(7, on: destination)
            try expectSound(destination)
        }
    }

    @Test func theFormOfSQift51RefusesAnotherEncodingWithAnSQLiteError() throws {
        let source = try makeFile(at: folder.path(), setup: "PRAGMA encoding = 'UTF-16le'")
        let destination = try makeFile(at: folder.path("copy.sqlite"), rows: 7, with: "old")
        expectSQLiteError(.error, containing: "UTF-16le") {
            try source.backup(to: destination, completionQueue: .global()) { _ in recordCall() }
        }
        try expectRows(7, on: destination)
    }

    @Test func theFormOfSQift51CompletesWithAnSQLiteErrorForAnotherPageSize() async throws {
        let source = try makeFile(at: folder.path(), setup: "PRAGMA page_size = 1024")
        let memory = try Connection()
        try fill(memory, rows: 7, with: "old")
        let (results, done) = (SharedNotes<Connection.BackupResult>(), Gate())
        try source.backup(to: memory, completionQueue: .global()) { result in
            results.note(result)
            done.open()
        }
        await done.opened()
        guard case .failure(let error as SQLiteError) = results.all.first else {
            Issue.record("\(results.all)")
            return
        }
        #expect(error.resultCode == .readOnly)
        #expect(error.message.contains("1024"))
        try expectRows(7, on: memory)
    }

    @Test func aBackupThatIsNotMadeLeavesANewDatabaseNew() throws {
        let source = try makeFile(at: folder.path(), setup: "PRAGMA encoding = 'UTF-16le'")
        let new = try Connection()
        try Backup(from: source, to: new).finish()
        #expect(try new.query("PRAGMA page_count") == 0)
        let other = try makeFile(at: folder.path("utf8.sqlite"))
        try other.backup(to: new)
        try expectSame(new, other)
    }

    @Test(arguments: ["WAL", "DELETE"], ["WAL", "DELETE"])
    func bothJournalModesAreCopiedToBoth(mode: String, other: String) throws {
        let source = try makeFile(at: folder.path(), setup: "PRAGMA journal_mode = \(mode)")
        let setup = "PRAGMA journal_mode = \(other)"
        let destination = try makeFile(
            at: folder.path("copy.sqlite"),
            rows: 7,
            with: "old",
            setup: setup
        )
        let reader = try Connection(path: folder.path("copy.sqlite"))
        try expectRows(7, on: reader)
        try source.backup(to: destination, pagesPerStep: 7)
        try expectSame(destination, source)
        try expectSame(reader, source)
        try destination.run("INSERT INTO t(x) VALUES(1)")
        try expectRows(101, on: reader)
        try expectRows(100, on: source)
    }

    @Test func whatIsOnlyInTheWALIsCopied() throws {
        let source = try makeFile(
            at: folder.path(),
            setup: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0"
        )
        let memory = try Connection()
        try source.backup(to: memory)
        try expectSame(memory, source)
    }

    @Test func aSmallerDatabaseMakesTheDestinationSmaller() throws {
        let source = try makeFile(at: folder.path(), rows: 3)
        let destination = try makeFile(at: folder.path("copy.sqlite"), rows: 500)
        try source.backup(to: destination)
        try expectSame(destination, source)
        let (pages, expected): (Int, Int) = try (
            destination.query("PRAGMA page_count"), source.query("PRAGMA page_count")
        )
        #expect(pages == expected)
    }
}

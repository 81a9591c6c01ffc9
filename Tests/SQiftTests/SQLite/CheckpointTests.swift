import Foundation
import SQift
import SQiftTestSupport
import Testing

struct CheckpointTests {
    typealias Mode = Connection.CheckpointMode

    private let folder = TemporaryFolder.fresh
    private let connection: Connection

    init() throws {
        connection = try folder.connection()
        try connection.execute(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(x)"
        )
    }

    /// How many frames the WAL file has, as its size says.
    private func framesInFile(_ name: String = "test.sqlite") throws -> Int {
        let pageSize: Int = try connection.query("PRAGMA page_size")
        return max(0, folder.size(name + "-wal") - 32) / (pageSize + 24)
    }

    private func insert(_ count: Int = 3, into table: String = "t") throws {
        for _ in 0..<count {
            try connection.run("INSERT INTO \(table) VALUES(zeroblob(5000))")
        }
    }

    private func attachOther() throws {
        try connection.attachDatabase(from: .onDisk(folder.path("other.sqlite")), withName: "it's")
        try connection.execute("PRAGMA \"it's\".journal_mode = WAL; CREATE TABLE \"it's\".u(x)")
        try insert(into: "u")
    }

    /// Calls `body` while another connection reads the state as it is now, after which something is
    /// written.
    private func withReader(
        _ name: String = "test.sqlite",
        table: String = "t",
        _ body: () throws -> Void
    ) throws {
        let reader = try Connection(path: folder.path(name))
        try reader.transaction {
            _ = try count(table, on: reader)
            try insert(into: table)
            try body()
        }
    }

    // MARK: Modes

    @Test(arguments: [Mode.passive, .full, .restart])
    func aCheckpointMovesAllFrames(mode: Mode) throws {
        try insert()
        let frames = try framesInFile()
        #expect(frames > 3)
        let result = try connection.checkpoint(mode: mode)
        #expect(result.logFrames == frames)
        #expect(result.checkpointedFrames == frames)
        #expect(result.isComplete)
        #expect(try framesInFile() == frames)
        try FileManager.default.copyItem(atPath: folder.path(), toPath: folder.path("copy.sqlite"))
        try expectRows(3, on: Connection(path: folder.path("copy.sqlite")))
    }

    @Test(arguments: [true, false])
    func truncatingEmptiesTheFileAndIsTheDefault(isDefault: Bool) throws {
        try insert()
        let before = folder.size("test.sqlite")
        let result =
            try isDefault ? connection.checkpoint() : connection.checkpoint(mode: .truncate)
        #expect(result.logFrames == 0)
        #expect(result.checkpointedFrames == 0)
        #expect(result.isComplete)
        #expect(folder.size("test.sqlite-wal") == 0)
        #expect(folder.size("test.sqlite") > before)
        #expect(try connection.checkpoint() == result)
    }

    @Test func afterARestartTheNextWriteBeginsTheFileAnew() throws {
        try insert()
        let frames = try framesInFile()
        try connection.checkpoint(mode: .restart)
        try connection.run("INSERT INTO t VALUES(1)")
        #expect(try framesInFile() == frames)
        let result = try connection.checkpoint(mode: .passive)
        #expect(result.logFrames < frames)
        #expect(result.isComplete)
    }

    @Test func aConnectionThatWasNeverUsedMovesFramesToo() throws {
        try insert()
        let frames = try framesInFile()
        let result = try folder.connection().checkpoint(mode: .full)
        #expect(result.logFrames == frames)
        #expect(result.isComplete)
    }

    @Test func resultsCompare() throws {
        try insert()
        let passive = try connection.checkpoint(mode: .passive)
        let full = try connection.checkpoint(mode: .full)
        let truncated = try connection.checkpoint(mode: .truncate)
        #expect(Set([passive, full, truncated]).count == 2)
    }

    // MARK: Others

    @Test func aReaderLeavesAPassiveCheckpointIncomplete() throws {
        try insert()
        let readable = try framesInFile()
        try withReader {
            let result = try connection.checkpoint(mode: .passive)
            try #expect(result.logFrames == framesInFile())
            #expect(result.checkpointedFrames == readable)
            #expect(!result.isComplete)
        }
        try #expect(connection.checkpoint(mode: .passive).isComplete)
    }

    @Test(arguments: [Mode.full, .restart, .truncate])
    func aReaderMakesTheOtherModesThrow(mode: Mode) throws {
        try insert()
        let readable = try framesInFile()
        try withReader {
            let error = sqliteError { try connection.checkpoint(mode: mode) }
            #expect(error?.resultCode == .busy)
            try #expect(error?.message.contains("\(readable) of \(framesInFile()) frames") == true)
        }
        try #expect(connection.checkpoint(mode: mode).isComplete)
    }

    @Test func aReaderOfTheLatestStateKeepsOnlyRestartAndTruncateBack() throws {
        try insert()
        let frames = try framesInFile()
        let reader = try folder.connection()
        try reader.transaction {
            _ = try count("t", on: reader)
            let result = try connection.checkpoint(mode: .full)
            #expect(result.isComplete)
            #expect(result.logFrames == frames)
            for mode in [Mode.restart, .truncate] {
                expectSQLiteError(.busy) { try connection.checkpoint(mode: mode) }
            }
        }
    }

    @Test(arguments: [Mode.full, .restart, .truncate])
    func itWaitsAsTheBusyHandlerSays(mode: Mode) throws {
        let reader = try folder.connection()
        try reader.execute("BEGIN")
        _ = try count("t", on: reader)
        try insert()
        let counts = Notes<Int32>()
        try connection.busyHandler(
            .custom { count in
                counts.note(count)
                if count == 2 {
                    try? reader.execute("COMMIT")
                }
                return true
            }
        )
        try #expect(connection.checkpoint(mode: mode).isComplete)
        #expect(counts.take() == [0, 1, 2])
    }

    @Test func aPassiveOneAsksNoBusyHandler() throws {
        let counts = Notes<Int32>()
        try connection.busyHandler(
            .custom { count in
                counts.note(count)
                return false
            }
        )
        try withReader { try #expect(!connection.checkpoint(mode: .passive).isComplete) }
        #expect(counts.take() == [])
    }

    @Test(arguments: [Mode.full, .restart, .truncate])
    func aWriterMakesTheOtherModesThrow(mode: Mode) throws {
        try insert()
        let writer = try folder.connection()
        try writer.execute("BEGIN IMMEDIATE")
        expectSQLiteError(.busy) { try connection.checkpoint(mode: mode) }
        try #expect(connection.checkpoint(mode: .passive).isComplete)
        try writer.execute("COMMIT")
        try connection.checkpoint(mode: mode)
    }

    // MARK: Names

    @Test(arguments: [Mode.passive, .full, .restart, .truncate])
    func withoutAWALNothingIsMoved(mode: Mode) throws {
        for connection in [try Connection(), try Connection(path: folder.path("delete.sqlite"))] {
            try connection.execute("CREATE TABLE t(x)")
            let result = try connection.checkpoint(mode: mode)
            #expect(result.logFrames == -1)
            #expect(result.checkpointedFrames == -1)
        }
    }

    @Test func anAttachedDatabaseIsNamed() throws {
        try insert()
        try attachOther()
        let frames = try framesInFile("other.sqlite")
        let result = try connection.checkpoint(attachedDatabaseName: "it's", mode: .full)
        #expect(result.logFrames == frames)
        #expect(result.isComplete)
        try connection.checkpoint(attachedDatabaseName: "it's")
        #expect(folder.size("other.sqlite-wal") == 0)
        #expect(folder.size("test.sqlite-wal") > 0)
    }

    @Test func nilMeansAllAndAnswersMains() throws {
        try insert(5)
        try attachOther()
        let frames = try framesInFile()
        try #expect(framesInFile("other.sqlite") != frames)
        let result = try connection.checkpoint(attachedDatabaseName: nil, mode: .full)
        #expect(result.logFrames == frames)
        #expect(result.isComplete)
        try connection.checkpoint(attachedDatabaseName: nil)
        #expect(folder.size("other.sqlite-wal") == 0)
        #expect(folder.size("test.sqlite-wal") == 0)
    }

    @Test func whereAllAreMeantAnIncompleteOneThrowsWithoutFalseFrames() throws {
        try insert()
        try attachOther()
        try withReader("other.sqlite", table: "u") {
            let error = sqliteError {
                try connection.checkpoint(attachedDatabaseName: nil, mode: .full)
            }
            #expect(error?.resultCode == .busy)
            // Of main, all frames are moved: it isn't what is incomplete.
            let frames = try framesInFile()
            #expect(error?.message.contains("\(frames) of \(frames) frames") == false)
        }
    }

    @Test(arguments: ["nowhere", "main\0", "main\0x", "\0"])
    func anUnknownNameThrows(name: String) throws {
        try insert()
        let before = folder.size("test.sqlite-wal")
        expectSQLiteError { try connection.checkpoint(attachedDatabaseName: name) }
        #expect(folder.size("test.sqlite-wal") == before)
    }

    @Test func anEmptyNameIsNoDatabases() throws {
        try insert()
        try attachOther()
        let before = folder.size("other.sqlite-wal")
        expectSQLiteError { try connection.checkpoint(attachedDatabaseName: "") }
        #expect(folder.size("other.sqlite-wal") == before)
    }

    // MARK: Transactions

    @Test(arguments: [Mode.passive, .full, .restart, .truncate])
    func insideATransactionThatHasWrittenItIsLocked(mode: Mode) throws {
        try connection.transaction {
            try insert()
            expectSQLiteError(.locked) { try connection.checkpoint(mode: mode) }
        }
        try expectRows(3, on: connection)
        try #expect(connection.checkpoint(mode: mode).isComplete)
    }

    @Test(arguments: [Mode.passive, .truncate])
    func insideATransactionThatHasOnlyReadItIsLockedToo(mode: Mode) throws {
        try insert()
        try connection.transaction {
            _ = try count("t", on: connection)
            expectSQLiteError(.locked) { try connection.checkpoint(mode: mode) }
        }
    }

    @Test func whileAnotherCheckpointRunsAPassiveOneIsBusy() throws {
        let other = try folder.connection()
        _ = try count("t", on: other)
        let reader = try folder.connection()
        try reader.execute("BEGIN")
        _ = try count("t", on: reader)
        try insert()
        let codes = Notes<ResultCode?>()
        try connection.busyHandler(
            .custom { _ in
                let error = sqliteError { try other.checkpoint(mode: .passive) }
                codes.note(error?.extendedResultCode)
                return false
            }
        )
        expectSQLiteError { try connection.checkpoint(mode: .full) }
        #expect(codes.take() == [.busy])
    }

    @Test func vacuumAndACheckpointShrinkTheFile() throws {
        try insert(100)
        try connection.checkpoint()
        let large = folder.size("test.sqlite")
        try connection.execute("DELETE FROM t")
        try connection.checkpoint()
        #expect(folder.size("test.sqlite") == large)
        try connection.execute("VACUUM")
        #expect(folder.size("test.sqlite") == large)
        try connection.checkpoint()
        #expect(folder.size("test.sqlite") < large / 10)
        #expect(folder.size("test.sqlite-wal") == 0)
    }

    @Test func afterCloseItThrows() throws {
        try connection.close()
        expectSQLiteError(extended: .misuse) { try connection.checkpoint() }
        expectSQLiteError(extended: .misuse) {
            try connection.checkpoint(attachedDatabaseName: nil)
        }
    }

    /// A reader of the newest state keeps the WAL from starting again, but lets all of it be moved.
    @Test func onlyACheckpointThatLeavesFramesIsIncomplete() throws {
        let reader = try folder.connection()
        func error() throws -> SQLiteError? {
            try reader.transaction {
                _ = try count("t", on: reader)
                return sqliteError { try connection.checkpoint(mode: .restart) }
            }
        }
        try insert()
        let complete = try error()
        #expect(complete?.resultCode == .busy)
        #expect(complete?.message.contains("incomplete") == false)

        try reader.transaction {
            _ = try count("t", on: reader)
            try insert()
            expectSQLiteError(containing: "incomplete") {
                try connection.checkpoint(mode: .restart)
            }
        }
    }
}

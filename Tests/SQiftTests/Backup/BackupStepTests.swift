import Foundation
import SQift
import SQiftTestSupport
import Testing

struct BackupStepTests {
    private let folder = TemporaryFolder.fresh
    private let source: Connection
    private let destination: Connection

    init() throws {
        source = try makeFile(at: folder.path())
        destination = try Connection(path: folder.path("copy.sqlite"))
    }

    private func begin() throws -> Backup {
        try Backup(from: source, to: destination)
    }

    private var sourcePages: Int { get throws { try source.query("PRAGMA page_count") } }

    @Test func aBackupByStepsIsTheSameAsTheSource() throws {
        let backup = try begin()
        var steps = 1
        while try backup.step(pages: 10) {
            steps += 1
        }
        try backup.finish()
        #expect(try steps >= sourcePages / 10)
        try expectSame(destination, source)
    }

    @Test(arguments: [-1, Int.min, Int.max, 100_000])
    func oneStepMayCopyAll(pages: Int) throws {
        let backup = try begin()
        #expect(try !backup.step(pages: pages))
        #expect(try backup.pageCount == sourcePages)
        #expect(backup.remainingPageCount == 0)
        try backup.finish()
        try expectSame(destination, source)
    }

    @Test func aStepOfNoPagesThrowsAndTheBackupGoesOn() throws {
        let backup = try begin()
        expectSQLiteError(.misuse) { _ = try backup.step(pages: 0) }
        #expect(try !backup.step(pages: -1))
        try backup.finish()
        try expectSame(destination, source)
    }

    @Test func theProgressIsNothingAtFirstAndThenThatOfTheLastStep() throws {
        let backup = try begin()
        #expect((backup.pageCount, backup.remainingPageCount) == (0, 0))
        #expect(backup.progress.fractionCompleted == 1 || backup.progress.pageCount == 0)
        #expect(try backup.step(pages: 5))
        #expect(try backup.pageCount == sourcePages)
        #expect(backup.remainingPageCount == backup.pageCount - 5)
        #expect(backup.progress.completedPageCount == 5)
        #expect(backup.progress.fractionCompleted == 5 / Double(backup.pageCount))
        while try backup.step(pages: 1) {
            #expect(backup.progress.pageCount == backup.pageCount)
            #expect(backup.progress.remainingPageCount == backup.remainingPageCount)
        }
        #expect(backup.progress.fractionCompleted == 1)
        try backup.finish()
        #expect(backup.progress.fractionCompleted == 1)
    }

    @Test func stepsAfterTheLastOneAnswerFalse() throws {
        let backup = try begin()
        while try backup.step() {}
        #expect(try !backup.step())
        #expect(try !backup.step(pages: -1))
        try backup.finish()
        try expectSame(destination, source)
    }

    @Test func finishMayBeCalledAgainAndAStepAfterItThrows() throws {
        let backup = try begin()
        #expect(try backup.step(pages: 3))
        try backup.finish()
        try backup.finish()
        expectSQLiteError { _ = try backup.step() }
        try backup.finish()
        try source.close()
        try destination.close()
        try backup.finish()
        expectSQLiteError { _ = try backup.step() }
    }

    @Test(arguments: [0, 1, 30])
    func finishingEarlyLeavesTheDestinationAsItWas(pages: Int) throws {
        try fill(destination, rows: 7, with: "old")
        let before = try bytes(of: folder.path("copy.sqlite"))
        let backup = try begin()
        if pages > 0 {
            #expect(try backup.step(pages: pages))
        }
        try backup.finish()
        try expectRows(7, on: destination)
        #expect(try destination.query("SELECT x LIKE 'old%' FROM t") == true)
        try expectSound(destination)
        try destination.close()
        #expect(try bytes(of: folder.path("copy.sqlite")) == before)
    }

    @Test func finishingEarlyLeavesADestinationInMemoryAsItWas() throws {
        let memory = try Connection()
        try fill(memory, rows: 7, with: "old")
        let backup = try Backup(from: source, to: memory)
        #expect(try backup.step(pages: 30))
        try backup.finish()
        try expectRows(7, on: memory)
        try expectSound(memory)
    }

    @Test func lettingGoOfABackupEndsIt() throws {
        try fill(destination, rows: 7, with: "old")
        for pages in [0, 5] {
            var backup: Backup? = try begin()
            if pages > 0 {
                #expect(try backup?.step(pages: pages) == true)
            }
            expectSQLiteError { _ = try count("t", on: destination) }
            backup = nil
            try expectRows(7, on: destination)
            try destination.run("DELETE FROM t WHERE id = -1")
        }
        try source.close()
        try destination.close()
    }

    @Test func lettingGoOfABackupThatIsDoneKeepsTheCopy() throws {
        var backup: Backup? = try begin()
        #expect(try backup?.step(pages: -1) == false)
        backup = nil
        try expectSame(destination, source)
    }

    @Test func aBackupKeepsItsConnectionsAlive() throws {
        let backup = try Backup(
            from: folder.connection(),
            to: Connection(path: folder.path("copy.sqlite"))
        )
        try backup.stepToEnd()
        try expectSame(destination, source)
    }

    @Test func closingTheSourceMeanwhileThrowsNamingABackup() throws {
        let backup = try begin()
        for _ in 0..<2 {
            expectSQLiteError(.busy, containing: "backup") { try source.close() }
            #expect(try backup.step(pages: 10))
        }
        try expectRows(100, on: source)
        try backup.stepToEnd()
        try expectSame(destination, source)
        try source.close()
    }

    @Test func anEmptyDatabaseIsABackupOfNothing() throws {
        try fill(destination, rows: 7)
        for empty in [try Connection(), try Connection(path: folder.path("empty.sqlite"))] {
            let backup = try Backup(from: empty, to: destination)
            #expect(try !backup.step(pages: 1))
            #expect(backup.remainingPageCount == 0)
            #expect(backup.progress.fractionCompleted == 1)
            try backup.finish()
            #expect(try destination.tableExists("t") == false)
            try expectSound(destination)
            try destination.execute("DROP TABLE IF EXISTS t")
            try fill(destination, rows: 7)
        }
    }

    @Test func oneSourceMayHaveManyBackups() throws {
        let memory = try (0..<5).map { _ in try Connection() }
        let backups = try memory.map { try Backup(from: source, to: $0) }
        for backup in backups {
            #expect(try backup.step(pages: 10))
        }
        for backup in backups.reversed() {
            #expect(try !backup.step(pages: -1))
        }
        for backup in backups {
            try backup.finish()
        }
        for copy in memory {
            try expectSame(copy, source)
        }
    }

    @Test func aDestinationThatIsTooSmallEndsTheBackupAndStaysAsItWas() throws {
        try fill(destination, rows: 7, with: "old")
        try destination.execute("PRAGMA max_page_count = 12")
        let backup = try begin()
        expectSQLiteError(.full) { while try backup.step(pages: 5) {} }
        try expectRows(7, on: destination)
        expectSQLiteError { _ = try backup.step() }
        try backup.finish()
        try expectSound(destination)
        try source.close()
    }

    @Test func aReadOnlyDestinationThrowsAndStaysAsItWas() throws {
        try fill(destination, rows: 7, with: "old")
        let readOnly = try Connection.open(folder.path("copy.sqlite")) { $0.readOnly = true }
        expectSQLiteError(.readOnly) {
            let backup = try Backup(from: source, to: readOnly)
            _ = try backup.step(pages: -1)
        }
        try expectRows(7, on: readOnly)
        try expectRows(7, on: destination)
    }

    @Test func aReadOnlySourceIsCopied() throws {
        let readOnly = try Connection.open(folder.path()) { $0.readOnly = true }
        let backup = try Backup(from: readOnly, to: destination)
        try backup.stepToEnd()
        try expectSame(destination, source)
    }

    @Test func closedConnectionsAreRefused() throws {
        let closed = try Connection()
        try closed.close()
        expectSQLiteError(.misuse) { _ = try Backup(from: closed, to: destination) }
        expectSQLiteError(.misuse) { _ = try Backup(from: source, to: closed) }
        try fill(destination, rows: 1)
        try source.close()
    }
}

import Foundation
import SQiftTestSupport
import Testing

import SQift

struct BackupStepTests {
    private let folder: TemporaryFolder
    private let source: Connection
    private let destination: Connection

    init() throws {
        folder = try TemporaryFolder()
        source = try makeFile(at: folder.path())
        destination = try Connection(path: folder.path("copy.sqlite"))
    }

    private var sourcePages: Int { get throws { try source.query("PRAGMA page_count") } }

    @Test func aBackupByStepsIsTheSameAsTheSource() throws {
        let backup = try Backup(from: source, to: destination)
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
        let backup = try Backup(from: source, to: destination)
        #expect(try !backup.step(pages: pages))
        #expect(try backup.pageCount == sourcePages)
        #expect(backup.remainingPageCount == 0)
        try backup.finish()
        try expectSame(destination, source)
    }

    @Test func aStepOfNoPagesThrowsAndTheBackupGoesOn() throws {
        let backup = try Backup(from: source, to: destination)
        #expect(sqliteError { _ = try backup.step(pages: 0) }?.resultCode == .misuse)
        #expect(try !backup.step(pages: -1))
        try backup.finish()
        try expectSame(destination, source)
    }

    @Test func theProgressIsNothingAtFirstAndThenThatOfTheLastStep() throws {
        let backup = try Backup(from: source, to: destination)
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
        let backup = try Backup(from: source, to: destination)
        while try backup.step() {}
        #expect(try !backup.step())
        #expect(try !backup.step(pages: -1))
        try backup.finish()
        try expectSame(destination, source)
    }

    @Test func finishMayBeCalledAgainAndAStepAfterItThrows() throws {
        let backup = try Backup(from: source, to: destination)
        #expect(try backup.step(pages: 3))
        try backup.finish()
        try backup.finish()
        #expect(sqliteError { _ = try backup.step() } != nil)
        try backup.finish()
        try source.close()
        try destination.close()
        try backup.finish()
        #expect(sqliteError { _ = try backup.step() } != nil)
    }

    @Test(arguments: [0, 1, 30])
    func finishingEarlyLeavesTheDestinationAsItWas(pages: Int) throws {
        try fill(destination, rows: 7, with: "old")
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.path("copy.sqlite")))
        let backup = try Backup(from: source, to: destination)
        if pages > 0 {
            #expect(try backup.step(pages: pages))
        }
        try backup.finish()
        #expect(try count("t", on: destination) == 7)
        #expect(try destination.query("SELECT x LIKE 'old%' FROM t") == true)
        #expect(try destination.integrityCheck() == [])
        try destination.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("copy.sqlite"))) == before)
    }

    @Test func finishingEarlyLeavesADestinationInMemoryAsItWas() throws {
        let memory = try Connection()
        try fill(memory, rows: 7, with: "old")
        let backup = try Backup(from: source, to: memory)
        #expect(try backup.step(pages: 30))
        try backup.finish()
        #expect(try count("t", on: memory) == 7)
        #expect(try memory.integrityCheck() == [])
    }

    @Test func lettingGoOfABackupEndsIt() throws {
        try fill(destination, rows: 7, with: "old")
        for pages in [0, 5] {
            var backup: Backup? = try Backup(from: source, to: destination)
            if pages > 0 {
                #expect(try backup?.step(pages: pages) == true)
            }
            #expect(sqliteError { _ = try count("t", on: destination) } != nil)
            backup = nil
            #expect(try count("t", on: destination) == 7)
            try destination.run("DELETE FROM t WHERE id = -1")
        }
        try source.close()
        try destination.close()
    }

    @Test func lettingGoOfABackupThatIsDoneKeepsTheCopy() throws {
        var backup: Backup? = try Backup(from: source, to: destination)
        #expect(try backup?.step(pages: -1) == false)
        backup = nil
        try expectSame(destination, source)
    }

    @Test func aBackupKeepsItsConnectionsAlive() throws {
        let backup = try Backup(
            from: Connection(path: folder.path()),
            to: Connection(path: folder.path("copy.sqlite"))
        )
        while try backup.step(pages: 10) {}
        try backup.finish()
        try expectSame(destination, source)
    }

    @Test func closingTheSourceMeanwhileThrowsNamingABackup() throws {
        let backup = try Backup(from: source, to: destination)
        for _ in 0..<2 {
            let error = sqliteError { try source.close() }
            #expect(error?.resultCode == .busy)
            #expect(error?.message.contains("backup") == true, "\(error?.message ?? "")")
            #expect(try backup.step(pages: 10))
        }
        #expect(try count("t", on: source) == 100)
        while try backup.step(pages: 10) {}
        try backup.finish()
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
            #expect(try destination.integrityCheck() == [])
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
        let backup = try Backup(from: source, to: destination)
        let error = sqliteError { while try backup.step(pages: 5) {} }
        #expect(error?.resultCode == .full)
        #expect(try count("t", on: destination) == 7)
        #expect(sqliteError { _ = try backup.step() } != nil)
        try backup.finish()
        #expect(try destination.integrityCheck() == [])
        try source.close()
    }

    @Test func aReadOnlyDestinationThrowsAndStaysAsItWas() throws {
        try fill(destination, rows: 7, with: "old")
        var configuration = Connection.Configuration()
        configuration.readOnly = true
        let readOnly = try Connection(
            path: folder.path("copy.sqlite"),
            configuration: configuration
        )
        let error = sqliteError {
            let backup = try Backup(from: source, to: readOnly)
            _ = try backup.step(pages: -1)
        }
        #expect(error?.resultCode == .readOnly)
        #expect(try count("t", on: readOnly) == 7)
        #expect(try count("t", on: destination) == 7)
    }

    @Test func aReadOnlySourceIsCopied() throws {
        var configuration = Connection.Configuration()
        configuration.readOnly = true
        let readOnly = try Connection(path: folder.path(), configuration: configuration)
        let backup = try Backup(from: readOnly, to: destination)
        while try backup.step(pages: 10) {}
        try backup.finish()
        try expectSame(destination, source)
    }

    @Test func closedConnectionsAreRefused() throws {
        let closed = try Connection()
        try closed.close()
        #expect(
            sqliteError { _ = try Backup(from: closed, to: destination) }?.resultCode == .misuse
        )
        #expect(sqliteError { _ = try Backup(from: source, to: closed) }?.resultCode == .misuse)
        try fill(destination, rows: 1)
        try source.close()
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Backups beside transactions.
extension CopySuites {
    struct BackupLockTests {
        private let folder = TemporaryFolder.fresh
        private let source: Connection
        private let destination: Connection

        init() throws {
            source = try makeFile(at: folder.path())
            destination = try makeFile(at: folder.path("copy.sqlite"), rows: 7, with: "old")
        }

        private func begin() throws -> Backup {
            try Backup(from: source, to: destination)
        }

        @Test func aSourceInItsOwnWriteTransactionThrowsAtOnce() throws {
            for mode in ["DELETE", "WAL"] {
                try source.execute("PRAGMA journal_mode = \(mode)")
                for opening in [
                    "BEGIN IMMEDIATE", "BEGIN; DELETE FROM t WHERE id = 1",
                    "SAVEPOINT s; DELETE FROM t",
                ] {
                    try source.execute(opening)
                    let start = Date()
                    let errors = [
                        sqliteError {
                            let backup = try begin()
                            backup.timeout = 10 * patience
                            _ = try backup.step()
                        },
                        sqliteError { try source.backup(to: destination) },
                        sqliteError {
                            try source.backup(to: destination, completionQueue: .global()) { _ in
                                recordCall()
                            }
                        },
                    ]
                    #expect(Date().timeIntervalSince(start) < patience)
                    for error in errors {
                        #expect(
                            error?.message.contains("transaction") == true,
                            "\(error?.message ?? "")"
                        )
                    }
                    #expect(source.isInsideTransaction)
                    try source.execute("ROLLBACK")
                    try expectRows(100, on: source)
                    try expectRows(7, on: destination)
                }
            }
        }

        @Test func aStepThatMetTheOwnWriteTransactionMayBeTriedAgain() throws {
            let backup = try begin()
            #expect(try backup.step(pages: 5))
            try source.execute("BEGIN IMMEDIATE; INSERT INTO t(x) VALUES('own')")
            expectSQLiteError { _ = try backup.step(pages: 5) }
            try source.execute("COMMIT")
            try backup.stepToEnd(pages: 5)
            try expectSame(destination, source)
            try expectRows(101, on: destination)
        }

        @Test func aSourceInItsOwnReadTransactionIsCopiedAsThatSeesIt() throws {
            try source.execute("PRAGMA journal_mode = WAL; BEGIN; SELECT count(*) FROM t")
            try folder.connection().run("DELETE FROM t WHERE id > 10")
            try source.backup(to: destination)
            #expect(source.isInsideTransaction)
            try expectRows(100, on: destination)
            try expectSame(destination, source)
            try source.execute("COMMIT")
            try expectRows(10, on: source)
        }

        @Test(arguments: ["DELETE", "WAL"])
        func ownWritesBetweenStepsAreCarriedOver(mode: String) throws {
            try source.execute("PRAGMA journal_mode = \(mode)")
            let backup = try begin()
            var (remaining, round) = (Int.max, 0)
            while try backup.step(pages: 5) {
                // It never starts over.
                #expect(backup.remainingPageCount < remaining)
                round += 1
                if round < 5 {
                    try source.run("UPDATE t SET x = 'changed' || x WHERE id IN (1, 50, 100)")
                    try source.transaction {
                        try source.run("DELETE FROM t WHERE id = ?", 60 + round)
                    }
                }
                remaining = backup.remainingPageCount
            }
            #expect(round > 5)
            try backup.finish()
            try expectSame(destination, source)
            try expectRows(96, on: destination)
        }

        @Test func ownWritesAfterTheLastStepAreNotInTheCopy() throws {
            let backup = try begin()
            #expect(try !backup.step(pages: -1))
            let before = try texts(source)
            try source.run("DELETE FROM t")
            try backup.finish()
            #expect(try texts(destination) == before)
            try expectSound(destination)
        }

        @Test func ownWritesToASourceInMemoryAreCarriedOver() throws {
            let memory = try Connection()
            try fill(memory)
            let backup = try Backup(from: memory, to: destination)
            var id = 0
            while try backup.step(pages: 5) {
                id += 1
                try memory.run("UPDATE t SET x = x || 'changed' WHERE id = ?", id)
            }
            try backup.finish()
            #expect(id > 3)
            try expectSame(destination, memory)
        }

        @Test(arguments: ["DELETE", "WAL"])
        func writesOfAnotherConnectionMakeItStartOver(mode: String) throws {
            try source.execute("PRAGMA journal_mode = \(mode)")
            let other = try folder.connection()
            let backup = try begin()
            #expect(try backup.step(pages: 10))
            #expect(try backup.step(pages: 10))
            let remaining = backup.remainingPageCount
            try other.run("UPDATE t SET x = 'changed' || x")
            #expect(try backup.step(pages: 10))
            #expect(backup.remainingPageCount > remaining)
            try backup.stepToEnd()
            try expectSame(destination, other)
            #expect(try destination.query("SELECT count(*) FROM t WHERE x LIKE 'changed%'") == 100)
        }

        @Test func aReadTransactionInAWALKeepsItFromStartingOver() throws {
            try source.execute("PRAGMA journal_mode = WAL")
            let other = try folder.connection()
            let before = try texts(source)
            try source.execute("BEGIN; SELECT count(*) FROM t")
            let backup = try begin()
            var remaining = Int.max
            while try backup.step(pages: 5) {
                #expect(backup.remainingPageCount < remaining)
                remaining = backup.remainingPageCount
                try other.run("UPDATE t SET x = 'changed' || x")
            }
            try backup.finish()
            try source.execute("COMMIT")
            #expect(try texts(destination) == before)
            try expectSound(destination)
        }

        /// The lock that keeps a step from going on.
        enum Obstacle: CaseIterable, Sendable {
            case source, destination, destinationReader

            func open(in folder: TemporaryFolder) throws -> Connection {
                let other = try Connection(
                    path: folder.path(self == .source ? "test.sqlite" : "copy.sqlite")
                )
                try other.execute(
                    self == .destinationReader ? "BEGIN; SELECT count(*) FROM t" : "BEGIN EXCLUSIVE"
                )
                return other
            }
        }

        @Test(arguments: Obstacle.allCases)
        func aLockThatStaysThrowsWhenTheTimeIsUp(obstacle: Obstacle) throws {
            let backup = try begin()
            let other = try obstacle.open(in: folder)
            backup.timeout = 0.05
            let start = Date()
            expectSQLiteError(.busy) { while try backup.step(pages: 50) {} }
            #expect(Date().timeIntervalSince(start) >= 0.05)
            // It may be called again.
            backup.timeout = 0
            expectSQLiteError(.busy) { while try backup.step(pages: 50) {} }
            try other.execute("ROLLBACK")
            try backup.stepToEnd(pages: 50)
            try expectSame(destination, source)
        }

        @Test(arguments: Obstacle.allCases, [false, true])
        func givingUpForALockLeavesTheDestinationAsItWas(
            obstacle: Obstacle,
            isFinished: Bool
        ) throws {
            var backup: Backup? = try begin()
            let other = try obstacle.open(in: folder)
            backup?.timeout = 0
            expectSQLiteError(.busy) { while try backup?.step(pages: 50) == true {} }
            if isFinished {
                // It doesn't throw again what the step has thrown.
                try backup?.finish()
            } else {
                backup = nil
            }
            try other.execute("ROLLBACK")
            try expectRows(7, on: destination)
            try expectSound(destination)
        }

        @Test(arguments: Obstacle.allCases)
        func aLockAtTheBeginningIsWaitedForToo(obstacle: Obstacle) async throws {
            let (begun, goOn) = (Gate(), Gate())
            let holder = Worker { [folder] in
                let other = try obstacle.open(in: folder)
                begun.open()
                goOn.waitUntilOpenerBlocks()
                try other.execute("ROLLBACK")
            }
            await begun.opened()
            let new = try (folder.connection(), Connection(path: folder.path("copy.sqlite")))
            goOn.open()
            do {
                try new.0.backup(to: new.1)
                try expectSame(destination, source)
            } catch {
                Issue.record(error)
            }
            try await holder.finalValue()
        }

        @Test func othersCannotWriteToTheDestinationBetweenTheSteps() throws {
            let backup = try begin()
            #expect(try backup.step(pages: 10))
            #expect(try !canWrite(toFileAt: folder.path("copy.sqlite")))
            try backup.finish()
            #expect(try canWrite(toFileAt: folder.path("copy.sqlite")))
        }

        @Test(arguments: Obstacle.allCases)
        func aLockThatGoesIsWaitedFor(obstacle: Obstacle) async throws {
            let backup = try begin()
            let (begun, goOn) = (Gate(), Gate())
            let holder = Worker { [folder] in
                let other = try obstacle.open(in: folder)
                begun.open()
                goOn.waitUntilOpenerBlocks()
                try other.execute("ROLLBACK")
            }
            backup.timeout = patience
            await begun.opened()
            goOn.open()
            try backup.stepToEnd(pages: 50)
            try await holder.finalValue()
            try expectSame(destination, source)
        }

        @Test func theTimeoutIsFiveSecondsUnlessItIsSet() throws {
            #expect(try begin().timeout == 5)
        }

        @Test func readersOfTheDestinationInAWALKeepWhatTheySee() throws {
            try destination.execute("PRAGMA journal_mode = WAL")
            let reader = try Connection(path: folder.path("copy.sqlite"))
            try reader.execute("BEGIN; SELECT count(*) FROM t")
            try source.backup(to: destination)
            try expectRows(7, on: reader)
            try expectSound(reader)
            try reader.execute("COMMIT")
            try expectSame(reader, source)
        }

        @Test func theSourceIsOnlyLockedDuringAStep() throws {
            let backup = try begin()
            #expect(try backup.step(pages: 10))
            try expectUnlocked(folder)
            #expect(!source.isInsideTransaction)
            try backup.stepToEnd()
            try expectSame(destination, source)
        }
    }
}

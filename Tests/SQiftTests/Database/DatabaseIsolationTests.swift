import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    struct DatabaseIsolationTests {
        private let folder = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.openWithTable { $0.maximumReaderCount = 4 }
        }

        // MARK: What a read sees

        @Test func aReadSeesWhatAnotherThreadWroteBefore() throws {
            for number in 1...200 {
                try database.add(number)
                let seen = try Worker { try rows(database) }.value()
                #expect(seen == number)
            }
        }

        @Test func oneReadIsOneStateAndTheNextAnother() throws {
            // reader: counts                   counts again
            // writer:        inserts, commits
            func counts(_ access: DatabaseAccess) throws -> [Int] {
                try access.run(on: database) { connection in
                    let first = try count("t", on: connection)
                    try Worker { try database.add(1) }.value()
                    return try [first, count("t", on: connection)]
                }
            }

            #expect(try counts(.read) == [0, 0])
            try expectRows(1, in: database)
            // Without a transaction each statement sees the last commit.
            #expect(try counts(.executeRead) == [1, 2])
        }

        @Test func twoReadsCanSeeTwoStatesAtOneTime() throws {
            let counts = try database.read { connection in
                let before = try count("t", on: connection)
                try Worker { try database.add(1) }.value()
                let other = try Worker { try rows(database) }.value()
                return try [before, other, count("t", on: connection)]
            }
            #expect(counts == [0, 1, 0])
        }

        @Test func aReadDoesntSeeAnOpenWrite() throws {
            try database.write { connection in
                try add(1, on: connection)
                let seen = try Worker { try rows(database) }.value()
                #expect(seen == 0)
            }
            try expectRows(1, in: database)
        }

        @Test func withoutATransactionReadsSeeWhatIsHalfDone() throws {
            try database.writeWithoutTransaction { connection in
                try add(1, on: connection)
                let seen = try Worker { try rows(database) }.value()
                #expect(seen == 1)
                try add(2, on: connection)
            }
            try expectRows(2, in: database)
        }

        @Test func aReadThatHasEndedHoldsNoLock() throws {
            _ = try rows(database)
            _ = try database.executeRead { try $0.query("SELECT x FROM t") as Row? }
            try database.add(1)
            let result = try database.checkpoint(mode: .truncate)
            #expect(result.isComplete)
            #expect(folder.size("test.sqlite-wal") == 0)
        }

        // MARK: What runs at the same time

        @Test func readsRunAtTheSameTimeAsAWrite() throws {
            let barrier = Barrier(of: 5)
            let readers = (0..<4).map { _ in
                Worker {
                    try database.read { connection in
                        barrier.wait()
                        return try count("t", on: connection)
                    }
                }
            }
            try database.write { connection in
                try add(1, on: connection)
                barrier.wait()
                #expect(try readers.values() == [0, 0, 0, 0])
            }
            try expectRows(1, in: database)
        }

        @Test func neverMoreReadsRunThanAllowed() throws {
            let inside = SharedCount()
            let threads = (0..<12).map { _ in
                Worker {
                    for _ in 0..<30 {
                        try database.read { connection in
                            inside.add(1)
                            let _: Int = try connection.query(
                                numbers(to: 1000, selecting: "count(*)")
                            )
                            inside.add(-1)
                        }
                    }
                }
            }
            try threads.values()
            #expect(inside.peak <= 4)
        }

        @Test func writesTakeTurns() throws {
            try database.execute("CREATE TABLE c(n); INSERT INTO c VALUES(0)")
            let inside = SharedCount()
            let threads = (0..<8).map { index in
                Worker {
                    let forms: [DatabaseAccess] = [
                        .write, .queueWrite, .queueTransaction, .queueExecute, .executeWrite,
                    ]
                    for round in 0..<50 {
                        try forms[(index + round) % forms.count].run(on: database) { connection in
                            inside.add(1)
                            let n: Int = try connection.query("SELECT n FROM c")
                            try connection.run("UPDATE c SET n = ?", n + 1)
                            inside.add(-1)
                        }
                    }
                }
            }
            try threads.values()
            #expect(inside.peak == 1)
            try expectAnswer(400, to: "SELECT n FROM c", from: database)
        }

        @Test func aSumHoldsInEveryReadWhileAccountsChange() throws {
            try database.write { connection in
                try connection.execute(
                    "CREATE TABLE accounts(id INTEGER PRIMARY KEY, amount); CREATE TABLE log(x)"
                )
                for id in 0..<10 {
                    try connection.run("INSERT INTO accounts VALUES(?, 100)", id)
                }
            }
            let stopped = SharedCount()
            let writers = (0..<2).map { writer in
                Worker {
                    for round in 0..<300 {
                        try database.write { connection in
                            let amount = (round * 7 + writer) % 50
                            let (from, to) = ((round + writer) % 10, (round * 3 + 1) % 10)
                            try connection.run(
                                "UPDATE accounts SET amount = amount - ? WHERE id = ?",
                                amount,
                                from
                            )
                            try connection.run("INSERT INTO log VALUES(?)", amount)
                            try connection.run(
                                "UPDATE accounts SET amount = amount + ? WHERE id = ?",
                                amount,
                                to
                            )
                        }
                    }
                    return true
                }
            }
            let readers = (0..<4).map { _ in
                Worker { () -> (reads: Int, wrong: Int) in
                    var (reads, wrong) = (0, 0)
                    repeat {
                        try database.read { connection in
                            let before = try count("log", on: connection)
                            let sum: Int = try connection.query("SELECT sum(amount) FROM accounts")
                            let after = try count("log", on: connection)
                            if sum != 1000 || before != after {
                                wrong += 1
                            }
                        }
                        reads += 1
                    } while stopped.value == 0
                    return (reads, wrong)
                }
            }
            defer { stopped.add(1) }
            try writers.values()
            stopped.add(1)
            for reader in readers {
                let (reads, wrong) = try reader.value()
                #expect(reads > 0)
                #expect(wrong == 0)
            }
            let logged = try database.read { try count("log", on: $0) }
            #expect(logged == 600)
            try expectAnswer("ok", to: "PRAGMA integrity_check", from: database)
        }

        @Test func inARollbackJournalReadsAndWritesWaitForEachOtherWithoutFailing() throws {
            let other = try Database(
                path: folder.path("other.sqlite"),
                configuration: {
                    var configuration = Database.Configuration()
                    configuration.journalMode = .delete
                    configuration.synchronous = .off
                    return configuration
                }()
            )
            try other.write { try $0.execute("CREATE TABLE t(x)") }
            let readers = (0..<3).map { _ in
                Worker { try (0..<100).map { _ in try rows(other) } }
            }
            for number in 0..<100 {
                try other.write { try add(number, on: $0) }
            }
            for reader in readers {
                let seen = try reader.value()
                #expect(seen == seen.sorted())
            }
            try expectRows(100, in: other)
        }
    }
}

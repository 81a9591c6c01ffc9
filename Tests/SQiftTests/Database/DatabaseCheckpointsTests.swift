import Foundation
import SQift
import SQiftTestSupport
import Testing

/// A database whose checkpoints are left to another process.
extension DatabaseSuites {
    struct DatabaseCheckpointsTests {
        typealias Checkpoints = Database.Configuration.Checkpoints

        private let folder = TemporaryFolder.fresh
        private let target = TemporaryFolder.fresh

        private func open(_ checkpoints: Checkpoints) throws -> Database {
            try folder.open {
                $0.checkpoints = checkpoints
                // Far less than what is written.
                $0.journalSizeLimit = 1 << 20
            }
        }

        /// Writes about two thousand pages, in as many transactions as there are rows.
        private func write(_ numbers: Range<Int>, to database: Database) async throws {
            for number in numbers {
                try await database.write { connection in
                    try connection.run("INSERT INTO t VALUES(?, zeroblob(20000))", number)
                }
            }
        }

        private func index(_ database: Database) throws -> WALIndex {
            try database.executeWrite { try WALIndex($0) }
        }

        /// Does everything that a database does in its life, and calls `check` after each step.
        private func live(_ database: Database, check: () throws -> Void) async throws {
            try await database.execute("CREATE TABLE t(x, y)")
            try check()
            try await write(0..<400, to: database)
            try check()
            let readers = (0..<3).map { _ in
                Task { try await database.read { try count("t", on: $0) } }
            }
            for reader in readers {
                try await #expect(reader.value == 400)
            }
            try check()
            try await database.backup(to: target.path())
            try check()
            try await database.writeWithoutTransaction { connection in
                let migration = creating("a")
                try connection.migrator([migration]).run()
            }
            try check()
            try await database.restore(from: target.path())
            try check()
            database.releaseMemory()
            try await database.suspend()
            database.resume()
            try check()
            let snapshot = try await database.snapshot()
            try await write(400..<500, to: database)
            try snapshot.close()
            try check()
            try await write(500..<600, to: database)
            try check()
        }

        @Test func checkpointsLeftToAnotherProcessAreNeverMade() async throws {
            let database = try open(.external)
            var salt: Data?
            var largestWAL = 0
            try await live(database) {
                let index = try self.index(database)
                salt = salt ?? index.salt
                #expect(index.salt == salt)
                #expect(index.backfilledFrames == 0)
                #expect(folder.size("test.sqlite-wal") >= largestWAL)
                largestWAL = folder.size("test.sqlite-wal")
            }
            #expect(largestWAL > 10 << 20)
            try await database.close()

            // Everything is still in the WAL, and only there.
            #expect(folder.size("test.sqlite-wal") == largestWAL)
            #expect(folder.size("test.sqlite") < 1 << 20)
            let again = try open(.external)
            try expectRows(600, in: again)
            let index = try self.index(again)
            #expect(index.salt == salt)
            #expect(index.backfilledFrames == 0)
            try await again.close()
            #expect(folder.size("test.sqlite-wal") == largestWAL)
        }

        @Test func automaticCheckpointsAreMade() async throws {
            let database = try open(.automatic)
            var salts: Set<Data> = []
            var hasBackfilled = false
            try await live(database) {
                let index = try self.index(database)
                salts.insert(index.salt)
                hasBackfilled = hasBackfilled || index.backfilledFrames > 0
            }
            #expect(salts.count > 1)
            #expect(hasBackfilled)
            try await database.close()
            try folder.expectFiles("test.sqlite")
        }

        @Test func aDatabaseThatIsLetGoLeavesTheWALToo() throws {
            for checkpoints in [Checkpoints.external, .automatic] {
                do {
                    let database = try open(checkpoints)
                    try database.execute("CREATE TABLE IF NOT EXISTS t(x)")
                    try expectRows(0, in: database)
                }
                let isLeft = try folder.files().contains("test.sqlite-wal")
                #expect(isLeft == (checkpoints == .external))
            }
        }

        @Test func everyConnectionHasTheSettings() async throws {
            let database = try open(.external)
            let sql = "PRAGMA wal_autocheckpoint"
            let values: [Int] = [
                try await database.write { try $0.query(sql) },
                try await database.read { try $0.query(sql) },
            ]
            #expect(values == [0, 0])
            let limit: Int = try await database.write { try $0.query("PRAGMA journal_size_limit") }
            #expect(limit == -1)
        }

        @Test func aCheckpointThatIsCalledForIsMade() async throws {
            let database = try open(.external)
            try await database.execute("CREATE TABLE t(x, y)")
            try await write(0..<10, to: database)
            let result = try await database.checkpoint(mode: .passive)
            #expect(result.isComplete)
            #expect(try index(database).backfilledFrames == result.logFrames)

            // The read transaction of a replicator keeps the WAL from being started anew.
            let replicator = try Replicator(of: folder.path(), to: target.path())
            try await write(10..<20, to: database)
            try await database.writeWithoutTransaction { try $0.execute("PRAGMA busy_timeout = 0") }
            await expectTaskSQLiteError(.busy) {
                try await database.checkpoint(mode: .truncate)
            }
            try replicator.copyFrames()
            #expect(try replicator.stop().gaps == 0)
        }

        #if os(Linux)
            private static let replication = "theOtherProcessReplicates"

            /// - Returns: What another process, in several rounds, has copied of what a database
            ///   committed in and between the rounds. If frames were lost, no rows.
            private func replicate(
                _ checkpoints: Checkpoints
            ) async throws -> (rows: Int, checkpoints: Int, gaps: Int) {
                let database = try open(checkpoints)
                try await database.execute("CREATE TABLE t(x, y)")
                var opened: Database? = database
                for round in 0..<3 {
                    let signs = Signs(folder: target.url.path)
                    let process = try OtherProcess(
                        running: Self.replication,
                        with: "\(round) \(target.url.path) \(folder.path())"
                    )
                    signs.wait(for: "ready-\(round)")
                    let current = try opened ?? open(checkpoints)
                    let start = round * 400
                    try await write(start..<start + 300, to: current)
                    try signs.give("stop-\(round)")
                    #expect(process.hasPassed())
                    // While nobody replicates, and as the last connection.
                    try await write(start + 300..<start + 400, to: current)
                    try await current.close()
                    opened = nil
                }
                let replicator = try Replicator(of: folder.path(), to: target.path("replica"))
                let (checkpoints, gaps) = try replicator.stop()
                guard gaps == 0 else { return (0, checkpoints, gaps) }
                let replica = try Connection(path: target.path("replica"))
                try expectSound(replica)
                let rows: Int = try replica.query("SELECT count(DISTINCT x) FROM t")
                return (rows, checkpoints, gaps)
            }

            @Test func aReplicatorCopiesEveryCommittedRow() async throws {
                let result = try await replicate(.external)
                #expect(result.rows == 1200)
                #expect(result.gaps == 0)
                #expect(result.checkpoints > 0)
            }

            /// While nobody replicates, and when it is closed, the database makes checkpoints.
            @Test func aReplicatorMissesWhatAutomaticCheckpointsMove() async throws {
                let result = try await replicate(.automatic)
                #expect(result.gaps > 0)
            }

            @Test(.otherProcess(replication)) func theOtherProcessReplicates() throws {
                let argument = try #require(OtherProcess.argument(of: Self.replication))
                let parts = argument.split(separator: " ", maxSplits: 2).map(String.init)
                let signs = Signs(folder: parts[1])
                let replicator = try Replicator(of: parts[2], to: parts[1] + "/replica")
                try signs.give("ready-\(parts[0])")
                while !signs.isGiven("stop-\(parts[0])") {
                    try replicator.copyFrames()
                    if replicator.copiedFrames > 500 {
                        try replicator.checkpoint()
                    }
                    // A replicator looks once in a while.
                    Thread.sleep(forTimeInterval: 0.001)
                }
                try replicator.stop()
            }
        #endif
    }
}

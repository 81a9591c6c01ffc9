// Only the library makes `TableChanges`.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

extension ObservationSuites {
    /// Commits of others.
    struct DatabaseChangesPollingTests {
        private static let interval = 0.001
        private static let ofOthers = {
            var changes = TableChanges.unknown
            changes.isExternal = true
            return changes
        }()

        private let folder = TemporaryFolder.fresh
        /// For databases of other kinds.
        private let elsewhere = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.openListened()
        }

        private func polled() -> DatabaseChanges {
            database.changes(pollingEvery: Self.interval)
        }

        /// Counts the writer's looks at the data version.
        private func countLooks(on database: Database) async throws -> SharedCount {
            let looks = SharedCount()
            database.prepareConnections { connection in
                connection.trace { sql in
                    if sql.contains("data_version") {
                        looks.add(1)
                    }
                }
            }
            // The next access prepares the connection.
            try await database.writeWithoutTransaction { _ in }
            return looks
        }

        private func awaitLooks(_ looks: SharedCount) async {
            let before = looks.value
            await poll("nothing is polled") { looks.value > before + 3 }
        }

        enum Other: CaseIterable {
            case connection, queue, database, transaction

            func write(to folder: TemporaryFolder) throws {
                let connection = try folder.connection()
                try connection.busyHandler(.timeout(patience))
                switch self {
                case .connection: try add(1, on: connection)
                case .queue:
                    try ConnectionQueue(connection: connection).write { try add(1, on: $0) }
                case .database:
                    let database = try folder.open { $0.journalMode = .unchanged }
                    try database.add(1)
                case .transaction:
                    try connection.execute("BEGIN; INSERT INTO t VALUES(1); DELETE FROM u; COMMIT")
                }
            }
        }

        @Test(arguments: [ListenedDatabase.wal, .delete], Other.allCases)
        func commitsOfOthersAreNoticed(kind: ListenedDatabase, other: Other) async throws {
            let database = try kind.open(in: elsewhere)
            let filters: [[String]?] = [nil, ["u"], []]
            let changes = filters.map { database.changes(in: $0, pollingEvery: Self.interval) }
            let calls = SharedNotes<TableChanges>()
            let listener = database.onChanges(pollingEvery: Self.interval) { calls.note($0) }
            for round in 1...3 {
                try await onThread { [elsewhere] in try other.write(to: elsewhere) }
                for listener in changes {
                    try await listener.expectNext(Self.ofOthers)
                }
                await poll("the closure isn't called") { calls.all.count >= round }
            }
            #expect(Set(calls.all) == [Self.ofOthers])
            listener.end()
        }

        @Test(arguments: [0, -1, 1e-9, -.infinity, .nan] as [TimeInterval])
        func anIntervalThatIsTooShortIsAMillisecond(interval: TimeInterval) async throws {
            let changes = database.changes(pollingEvery: interval)
            for round in 0..<3 {
                try add(round, on: folder.connection())
                try await changes.expectNext(Self.ofOthers)
            }
        }

        @Test(arguments: [1e300, .infinity] as [TimeInterval])
        func anIntervalMayBeLong(interval: TimeInterval) async throws {
            let changes = database.changes(pollingEvery: interval)
            try await database.add(1)
            try await changes.expect(.commit("t"), from: database)
        }

        /// Whatever the time between the beginning and the first look is, and whichever listener
        /// causes that look.
        @Test func aCommitRightAfterTheBeginningIsNoticed() async throws {
            let other = try folder.connection()
            try other.execute("PRAGMA synchronous = OFF")
            for round in 0..<100 {
                let listeners = (0..<4).map { _ in polled() }
                try add(round, on: other)
                for changes in listeners {
                    try await changes.expectNext(Self.ofOthers)
                }
            }
        }

        /// The first look finds nothing new then, which is no answer.
        @Test func aCommitAfterTheBeginningIsNoticedIfAnAccessSeesItFirst() async throws {
            // Without it, whoever begins during an access would be told to expect everything.
            let earlier = database.changes()
            let changes = try await database.writeWithoutTransaction { [folder] connection in
                let changes = polled()
                try add(1, on: folder.connection())
                try expectRows(1, on: connection)
                return changes
            }
            let heard = try await withPatience { try await changes.next() }
            #expect(heard == Self.ofOthers)
            withExtendedLifetime(earlier) {}
        }

        @Test func aCommitIsNoticedByWhoBeginsWhileOthersPoll() async throws {
            let other = try folder.connection()
            try other.execute("PRAGMA synchronous = OFF")
            let polling = polled()
            for round in 0..<100 {
                let late = polled()
                try add(round, on: other)
                try await late.expectNext(Self.ofOthers)
            }
            withExtendedLifetime(polling) {}
        }

        /// What ended listeners have seen last is no measure for the next one.
        @Test func aCommitBeforeTheBeginningIsNotReported() async throws {
            let other = try folder.connection()
            var quietCount = 0
            for round in 0..<20 {
                do {
                    let changes = polled()
                    try add(round, on: other)
                    _ = try await changes.next()
                }
                try add(round, on: other)
                try await database.add(round)
                let changes = polled()
                await awaitLooks(try await countLooks(on: database))
                let heard = try await changes.heard(from: database)
                quietCount += heard == TableChanges() ? 1 : 0
            }
            // If the write hasn't quite ended at the beginning, the first look reports too much.
            #expect(quietCount > 0)
        }

        @Test(arguments: ListenedDatabase.allCases)
        func ownCommitsAreNotTakenForOthers(kind: ListenedDatabase) async throws {
            let database = try kind.open(in: elsewhere)
            let changes = database.changes(pollingEvery: Self.interval)
            let looks = try await countLooks(on: database)
            await awaitLooks(looks)
            for round in 0..<50 {
                try await database.add(round)
                _ = try await database.read { try count("t", on: $0) }
            }
            await awaitLooks(looks)
            try await changes.expect(.commit("t"), from: database)
            await awaitLooks(looks)
        }

        /// The look of a listener that has ended may still use the writer when the next one begins.
        @Test func aLookIsNotTakenForAnAccessThatMayHaveSeenOthers() async throws {
            let (looking, release) = (Gate(), Gate())
            let moment = SharedCount()
            database.prepareConnections { connection in
                connection.trace { sql in
                    if sql.contains("data_version"), moment.value == 1 {
                        looking.open()
                        release.wait()
                    }
                }
            }
            try await database.writeWithoutTransaction { _ in }
            do {
                let earlier = polled()
                moment.add(1)
                await looking.opened()
                withExtendedLifetime(earlier) {}
            }

            let changes = polled()
            moment.add(1)
            release.open()
            try await database.add(1)
            try await changes.expect(.commit("t"), from: database)
        }

        @Test func whatReplacesTheContentIsNotTakenForOthers() async throws {
            let path = folder.path("backup.sqlite")
            try await database.backup(to: path)
            let changes = polled()
            let looks = try await countLooks(on: database)
            await awaitLooks(looks)
            try await database.writeWithoutTransaction { try $0.run("VACUUM") }
            await awaitLooks(looks)
            try await database.restore(from: path)
            await awaitLooks(looks)
            _ = try await database.checkpoint()
            await awaitLooks(looks)
            let heard = try await changes.heard(from: database)
            #expect(heard.includesAllTables)
            #expect(!heard.isExternal)
        }

        @Test func withoutCommitsNothingIsHeardOf() async throws {
            try add(1, on: folder.connection())
            // A commit that the connection that writes hasn't seen yet may be reported.
            try await database.add(2)
            let changes = polled()
            await awaitLooks(try await countLooks(on: database))
            try await changes.expect(TableChanges(), from: database)
        }

        @Test func withoutAnIntervalNothingPolls() async throws {
            let (silent, polling) = (
                database.changes(), polled()
            )
            try add(1, on: folder.connection())
            let heard = try await polling.next()
            #expect(heard == Self.ofOthers)
            try await silent.expect(TableChanges(), from: database)
        }

        @Test func pollingEndsWithTheLastListener() async throws {
            let looks = try await countLooks(on: database)
            var changes: DatabaseChanges? = polled()
            let listener = database.onChanges(pollingEvery: Self.interval) { _ in }
            await awaitLooks(looks)
            withExtendedLifetime(changes) {}
            changes = nil
            await awaitLooks(looks)
            listener.end()
            try await awaitingPoll("it goes on polling") {
                let before = looks.value
                // Many intervals.
                try await Task.sleep(for: .milliseconds(100))
                return looks.value == before
            }
        }

        @Test func pollingOutlivesASuspension() async throws {
            let changes = polled()
            try await database.suspend()
            try add(1, on: folder.connection())
            database.resume()
            try await changes.expectNext(Self.ofOthers)
        }

        /// One look is in line at most, so the write comes soon after the long one.
        @Test func looksDoNotPileUpBehindAWrite() async throws {
            let looks = try await countLooks(on: database)
            let polling = (0..<20).map { _ in polled() }
            await awaitLooks(looks)
            let before = try await database.writeWithoutTransaction { _ in
                Thread.sleep(forTimeInterval: 0.3)
                return looks.value
            }
            try await database.writeWithoutTransaction { _ in }
            // Piled up, there would be hundreds. Some more begin before the next write does.
            #expect(looks.value - before < 100)
            withExtendedLifetime(polling) {}
        }

        @Test func itIsBegunWithoutWaitingForAWrite() async throws {
            let (isWriting, mayEnd) = (Gate(), Gate())
            let writing = Task.detached {
                try await database.write { _ in
                    isWriting.open()
                    mayEnd.wait()
                }
            }
            await isWriting.opened()
            let waiting = (0..<5).map { _ in
                Task.detached { try await database.add(1) }
            }
            let changes = polled()
            let listener = database.onChanges(pollingEvery: Self.interval) { _ in }
            let values = database.values(pollingEvery: Self.interval) { try count("t", on: $0) }
            let first = try await withPatience {
                var iterator = values.makeAsyncIterator()
                return try await iterator.next()
            }
            #expect(first == 0)
            mayEnd.open()
            try await writing.value
            for task in waiting {
                try await task.value
            }
            listener.end()
            withExtendedLifetime(changes) {}
        }

        /// Neither with the configured timeout nor with one that the pragma sets.
        @Test(arguments: [false, true])
        func noAccessWaitsForALookAtALockedFile(isPragma: Bool) async throws {
            let database = try elsewhere.openWithTable { configuration in
                configuration.journalMode = .delete
                configuration.busyTimeout = patience
            }
            if isPragma {
                try await database.writeWithoutTransaction {
                    try $0.execute("PRAGMA busy_timeout = \(Int(patience * 1000))")
                }
            }
            let listener = database.onChanges(pollingEvery: Self.interval) { _ in }
            let looks = try await countLooks(on: database)
            let other = try elsewhere.connection()
            // A look that has just begun holds the lock of a reader.
            try other.busyHandler(.timeout(patience))
            try other.execute("BEGIN EXCLUSIVE")
            await awaitLooks(looks)
            let start = Date()
            for _ in 0..<3 {
                try await database.writeWithoutTransaction { try $0.execute("SELECT 1") }
            }
            #expect(Date().timeIntervalSince(start) < patience / 2)
            try other.execute("ROLLBACK")
            listener.end()
        }

        @Test func pollingEndsWithTheDatabase() async throws {
            let changes = polled()
            let looks = try await countLooks(on: database)
            await awaitLooks(looks)
            try await database.close()
            try await changes.expectNext(nil)
            try folder.expectFiles("test.sqlite")
        }

        @Test func othersAreNoticedWhileTheDatabaseWrites() async throws {
            let changes = database.changes(in: [], pollingEvery: Self.interval)
            let mayEnd = Gate()
            let writer = Task.detached {
                while !mayEnd.isOpen {
                    try await database.add(1)
                }
            }
            let (other, folder) = (Other.database, folder)
            try await onThread { try other.write(to: folder) }
            try await changes.expectNext(Self.ofOthers)
            mayEnd.open()
            try await writer.value
        }
    }
}

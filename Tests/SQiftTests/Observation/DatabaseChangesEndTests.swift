// Only the library makes `TableChanges`.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

extension ObservationSuites {
    /// How listening ends, and what it leaves.
    struct DatabaseChangesEndTests {
        private let folder = TemporaryFolder.fresh
        /// For databases of other kinds.
        private let elsewhere = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.openListened()
        }

        /// Expects that the writer is no longer observed after its next access.
        private func expectUnobserved(
            _ database: Database,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            try await database.writeWithoutTransaction { _ in }
            let isObserved = try await database.writeWithoutTransaction { $0.isPublishingChanges }
            #expect(!isObserved, sourceLocation: sourceLocation)
        }

        private func isObserved(_ database: Database) async throws -> Bool {
            try await database.writeWithoutTransaction { $0.isPublishingChanges }
        }

        // MARK: What ends it

        @Test(arguments: ListenedDatabase.allCases)
        func theWriterIsObservedWhileSomebodyListens(kind: ListenedDatabase) async throws {
            let database = try kind.open(in: elsewhere)
            #expect(try await !isObserved(database))
            var changes: [DatabaseChanges?] = [database.changes(), database.changes(in: ["t"])]
            let listener = database.onChanges { _ in }
            #expect(try await isObserved(database))
            changes[0] = nil
            #expect(try await isObserved(database))
            changes[1] = nil
            _ = try await isObserved(database)
            #expect(try await isObserved(database))
            listener.end()
            try await expectUnobserved(database)

            let again = database.changes()
            try await database.add(1)
            try await again.expectNext(.commit("t"))
        }

        @Test func leavingTheLoopEndsIt() async throws {
            let mayLeave = Gate()
            let task = Task.detached {
                for await changes in database.changes() where changes.concerns("t") {
                    await mayLeave.opened()
                    break
                }
            }
            try await awaitingPoll("nobody listens") { try await isObserved(database) }
            try await database.add(1)
            #expect(try await isObserved(database))
            mayLeave.open()
            try await withPatience { await task.value }
            try await expectUnobserved(database)
        }

        @Test(arguments: [true, false])
        func cancellingTheTaskEndsIt(isWaiting: Bool) async throws {
            let (isInside, mayGoOn) = (Gate(), Gate())
            let follower = Follower(database.changes()) { _ in
                isInside.open()
                // Not a poll, which ends when the task is cancelled.
                try await onThread { mayGoOn.wait() }
            }
            try await database.add(1)
            await isInside.opened()
            if isWaiting {
                mayGoOn.open()
            }
            follower.cancel()
            mayGoOn.open()
            try await follower.end()
            #expect(follower.all == [TableChanges(tables: ["t"])])
        }

        @Test func aTaskThatIsCancelledAlreadyHearsOfNothing() async throws {
            let changes = database.changes()
            try await database.add(1)
            let mayBegin = Gate()
            let task = Task.detached {
                try? await onThread { mayBegin.wait() }
                var iterator = changes.makeAsyncIterator()
                return await iterator.next()
            }
            task.cancel()
            mayBegin.open()
            let heard = try await withPatience { await task.value }
            #expect(heard == nil)
        }

        @Test(arguments: ListenedDatabase.allCases, [false, true])
        func closingTheDatabaseEndsIt(kind: ListenedDatabase, isInterrupting: Bool) async throws {
            let database = try kind.open(in: elsewhere)
            let (waiting, late) = (Follower(database.changes()), database.changes(in: ["t"]))
            let calls = SharedNotes<TableChanges>()
            let (isBusy, mayGoOn) = (Gate(), Gate())
            database.onChanges { changes in
                calls.note(changes)
                isBusy.open()
                mayGoOn.wait()
            }
            try await database.add(1)
            await isBusy.opened()
            try await database.run("INSERT INTO t SELECT x FROM t")
            try await database.run("INSERT INTO u VALUES(1)")
            try await database.close(interrupting: isInterrupting)
            mayGoOn.open()

            // What was committed before is still delivered.
            try await waiting.end()
            #expect(Set(waiting.all.flatMap(\.tables)) == ["t", "u"])
            try await late.expectNext(.commit("t"))
            try await late.expectNext(nil)
            await poll("the closure doesn't hear of it: \(calls.all)") {
                Set(calls.all.flatMap(\.tables)) == ["t", "u"]
            }
        }

        @Test func aCommitWhileTheDatabaseIsBeingClosedIsHeardOf() async throws {
            let changes = database.changes()
            let (isInside, mayGoOn) = (Gate(), Gate())
            let writer = Worker {
                try database.write { connection in
                    isInside.open()
                    mayGoOn.wait()
                    try add(1, on: connection)
                }
            }
            await isInside.opened()
            let closing = Task.detached { try await database.close() }
            await poll("it isn't closed") {
                (try? refusal { try database.executeRead { _ in } }) == .closed
            }
            mayGoOn.open()
            try await writer.finalValue()
            try await closing.value
            try await changes.expectNext(.commit("t"))
            try await changes.expectNext(nil)
        }

        @Test(arguments: ListenedDatabase.allCases)
        func releasingTheDatabaseEndsIt(kind: ListenedDatabase) async throws {
            var database: Database? = try kind.open(in: elsewhere)
            weak let reference = database
            let changes = try #require(database).changes(pollingEvery: 0.001)
            let waiting = Follower(try #require(database).changes(in: ["unknown"]))
            let calls = SharedNotes<TableChanges>()
            database?.onChanges { calls.note($0) }
            try await database?.write { try add(1, on: $0) }
            database = nil
            await poll("somebody keeps it") { reference == nil }
            try await waiting.end()
            try await changes.expectNext(.commit("t"))
            try await changes.expectNext(nil)
            await poll("the closure doesn't hear of it") { !calls.all.isEmpty }
        }

        @Test func listeningOnAClosedDatabaseEndsAtOnce() async throws {
            final class Kept: Sendable {}
            try await database.close()
            for interval in [nil, 0.001] {
                let changes = database.changes(pollingEvery: interval)
                let end = try await changes.next()
                #expect(end == nil)
                try await changes.expectNext(nil)
                var kept: Kept? = Kept()
                weak let reference = kept
                let listener = database.onChanges(pollingEvery: interval) { [kept] _ in
                    withExtendedLifetime(kept) { recordCall() }
                }
                kept = nil
                await poll("the closure is kept") { reference == nil }
                listener.end()
            }
        }

        // MARK: What it outlives

        @Test func anIteratorListensWithoutItsSequence() async throws {
            var iterator = database.changes().makeAsyncIterator()
            try await database.add(1)
            let heard = await iterator.next()
            #expect(heard == .commit("t"))
            #expect(try await isObserved(database))
            withExtendedLifetime(iterator) {}
        }

        @Test func aWriterThatWasReplacedIsObservedAgain() async throws {
            let changes = database.changes()
            try await onThread {
                try database.executeWrite { try add(1, on: $0) }
                _ = try database.writerConnectionQueue.failWithoutRollback()
            }
            try await changes.expectNext(.commit("t"))
            try await database.run("INSERT INTO u VALUES(1)")
            try await changes.expectNext(.commit("u"))
            #expect(try await isObserved(database))
        }

        @Test func aSuspendedDatabaseIsListenedToAgainWhenItIsResumed() async throws {
            let (before, follower) = (database.changes(), Follower(database.changes()))
            try await database.add(1)
            try await database.suspend()
            let during = database.changes()
            try await expectTaskRefusal(.suspended) { try await database.add(2) }
            database.resume()
            try await database.run("INSERT INTO u VALUES(1)")
            try await before.expectNext(.commit("t", "u"))
            try await during.expectNext(.commit("u"))
            await follower.hears("it ended") { $0.tables.contains("u") }
        }
    }
}

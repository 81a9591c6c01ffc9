// Only the library makes `TableChanges`.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

extension ObservationSuites {
    /// `onChanges`, which calls a closure.
    struct DatabaseChangesClosureTests {
        private let folder = TemporaryFolder.fresh
        /// For databases of other kinds.
        private let elsewhere = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.openListened()
        }

        @Test(arguments: ListenedDatabase.allCases)
        func theClosureReadsAndWrites(kind: ListenedDatabase) async throws {
            let database = try kind.open(in: elsewhere)
            let seen = SharedNotes<Int>()
            let written = database.changes(in: ["u"])
            let listener = database.onChanges(in: ["t"]) { changes in
                do {
                    #expect(changes == .commit("t"))
                    let rows = try rows(database)
                    seen.note(rows)
                    try database.write { try $0.run("INSERT INTO u VALUES(?)", rows) }
                } catch {
                    Issue.record(error)
                }
            }
            for round in 1...20 {
                try await database.add(round)
                try await written.expectNext(.commit("u"))
            }
            #expect(seen.all == Array(1...20))
            listener.end()
        }

        @Test func itIsCalledOnceAtATime() async throws {
            let (running, seen) = (SharedCount(), SharedNotes<Int>())
            let listener = database.onChanges { _ in
                running.add(1)
                seen.note((try? rows(database)) ?? -1)
                running.add(-1)
            }
            for round in 0..<300 {
                try await database.add(round)
            }
            await poll("it isn't called for the last commit") { seen.all.last == 300 }
            #expect(running.peak == 1)
            #expect(seen.all == seen.all.sorted())
            listener.end()
        }

        @Test func oneClosureDoesNotWaitForAnother() async throws {
            let (mayEnd, isBusy, isCalled) = (Gate(), Gate(), Gate())
            database.onChanges { _ in
                isBusy.open()
                mayEnd.wait()
            }
            database.onChanges(in: ["u"]) { _ in isCalled.open() }
            try await database.add(1)
            await isBusy.opened()
            try await database.run("INSERT INTO u VALUES(1)")
            await isCalled.opened()
            #expect(!mayEnd.isOpen)
            mayEnd.open()
        }

        @Test func whileItIsBusyChangesAreUnited() async throws {
            let (isBusy, mayGoOn) = (Gate(), Gate())
            let calls = SharedNotes<TableChanges>()
            let listener = database.onChanges { changes in
                calls.note(changes)
                isBusy.open()
                mayGoOn.wait()
            }
            try await database.add(1)
            await isBusy.opened()
            for _ in 0..<20 {
                try await database.run("INSERT INTO u VALUES(1)")
                try await database.run("INSERT INTO marker VALUES(1)")
            }
            mayGoOn.open()
            await poll("it isn't called again") { calls.all.count >= 2 }
            #expect(
                calls.all == [
                    TableChanges(tables: ["t"]), TableChanges(tables: ["u", "marker"]),
                ]
            )
            listener.end()
        }

        @Test func aRemovedClosureIsNotCalled() async throws {
            let changes = database.changes()
            for _ in 0..<50 {
                let calls = SharedCount()
                let listener = database.onChanges { _ in calls.add(1) }
                try await database.add(1)
                await poll("it isn't called") { calls.value == 1 }
                listener.end()
                listener.end()
                let isCalled = Gate()
                let other = database.onChanges { _ in isCalled.open() }
                try await database.add(1)
                await isCalled.opened()
                #expect(calls.value == 1)
                other.end()
            }
            // Others aren't removed with it.
            try await changes.expectNext(.commit("t"))
        }

        @Test func aCallThatHasBegunContinues() async throws {
            let (isInside, mayGoOn, hasEnded) = (Gate(), Gate(), Gate())
            let listener = database.onChanges { _ in
                isInside.open()
                mayGoOn.wait()
                hasEnded.open()
            }
            try await database.add(1)
            await isInside.opened()
            listener.end()
            mayGoOn.open()
            await hasEnded.opened()
        }

        /// Its next call is in line, and doesn't begin.
        @Test func aClosureThatIsRemovedWhileItIsBusyIsNotCalledAgain() async throws {
            final class Kept: Sendable {}
            var kept: Kept? = Kept()
            weak let reference = kept
            let (isInside, mayGoOn, calls) = (Gate(), Gate(), SharedCount())
            let listener = database.onChanges { [kept] _ in
                withExtendedLifetime(kept) {
                    calls.add(1)
                    isInside.open()
                    mayGoOn.wait()
                }
            }
            kept = nil
            try await database.add(1)
            await isInside.opened()
            try await database.add(2)
            listener.end()
            mayGoOn.open()
            await poll("somebody keeps it") { reference == nil }
            #expect(calls.value == 1)
        }

        @Test func aClosureMayRemoveItself() async throws {
            let own = Locked<DatabaseChangeListener?>(nil)
            let calls = SharedCount()
            let listener = database.onChanges { _ in
                calls.add(1)
                if let listener = own.withLock({ $0 }) {
                    listener.end()
                }
            }
            own.withLock { $0 = listener }
            try await database.add(1)
            await poll("it isn't called") { calls.value == 1 }
            try await awaitingPoll("it isn't removed") {
                try await !database.writeWithoutTransaction { $0.isPublishingChanges }
            }
            for round in 0..<20 {
                try await database.add(round)
            }
            #expect(calls.value == 1)
        }

        @Test func aClosureIsReleasedWithItsListener() async throws {
            final class Kept: Sendable {}
            for isClosed in [false, true] {
                var kept: Kept? = Kept()
                weak let reference = kept
                let listener = database.onChanges { [kept] _ in withExtendedLifetime(kept) {} }
                kept = nil
                try await database.add(1)
                #expect(reference != nil)
                if isClosed {
                    try await database.close()
                } else {
                    listener.end()
                }
                await poll("somebody keeps it") { reference == nil }
            }
        }
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

extension ObservationSuites {
    /// What a database is told of, and waiting for changes with a time limit.
    struct DatabaseChangesNotifiedTests {
        private let folder = TemporaryFolder.fresh

        // MARK: Notifications

        @Test(arguments: ListenedDatabase.allCases)
        func listenersHearOfIt(kind: ListenedDatabase) async throws {
            let database = try kind.open(in: folder)
            var changes = database.changes(in: ["T"]).makeAsyncIterator()
            database.notifyChanges(in: ["u"])
            database.notifyChanges(in: ["t", "u"])
            let first = try #require(await changes.next())
            #expect(first.tables == ["t"])
            #expect(!first.schemaChanged && !first.includesAllTables && !first.isExternal)
        }

        @Test func withoutTablesItIsAboutAll() async throws {
            let database = try ListenedDatabase.allCases[0].open(in: folder)
            var changes = database.changes(in: ["t"]).makeAsyncIterator()
            database.notifyChanges()
            let first = try #require(await changes.next())
            #expect(first.includesAllTables)
        }

        @Test func valuesAreReadAgain() async throws {
            let database = try ListenedDatabase.allCases[0].open(in: folder)
            var counts = database.values { try count("t", on: $0) }.makeAsyncIterator()
            try await #expect(counts.next() == 0)
            database.notifyChanges(in: ["t"])
            try await #expect(counts.next() == 0)
        }

        @Test func closuresAreCalled() async throws {
            let database = try ListenedDatabase.allCases[0].open(in: folder)
            let heard = AsyncStream<Set<String>>.makeStream()
            let listener = database.onChanges { heard.continuation.yield($0.tables) }
            database.notifyChanges(in: ["t"])
            var iterator = heard.stream.makeAsyncIterator()
            await #expect(iterator.next() == ["t"])
            listener.end()
        }

        @Test func withoutListenersNothingHappens() throws {
            let database = try ListenedDatabase.allCases[0].open(in: folder)
            database.notifyChanges(in: ["t"])
            try database.close()
            database.notifyChanges()
        }

        // MARK: A time limit

        @Test(arguments: [-1, 0, 0.001])
        func whenTheTimeIsOverTheChangesAreEmpty(seconds: TimeInterval) async throws {
            let database = try ListenedDatabase.allCases[0].open(in: folder)
            var changes = database.changes(in: ["t"]).makeAsyncIterator()
            let none = try #require(await changes.next(within: seconds))
            #expect(none.isEmpty)

            try await database.add(1)
            let some = try #require(await changes.next(within: patience))
            #expect(some.tables == ["t"])
            #expect(!some.isEmpty)
        }

        @Test func changesEndTheWaiting() async throws {
            let database = try ListenedDatabase.allCases[0].open(in: folder)
            var changes = database.changes().makeAsyncIterator()
            let writer = Task { try await database.add(1) }
            let some = try #require(await changes.next(within: patience))
            #expect(some.tables == ["t"])
            try await writer.value
        }

        @Test func whatWasCommittedBeforeIsThere() async throws {
            let database = try ListenedDatabase.allCases[0].open(in: folder)
            var changes = database.changes().makeAsyncIterator()
            try await database.add(1)
            let some = try #require(await changes.next(within: 0))
            #expect(some.tables == ["t"])
        }

        @Test func itEndsWithTheDatabase() async throws {
            let database = try ListenedDatabase.allCases[0].open(in: folder)
            var changes = database.changes().makeAsyncIterator()
            try await database.close()
            await #expect(changes.next(within: patience) == nil)
        }

        @Test func itEndsWithItsTask() async throws {
            let database = try ListenedDatabase.allCases[0].open(in: folder)
            let waiting = Task {
                var changes = database.changes().makeAsyncIterator()
                return await changes.next(within: patience)
            }
            waiting.cancel()
            await #expect(waiting.value == nil)
        }
    }
}

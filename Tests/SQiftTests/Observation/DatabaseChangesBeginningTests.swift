// Only the library makes `TableChanges`.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

extension ObservationSuites {
    /// Listeners that begin in the middle of something.
    struct DatabaseChangesBeginningTests {
        private let folder = TemporaryFolder.fresh
        /// For databases of other kinds.
        private let elsewhere = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.openListened()
        }

        @Test(arguments: ListenedDatabase.allCases, [false, true])
        func aListenerThatBeginsDuringAWriteMissesNothing(
            kind: ListenedDatabase,
            isFirst: Bool
        ) async throws {
            let database = try kind.open(in: elsewhere)
            let earlier = isFirst ? nil : database.changes()
            let (isInside, mayGoOn) = (Gate(), Gate())
            let writer = Worker {
                try database.write { connection in
                    try add(1, on: connection)
                    isInside.open()
                    mayGoOn.wait()
                    try connection.run("INSERT INTO u VALUES(1)")
                }
            }
            await isInside.opened()
            let changes = ["t", "u"].map { database.changes(in: [$0]) }
            mayGoOn.open()
            try await writer.finalValue()
            for (listener, table) in zip(changes, ["t", "u"]) {
                let heard = try await listener.next()
                #expect(heard?.concerns(table) == true)
            }
            if let earlier {
                try await earlier.expectNext(.commit("t", "u"))
            }
        }

        @Test func aListenerThatBeginsBetweenCommitsOfOneAccessHearsOfTheNext() async throws {
            let (isInside, mayGoOn) = (Gate(), Gate())
            let writer = Worker {
                try database.writeWithoutTransaction { connection in
                    try add(1, on: connection)
                    isInside.open()
                    mayGoOn.wait()
                    try connection.run("INSERT INTO u VALUES(1)")
                }
            }
            await isInside.opened()
            let changes = database.changes(in: ["u"])
            mayGoOn.open()
            try await writer.finalValue()
            let heard = try await changes.next()
            #expect(heard?.concerns("u") == true)
        }

        @Test func aListenerMayBeginInsideAWrite() async throws {
            let changes = try await database.write { connection in
                let changes = database.changes(in: ["t"])
                try add(1, on: connection)
                return changes
            }
            let heard = try await changes.next()
            #expect(heard?.concerns("t") == true)
        }

        /// The transaction was begun when nobody listened, or when somebody else did.
        @Test(arguments: ListenedDatabase.allCases, [false, true])
        func aListenerThatBeginsWhileATransactionIsLeftOpenMissesNothing(
            kind: ListenedDatabase,
            wasListenedTo: Bool
        ) async throws {
            let database = try kind.open(in: elsewhere)
            var earlier: DatabaseChanges? = wasListenedTo ? database.changes() : nil
            for sql in ["BEGIN", "INSERT INTO t VALUES(1)"] {
                try await onThread {
                    try database.writerConnectionQueue.execute { try $0.execute(sql) }
                }
            }
            withExtendedLifetime(earlier) {}
            earlier = nil
            try await onThread {
                try database.writerConnectionQueue.execute { try $0.execute("SELECT 1") }
            }
            let changes = ["t", "u"].map { database.changes(in: [$0]) }
            for sql in ["INSERT INTO u VALUES(1)", "COMMIT"] {
                try await onThread {
                    try database.writerConnectionQueue.execute { try $0.execute(sql) }
                }
            }
            for (listener, table) in zip(changes, ["t", "u"]) {
                let heard = try await listener.next()
                #expect(heard?.concerns(table) == true)
            }
        }

        @Test func listenersMayBeginAndEndBetweenAnyTwoWrites() async throws {
            for _ in 0..<100 {
                let changes = database.changes(in: ["t"])
                try await database.add(1)
                try await changes.expectNext(.commit("t"))
            }
        }

        @Test func whatWasCommittedBeforeIsNotHeardOf() async throws {
            let earlier = database.changes()
            for _ in 0..<50 {
                try await database.add(1)
                let changes = database.changes()
                try await changes.expect(TableChanges(), from: database)
            }
            try await earlier.expect(.commit("t"), from: database)
        }
    }
}

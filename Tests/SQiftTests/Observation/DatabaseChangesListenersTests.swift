// Only the library makes `TableChanges`.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

extension ObservationSuites {
    /// Many listeners, slow ones, and such that never read.
    struct DatabaseChangesListenersTests {
        private let folder = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.openListened()
        }

        @Test func aThousandListenersOnOneTableEachHearOfIt() async throws {
            let waiting = (0..<1000).map { _ in Follower(database.changes(in: ["t"])) }
            let later = (0..<1000).map { _ in database.changes(in: ["t"]) }
            let others = (0..<1000).map { _ in database.changes(in: ["u", "marker"]) }
            try await database.add(1)
            for listener in waiting {
                await listener.expect([TableChanges(tables: ["t"])])
            }
            for listener in later {
                try await listener.expectNext(.commit("t"))
            }
            try await database.run("INSERT INTO marker VALUES(1)")
            for listener in others {
                try await listener.expectNext(.commit("marker"))
            }
        }

        @Test func eachListenerHasItsOwnBuffer() async throws {
            let (one, other) = (database.changes(), database.changes())
            try await database.add(1)
            try await one.expectNext(.commit("t"))
            try await database.run("INSERT INTO u VALUES(1)")
            try await one.expectNext(.commit("u"))
            try await other.expectNext(.commit("t", "u"))
        }

        @Test func whatASlowListenerMissesIsUnited() async throws {
            let mayGoOn = Gate()
            let follower = Follower(database.changes()) { _ in await mayGoOn.opened() }
            try await database.add(1)
            await follower.expect([TableChanges(tables: ["t"])])
            for round in 0..<50 {
                try await database.add(round)
                try await database.run("INSERT INTO u VALUES(1)")
            }
            try await database.execute("CREATE TABLE v(x)")
            mayGoOn.open()
            await follower.hears("it misses a change") { $0.schemaChanged }
            let last = try #require(follower.all.last)
            #expect(follower.all.count == 2)
            #expect(last.tables.isSuperset(of: ["t", "u"]))
            #expect(!last.includesAllTables)
        }

        @Test func severalLoopsOverOneSequenceShareTheChanges() async throws {
            let changes = database.changes()
            let loops = [Follower(changes), Follower(changes)]
            for round in 1...20 {
                try await database.add(1)
                await poll("no loop hears of it") {
                    loops.map(\.all.count).reduce(0, +) == round
                }
            }
            for loop in loops {
                loop.cancel()
                try await loop.end()
            }
        }

        #if os(Linux)
            @Test func listenersThatNeverReadKeepTheMemoryFlat() async {
                await #expect(processExitsWith: .success) { try await Self.listenWithoutReading() }
            }

            /// In a process of its own, whose memory nobody else uses.
            private static func listenWithoutReading() async throws {
                let database = try Database.inMemory()
                try await database.execute("CREATE TABLE t(x); CREATE TABLE u(x)")
                let (sequences, mayEnd) = ((0..<50).map { _ in database.changes() }, Gate())
                for _ in 0..<50 {
                    database.onChanges { _ in mayEnd.wait() }
                }
                func write(_ count: Int) async throws {
                    for round in 0..<count {
                        let table = round % 2 == 0 ? "t" : "u"
                        try await database.run("INSERT OR REPLACE INTO \(table)(rowid) VALUES(1)")
                    }
                }
                try await write(500)
                let before = try residentPages()
                try await write(5000)
                // A buffer that grew would keep half a million changes, of 200 bytes at least.
                let growth = (try residentPages() - before) * Int(sysconf(Int32(_SC_PAGESIZE)))
                guard growth < 30_000_000 else { exit(1) }
                for sequence in sequences {
                    let heard = try await sequence.next()
                    guard heard == TableChanges(tables: ["t", "u"]) else { exit(2) }
                }
                mayEnd.open()
            }

            private static func residentPages() throws -> Int {
                let file = try #require(FileHandle(forReadingAtPath: "/proc/self/statm"))
                let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
                return try #require(Int(text.split(separator: " ")[1]))
            }
        #endif
    }
}

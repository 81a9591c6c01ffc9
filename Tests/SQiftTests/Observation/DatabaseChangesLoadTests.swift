import Foundation
import SQift
import SQiftTestSupport
import Testing

extension ObservationSuites {
    /// Writers on several threads and tasks, and listeners of all kinds.
    struct DatabaseChangesLoadTests {
        private static let tables = (0..<8).map { "t\($0)" }
        private static let rounds = 150

        private let folder = TemporaryFolder.fresh

        private func open(_ kind: ListenedDatabase) throws -> Database {
            let schema = Self.tables.map { "CREATE TABLE \($0)(x);" }.joined()
            return try kind.open(in: folder, schema)
        }

        /// Writes to a table, or fails to.
        @Sendable private static func write(_ round: Int, on connection: Connection) throws {
            // The last table is only written to where it is rolled back.
            let table = tables[round % (tables.count - 1)]
            try connection.run("INSERT INTO \(table) VALUES(?)", round)
            if round % 5 == 4 {
                try connection.run("INSERT INTO \(tables[tables.count - 1]) VALUES(?)", round)
                throw TestError()
            }
        }

        /// Writes to the tables from two threads and two tasks, and returns when all have ended.
        private func writeFromEverywhere(to database: Database) async throws {
            let threads = (0..<2).map { index in
                Worker {
                    for round in 0..<Self.rounds {
                        do {
                            try database.write { try Self.write(round + index, on: $0) }
                        } catch is TestError {}
                    }
                }
            }
            try await inTasks(2) { index in
                for round in 0..<Self.rounds {
                    do {
                        try await database.write { try Self.write(round + index, on: $0) }
                    } catch is TestError {}
                }
            }
            try await threads.finalValues()
        }

        /// The tables that were heard of, without that of the passing listeners.
        private static func tables(in changes: [TableChanges]) -> Set<String> {
            Set(changes.flatMap(\.tables)).subtracting(["marker"])
        }

        /// How many rows each table has.
        @Sendable private static func state(_ connection: Connection) throws -> [Int] {
            try tables.flatMap { table -> [Int] in
                try connection.query("SELECT count(*) FROM \(table)")
            }
        }

        @Test(arguments: ListenedDatabase.allCases)
        func whoeverListensToTheEndMissesNothing(kind: ListenedDatabase) async throws {
            let database = try open(kind)
            let written = Set(Self.tables.dropLast())
            let silent = (0..<5).map { _ in database.changes() }
            let quick = (0..<5).map { _ in Follower(database.changes()) }
            let slow = (0..<5).map { _ in
                Follower(database.changes()) { _ in try await Task.sleep(for: .milliseconds(20)) }
            }
            let filtered = Self.tables.map { Follower(database.changes(in: [$0])) }
            let calls = (0..<5).map { _ in SharedNotes<TableChanges>() }
            for notes in calls {
                database.onChanges { notes.note($0) }
            }
            let values = (0..<3).map { index in
                Follower(database.values(Self.state)) { _ in
                    try await Task.sleep(for: .milliseconds(index * 10))
                }
            }
            let mayEnd = Gate()
            let passing = (0..<3).map { index in
                Task.detached {
                    var heard = 0
                    repeat {
                        heard += try await Self.listenAWhile(to: database, index + heard)
                    } while !mayEnd.isOpen
                    return heard
                }
            }

            try await writeFromEverywhere(to: database)
            mayEnd.open()
            for task in passing {
                let heard = try await task.value
                #expect(heard > 0)
            }
            let final = try await database.read(Self.state)
            #expect(final.last == 0)
            for follower in values {
                await poll("the last value isn't the newest") { follower.all.last == final }
            }
            try await database.close()
            for follower in quick + slow {
                try await follower.end()
                #expect(Self.tables(in: follower.all) == written)
            }
            for (follower, table) in zip(filtered, Self.tables) {
                try await follower.end()
                let isWritten = written.contains(table)
                #expect(follower.all.isEmpty != isWritten)
                #expect(follower.all.allSatisfy { $0.concerns(table) })
            }
            for changes in silent {
                let heard = try await changes.next()
                #expect(Self.tables(in: heard.map { [$0] } ?? []) == written)
                #expect(heard?.includesAllTables == false)
            }
            for notes in calls {
                await poll("a call is missing") { Self.tables(in: notes.all) == written }
            }
            for follower in values {
                try await follower.end()
                #expect(follower.all.last == final)
            }
        }

        /// A listener that comes, and is left, cancelled or removed soon. Returns 1.
        private static func listenAWhile(to database: Database, _ kind: Int) async throws -> Int {
            let tables: [String]? = kind % 2 == 0 ? nil : [Self.tables[kind % Self.tables.count]]
            switch kind % 4 {
            case 0:
                let changes = database.changes()
                try await database.run("INSERT INTO marker VALUES(0)")
                for await _ in changes {
                    break
                }
            case 1:
                let follower = Follower(database.changes(in: tables, pollingEvery: 0.001))
                try await database.write { _ in }
                follower.cancel()
                try await follower.end()
            case 2:
                let listener = database.onChanges(in: tables) { _ in }
                try await database.run("INSERT INTO marker VALUES(0)")
                listener.end()
            default:
                let follower = Follower(database.values(state))
                await follower.hears("it has no value") { _ in true }
                follower.cancel()
                try await follower.end()
            }
            return 1
        }
    }
}

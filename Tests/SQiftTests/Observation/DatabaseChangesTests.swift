// Only the library makes `TableChanges`.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

extension ObservationSuites {
    /// When a listener hears of which commits.
    struct DatabaseChangesTests {
        private let folder = TemporaryFolder.fresh

        private static let writing: [DatabaseAccess] = [
            .write, .writeWithoutTransaction, .executeWrite, .queueWrite, .queueWithoutTransaction,
            .queueExecute, .queueTransaction, .queueSavepoint,
        ]

        @Test(arguments: writing, ListenedDatabase.allCases)
        func everyBlockingWriteIsHeardOf(
            access: DatabaseAccess,
            kind: ListenedDatabase
        ) async throws {
            let database = try kind.open(in: folder)
            let changes = database.changes()
            try await onThread { try access.run(on: database) { try add(1, on: $0) } }
            try await changes.expectNext(.commit("t"))
        }

        @Test(arguments: ListenedDatabase.allCases)
        func everyAwaitedWriteIsHeardOf(kind: ListenedDatabase) async throws {
            let database = try kind.open(in: folder)
            let changes = database.changes()
            try await database.add(1)
            try await changes.expectNext(.commit("t"))
            try await database.writeWithoutTransaction { connection in
                try connection.run("INSERT INTO u VALUES(1)")
            }
            try await changes.expectNext(.commit("u"))
        }

        @Test(arguments: ListenedDatabase.allCases)
        func aCommitIsHeardOfOnceItCanBeReadAndInOrder(kind: ListenedDatabase) async throws {
            let count = 100
            let database = try kind.open(in: folder)
            try await database.write { connection in
                for number in 0..<count {
                    try connection.execute("CREATE TABLE t\(number)(x)")
                }
            }
            func number(of table: String) -> Int { Int(table.dropFirst()) ?? -1 }
            let follower = Follower(database.changes()) { changes in
                for table in changes.tables {
                    let rows = try await database.read { try SQiftTestSupport.count(table, on: $0) }
                    if rows != 1 {
                        throw TestError(reason: "\(table) is heard of, and can't be read")
                    }
                }
                if changes.tables.contains("t\(count - 1)") {
                    throw CancellationError()
                }
            }
            for number in 0..<count {
                try await database.run("INSERT INTO t\(number) VALUES(1)")
            }
            await expectTaskThrows(CancellationError.self) { try await follower.end() }
            let numbers = follower.all.map { $0.tables.map(number).sorted() }
            #expect(numbers.flatMap { $0 } == Array(0..<count))
        }

        @Test(arguments: ListenedDatabase.allCases)
        func aTransactionOverSeveralAccessesIsHeardOfAtItsCommit(
            kind: ListenedDatabase
        ) async throws {
            let database = try kind.open(in: folder)
            let changes = database.changes()
            let early = SharedNotes<TableChanges>()
            let listener = database.onChanges { early.note($0) }
            for sql in ["BEGIN", "INSERT INTO t VALUES(1)", "SELECT 1", "INSERT INTO u VALUES(1)"] {
                try await onThread {
                    try database.writerConnectionQueue.execute { try $0.execute(sql) }
                }
            }
            #expect(early.all.isEmpty)
            try await onThread {
                try database.writerConnectionQueue.execute { try $0.run("COMMIT") }
            }
            try await changes.expectNext(.commit("t", "u"))
            listener.end()
        }

        @Test(arguments: ListenedDatabase.allCases)
        func migrationsAreHeardOf(kind: ListenedDatabase) async throws {
            let database = try kind.open(in: folder)
            let changes = database.changes(in: ["anything", "marker"])
            try await database.writeWithoutTransaction { connection in
                try migrate(connection, [creating("v"), Migration("two", sql: "DROP TABLE u")])
            }
            let heard = try await changes.heard(from: database)
            #expect(heard.schemaChanged)
            #expect(!heard.isExternal)
            let all = database.changes()
            try await database.writeWithoutTransaction { connection in
                try migrate(
                    connection,
                    [
                        creating("v"), Migration("two", sql: "DROP TABLE u"),
                        Migration("three", sql: "INSERT INTO v VALUES(1)"),
                    ]
                )
            }
            let later = try await all.heard(from: database)
            #expect(later.concerns("v"))
            #expect(!later.concerns("t"))
        }

        @Test(arguments: ListenedDatabase.allCases, [4096, 1024])
        func aRestoreConcernsEveryTable(kind: ListenedDatabase, pageSize: Int) async throws {
            let path = folder.path("backup.sqlite")
            try makeFile(at: path, setup: "PRAGMA page_size = \(pageSize)").close()
            let database = try kind.open(in: folder)
            let changes = database.changes(in: ["unknown"])
            let follower = database.followRows()
            await follower.expect([0])
            try await database.restore(from: path)
            let heard = try await changes.next()
            #expect(heard?.includesAllTables == true)
            #expect(heard?.concerns("whatever") == true)
            #expect(heard?.isExternal == false)
            await follower.hears("the value stays as it was") { $0 == 100 }
        }
    }
}

// Only the library makes `TableChanges`.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

extension ObservationSuites {
    /// What was undone isn't heard of.
    struct DatabaseChangesUndoneTests {
        private let folder = TemporaryFolder.fresh
        /// For databases of other kinds.
        private let elsewhere = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.openListened()
        }

        @Test(arguments: ListenedDatabase.allCases)
        func aWriteThatFailsIsNotHeardOf(kind: ListenedDatabase) async throws {
            let database = try kind.open(in: elsewhere)
            let changes = database.changes()
            await expectTaskThrows(TestError.self) {
                try await database.write { connection in
                    try connection.execute("INSERT INTO t VALUES(1); CREATE TABLE v(x)")
                    throw TestError()
                }
            }
            try await onThread {
                expectThrows(TestError.self) {
                    try database.write { connection in
                        try connection.run("INSERT INTO u VALUES(1)")
                        throw TestError()
                    }
                }
            }
            try await changes.expect(TableChanges(), from: database)
        }

        @Test func aTransactionLeftOpenThatIsRolledBackIsNotHeardOf() async throws {
            let changes = database.changes()
            for sql in ["BEGIN", "INSERT INTO t VALUES(1)", "INSERT INTO u VALUES(1)", "ROLLBACK"] {
                try await onThread {
                    try database.writerConnectionQueue.execute { try $0.execute(sql) }
                }
            }
            let reason = try await taskRefusal {
                try await database.writeWithoutTransaction { connection in
                    try connection.execute("BEGIN; INSERT INTO t VALUES(2)")
                }
            }
            #expect(reason != nil)
            try await changes.expect(TableChanges(), from: database)
        }

        @Test(arguments: [true, false])
        func ofACancelledWriteOnlyWhatWasCommittedIsHeardOf(isTransaction: Bool) async throws {
            let changes = database.changes()
            let started = Gate()
            let task = Task.detached {
                let body: @Sendable (Connection) throws -> Void = { connection in
                    try add(1, on: connection)
                    try runEndlessQuery(on: connection, opening: started)
                    try connection.run("INSERT INTO u VALUES(1)")
                }
                try await isTransaction
                    ? database.write(body) : database.writeWithoutTransaction(body)
            }
            await expectCancelled(task, once: started)
            try await changes.expect(
                TableChanges(tables: isTransaction ? [] : ["t"]),
                from: database
            )
        }

        @Test func whatAFailedWriteHadCommittedIsHeardOf() async throws {
            let changes = database.changes()
            await expectTaskThrows(TestError.self) {
                try await database.writeWithoutTransaction { connection in
                    try add(1, on: connection)
                    try connection.transaction { try connection.run("INSERT INTO u VALUES(1)") }
                    try connection.execute("BEGIN; CREATE TABLE v(x)")
                    throw TestError()
                }
            }
            try await changes.expect(.commit("t", "u"), from: database)
        }

        @Test func aRestoreThatFailsIsNotHeardOf() async throws {
            let path = folder.path("backup.sqlite")
            try makeFile(at: path).close()
            let changes = database.changes()
            await expectTaskThrows(TestError.self) {
                try await database.restore(from: .onDisk(path), pagesPerStep: 5) { _ in
                    throw TestError()
                }
            }
            try await changes.expect(TableChanges(), from: database)
        }
    }
}

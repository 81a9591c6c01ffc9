// Only the library makes `TableChanges`.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

extension ObservationSuites {
    /// What was undone isn't heard of.
    struct DatabaseChangesUndoneTests {
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
        }

        @Test(arguments: ListenedDatabase.allCases)
        func aWriteThatFailsIsNotHeardOf(kind: ListenedDatabase) async throws {
            let database = try kind.open(in: folder)
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
            let heard = try await changes.heard(from: database)
            #expect(heard == TableChanges())
        }

        @Test(
            arguments: [
                DatabaseAccess.write, .writeWithoutTransaction, .queueTransaction, .queueSavepoint,
            ],
            ["UNIQUE", "CHECK(x < 5)"]
        )
        func aStatementThatFailsIsNotHeardOf(
            access: DatabaseAccess,
            constraint: String
        ) async throws {
            let database = try ListenedDatabase.wal.open(
                in: folder,
                "CREATE TABLE v(x \(constraint)); INSERT INTO v VALUES(3)"
            )
            let changes = database.changes()
            try await onThread {
                try access.run(on: database) { connection in
                    let error = sqliteError {
                        try connection.run("INSERT INTO v VALUES(1), (2), (3), (6), (3)")
                    }
                    #expect(error?.resultCode == .constraint)
                    try add(1, on: connection)
                }
            }
            let heard = try await changes.heard(from: database)
            #expect(heard == TableChanges(tables: ["t"]))
        }

        @Test(arguments: ListenedDatabase.allCases)
        func whatASavepointUndoesIsNotHeardOf(kind: ListenedDatabase) async throws {
            let database = try kind.open(in: folder)
            let changes = database.changes()
            try await database.write { connection in
                try add(1, on: connection)
                expectThrows(TestError.self) {
                    try connection.savepoint {
                        try connection.run("INSERT INTO u VALUES(1)")
                        throw TestError()
                    }
                }
            }
            let heard = try await changes.heard(from: database)
            #expect(heard == TableChanges(tables: ["t"]))
        }

        @Test func aTransactionLeftOpenThatIsRolledBackIsNotHeardOf() async throws {
            let database = try ListenedDatabase.wal.open(in: folder)
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
            let heard = try await changes.heard(from: database)
            #expect(heard == TableChanges())
        }

        @Test(arguments: [true, false])
        func ofACancelledWriteOnlyWhatWasCommittedIsHeardOf(isTransaction: Bool) async throws {
            let database = try ListenedDatabase.wal.open(in: folder)
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
            await started.opened()
            task.cancel()
            await expectCancelled(task)
            let heard = try await changes.heard(from: database)
            #expect(heard == TableChanges(tables: isTransaction ? [] : ["t"]))
        }

        @Test func aWriteThatNeverBeganIsNotHeardOf() async throws {
            let database = try ListenedDatabase.wal.open(in: folder)
            let changes = database.changes()
            let mayBegin = Gate()
            let task = Task.detached {
                await mayBegin.opened()
                try await database.write { try add(1, on: $0) }
            }
            task.cancel()
            mayBegin.open()
            await expectCancelled(task)
            let heard = try await changes.heard(from: database)
            #expect(heard == TableChanges())
        }

        @Test func whatAFailedWriteHadCommittedIsHeardOf() async throws {
            let database = try ListenedDatabase.wal.open(in: folder)
            let changes = database.changes()
            await expectTaskThrows(TestError.self) {
                try await database.writeWithoutTransaction { connection in
                    try add(1, on: connection)
                    try connection.transaction { try connection.run("INSERT INTO u VALUES(1)") }
                    try connection.execute("BEGIN; CREATE TABLE v(x)")
                    throw TestError()
                }
            }
            let heard = try await changes.heard(from: database)
            #expect(heard == TableChanges(tables: ["t", "u"]))
        }

        @Test func aCommitThatIsRefusedIsNotHeardOf() async throws {
            let database = try ListenedDatabase.wal.open(
                in: folder,
                """
                CREATE TABLE parents(id INTEGER PRIMARY KEY);
                CREATE TABLE children(parent REFERENCES parents DEFERRABLE INITIALLY DEFERRED)
                """
            )
            let changes = database.changes()
            await expectTaskThrows(SQLiteError.self) {
                try await database.write { try $0.run("INSERT INTO children VALUES(1)") }
            }
            let heard = try await changes.heard(from: database)
            #expect(heard == TableChanges())
        }

        @Test func aRestoreThatFailsIsNotHeardOf() async throws {
            let path = folder.path("backup.sqlite")
            try makeFile(at: path).close()
            let database = try ListenedDatabase.wal.open(in: folder)
            let changes = database.changes()
            await expectTaskThrows(TestError.self) {
                try await database.restore(from: .onDisk(path), pagesPerStep: 5) { _ in
                    throw TestError()
                }
            }
            let heard = try await changes.heard(from: database)
            #expect(heard == TableChanges())
        }
    }
}

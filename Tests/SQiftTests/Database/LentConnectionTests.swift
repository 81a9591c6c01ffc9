import Foundation
import SQift
import SQiftTestSupport
import Testing

/// A connection in a closure of a queue, a pool or a database: it is lent, and not the closure's to
/// close.
extension DatabaseSuites {
    struct LentConnectionTests {
        private let folder = TemporaryFolder.fresh

        @Test(arguments: DatabaseAccess.allCases) func itRefusesToBeClosed(
            access: DatabaseAccess
        ) throws {
            let database = try folder.openWithTable()
            expectSQLiteError(.misuse, containing: "lent to a closure") {
                try access.run(on: database) { try $0.close() }
            }

            let rows = try access.run(on: database) { try count("t", on: $0) }
            #expect(rows == 0)
            try database.add(1)
            try database.close()
            try folder.expectFiles("test.sqlite")
        }

        @Test func itRefusesToBeClosedInAnAwaitedClosureAndASnapshot() async throws {
            let database = try folder.openWithTable()
            let snapshot = try await database.snapshot()
            await expectTaskThrows(SQLiteError.self) { try await database.write { try $0.close() } }
            await expectTaskThrows(SQLiteError.self) { try await database.read { try $0.close() } }
            await expectTaskThrows(SQLiteError.self) { try await snapshot.read { try $0.close() } }

            try await database.add(1)
            try expectRows(0, in: snapshot)
            try expectRows(1, in: database)
        }

        @Test func itRefusesToBeClosedInAPreparation() throws {
            expectSQLiteError(.misuse) {
                _ = try folder.open { $0.writerConnectionPreparation = { try $0.close() } }
            }

            let database = try folder.openWithTable()
            let isRefused = SharedCount()
            database.prepareConnections { connection in
                if (try? connection.close()) == nil {
                    isRefused.add(1)
                }
            }
            try expectRows(0, in: database)
            try database.add(1)
            #expect(isRefused.value == 2)
        }
    }
}

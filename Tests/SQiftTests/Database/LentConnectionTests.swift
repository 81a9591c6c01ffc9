import Foundation
import SQiftTestSupport
import Testing

import SQift

/// A connection in a closure of a queue, a pool or a database: it is lent, and not the closure's to
/// close.
extension DatabaseSuites {
    struct LentConnectionTests {
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
        }

        @Test(arguments: DatabaseAccess.allCases) func itRefusesToBeClosed(
            access: DatabaseAccess
        ) throws {
            let database = try folder.openWithTable()
            let error = sqliteError { try access.run(on: database) { try $0.close() } }
            #expect(error?.resultCode == .misuse)
            #expect(error?.message.contains("lent to a closure") == true)

            let rows = try access.run(on: database) { try count("t", on: $0) }
            #expect(rows == 0)
            try database.write { try add(1, on: $0) }
            try database.close()
            #expect(try folder.files() == ["test.sqlite"])
        }

        @Test func itRefusesToBeClosedInAnAwaitedClosureAndASnapshot() async throws {
            let database = try folder.openWithTable()
            let snapshot = try await database.snapshot()
            await expectTaskThrows(SQLiteError.self) { try await database.write { try $0.close() } }
            await expectTaskThrows(SQLiteError.self) { try await database.read { try $0.close() } }
            await expectTaskThrows(SQLiteError.self) { try await snapshot.read { try $0.close() } }

            try await database.write { try add(1, on: $0) }
            let seen = try await snapshot.read { try count("t", on: $0) }
            #expect(seen == 0)
            let now = try await database.read { try count("t", on: $0) }
            #expect(now == 1)
        }

        @Test func itRefusesToBeClosedInAPreparation() throws {
            let configured = sqliteError {
                _ = try folder.open { $0.writerConnectionPreparation = { try $0.close() } }
            }
            #expect(configured?.resultCode == .misuse)

            let database = try folder.openWithTable()
            let isRefused = SharedCount()
            database.prepareConnections { connection in
                if (try? connection.close()) == nil {
                    isRefused.add(1)
                }
            }
            #expect(try rows(database) == 0)
            try database.write { try add(1, on: $0) }
            #expect(isRefused.value == 2)
        }

        @Test func aWriterThatIsClosedOutsideAnyAccessIsReplaced() throws {
            let database = try folder.openWithTable()
            nonisolated(unsafe) var escaped: Connection?
            try database.executeWrite { escaped = $0 }
            try escaped?.close()

            try database.write { try add(1, on: $0) }
            #expect(try rows(database) == 1)
        }

        @Test func aWriterThatCannotBeReplacedIsReplacedLater() throws {
            let database = try folder.openWithTable()
            nonisolated(unsafe) var escaped: Connection?
            try database.executeWrite { escaped = $0 }
            try escaped?.close()
            let (path, away) = (folder.path(), folder.path("away.sqlite"))
            let manager = FileManager.default
            try manager.moveItem(atPath: path, toPath: away)
            try manager.createDirectory(atPath: path, withIntermediateDirectories: false)

            for _ in 0..<2 {
                let error = sqliteError { try database.write { try add(1, on: $0) } }
                #expect(error?.resultCode == .cantOpen)
            }
            try manager.removeItem(atPath: path)
            try manager.moveItem(atPath: away, toPath: path)
            try database.write { try add(1, on: $0) }
            #expect(try rows(database) == 1)
        }
    }
}

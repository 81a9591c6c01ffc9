import Foundation
import SQift
import Testing

extension ConcurrencySuites {
    /// Closures of `prepareConnections` that don't run to their end.
    @Suite(.timeLimit(.minutes(20))) struct DatabasePreparationTests {
        private let folder: TemporaryFolder
        private let database: Database

        init() throws {
            folder = try TemporaryFolder()
            database = try folder.openWithTable()
            try makeFile(at: folder.path("other.sqlite"), rows: 2, with: "other").close()
        }

        /// Attaches the other file, and fails the first time after that.
        private func prepare(failing body: @escaping @Sendable (Connection) throws -> Void) {
            let path = folder.path("other.sqlite")
            let runs = SharedCount()
            database.prepareConnections { connection in
                try connection.attachDatabase(from: .onDisk(path), withName: "other")
                if runs.add(1) == 1 {
                    try body(connection)
                }
            }
        }

        private func expectPrepared(_ connection: Connection) throws {
            try #expect(connection.query("SELECT count(*) FROM other.t") == 2)
        }

        @Test func whatHasFailedHalfwayRunsAgainOnANewConnection() throws {
            prepare { _ in throw TestError() }
            #expect(throws: TestError.self) { try database.write { try add(1, on: $0) } }
            try database.write { connection in
                try expectPrepared(connection)
                try add(1, on: connection)
            }
            try database.read { try expectPrepared($0) }
            try #expect(database.read { try count("t", on: $0) } == 1)
        }

        @Test func whatWasCancelledHalfwayRunsAgainToo() async throws {
            prepare { connection in
                withUnsafeCurrentTask { $0?.cancel() }
                try connection.run("CREATE TEMP TABLE wanted AS SELECT * FROM other.t")
            }
            let task = Task.detached { [database] in
                try await database.write { try add(1, on: $0) }
            }
            await expectCancelled(task)
            try await database.write { try expectPrepared($0) }
        }
    }
}

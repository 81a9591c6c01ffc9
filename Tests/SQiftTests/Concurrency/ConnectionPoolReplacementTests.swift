import Foundation
import SQiftTestSupport
import Testing

import SQift

extension ConcurrencySuites {
    /// What becomes of connections that can't be used any more.
    struct ConnectionPoolReplacementTests {
        private let fixture: PoolFixture

        init() throws {
            fixture = try PoolFixture()
        }

        @Test(arguments: PoolAccess.allCases)
        func aConnectionThatItsClosureClosedIsReplaced(form: PoolAccess) throws {
            let pool = fixture.makePool(maximum: 1)
            for round in 1...3 {
                try? form(pool) { try $0.close() }
                let rows = try pool.read { try count("t", on: $0) }
                #expect(rows == 3)
                #expect(fixture.opened.count <= round + 1)
            }
        }

        @Test func aConnectionThatATasksClosureClosedIsReplaced() async throws {
            let pool = fixture.makePool(maximum: 2)
            for _ in 0..<3 {
                try? await pool.read { connection in try connection.close() }
                try await expectAllConnections(pool)
            }
        }

        @Test func aPoolOfClosedConnectionsRecoversByItself() throws {
            let pool = fixture.makePool(maximum: 1)
            try? pool.execute { try $0.close() }
            // However the next accesses fare, the pool doesn't stay broken.
            for _ in 0..<3 {
                try? pool.execute { _ = try count("t", on: $0) }
            }
            let rows = try pool.execute { try count("t", on: $0) }
            #expect(rows == 3)
        }
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Random statements in random transactions and savepoints, which commit, roll back, fail and are
/// interrupted. No table is missed that has another content afterwards or was written to, and none
/// is reported that couldn't have been written.
struct ChangeModelTests {
    /// Another number gives other transactions.
    private static let seed =
        ProcessInfo.processInfo.environment["SQIFT_CHANGES_SEED"].flatMap { UInt64($0) } ?? 1

    @Test(arguments: 0..<8)
    func whatWasWrittenIsReported(part: Int) throws {
        let seed = Self.seed &* 1000 &+ UInt64(part)
        print("Random changes with seed \(seed)")
        let model = try ChangeModel(seed: seed)
        while model.operationCount < 2500 {
            try model.transact()
        }
        #expect(model.commitCount > 100)
        #expect(model.rollbackCount > 50)
        // All the tables, and the schema.
        let tables = Set(ChangeModelStatements.contents.map(\.table))
        #expect(tables.subtracting(model.reported) == [])
    }
}

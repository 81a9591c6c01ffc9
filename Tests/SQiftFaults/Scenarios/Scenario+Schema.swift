import Foundation
import SQift

extension Scenario {
    /// Questions about the schema, checks and settings.
    static var schema: [Scenario] {
        [
            Scenario(
                name: "schema",
                prepare: { try $0.makeDatabase() },
                run: { work in
                    let connection = try work.open()
                    let columns = try connection.columns(in: "t").map(\.name)
                    let indexes = try connection.indexes(on: "t").map(\.name)
                    let keys = try connection.foreignKeys(of: "child")
                    try expect(columns == ["a", "k", "x"], "\(columns)")
                    try expect(indexes == ["i"] && keys.count == 1, "\(indexes), \(keys)")
                    try expect(try connection.tableExists("t"), "there is no table")
                    try expect(try !connection.viewExists("t"), "there is a view")
                    try expect(try connection.primaryKey(of: "t") == ["a"], "another key")
                    try expect(try connection.triggers(on: "t").isEmpty, "triggers")
                    try work.close(connection)
                }
            ),
            Scenario(
                name: "checks",
                prepare: { try $0.makeDatabase() },
                run: { work in
                    let connection = try work.open()
                    // SQLite reports a page that it can't read as damage.
                    let problems = try connection.integrityCheck() + connection.quickCheck()
                    guard problems.isEmpty else {
                        throw SQLiteError(code: .corrupt, message: problems[0])
                    }
                    try expect(try connection.foreignKeyViolations().isEmpty, "violations")
                    try connection.setLimit(.attached, to: 1)
                    try work.close(connection)
                }
            ),
        ]
    }
}

import Foundation
import SQift
import Testing

/// Copies all rows unchanged.
package func copyAll(on connection: Connection) -> (SQL, SQL) throws -> Void {
    { old, new in try connection.run("INSERT INTO \(new) SELECT * FROM \(old)") }
}

/// Expects that the rebuild fails with this code, and doesn't change the database.
@discardableResult
package func expectNoRebuild(
    _ connection: Connection,
    _ code: ResultCode?,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) throws -> SQLiteError? {
    let before = try Contents(connection)
    let legacy: Bool = try connection.query("PRAGMA legacy_alter_table")
    let wasInside = connection.isInsideTransaction
    let error = sqliteError(body, sourceLocation: sourceLocation)
    if let code {
        #expect(
            error?.resultCode == code,
            "\(error?.message ?? "")",
            sourceLocation: sourceLocation
        )
    }
    let after = try Contents(connection)
    let legacyAfter: Bool = try connection.query("PRAGMA legacy_alter_table")
    #expect(after == before, sourceLocation: sourceLocation)
    #expect(legacyAfter == legacy, sourceLocation: sourceLocation)
    #expect(connection.isInsideTransaction == wasInside, sourceLocation: sourceLocation)
    return error
}

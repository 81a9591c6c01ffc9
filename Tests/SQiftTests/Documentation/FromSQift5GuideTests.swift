import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The blocks of Docs/FromSQift5.md.
struct FromSQift5GuideTests {
    @Test func settings() throws {
        let folder = try TemporaryFolder()
        let path = folder.path()

        var configuration = Database.Configuration.sqift5
        configuration.foreignKeys = true  // one step at a time
        let database = try Database(storageLocation: .onDisk(path), configuration: configuration)

        let foreignKeys: Bool = try database.read { try $0.query("PRAGMA foreign_keys") }
        let journal: String = try database.read { try $0.query("PRAGMA journal_mode") }
        #expect(foreignKeys)
        #expect(journal == "delete")
    }
}

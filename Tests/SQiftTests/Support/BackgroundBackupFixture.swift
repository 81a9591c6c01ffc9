import Foundation
import SQift
import Testing

/// Two databases, and the queues for a backup from one to the other in the background.
package struct BackgroundBackupFixture {
    package let folder: TemporaryFolder
    package let source: Connection
    package let destination: Connection
    package let results = BackupResults()
    package let backupQueue = DispatchQueue(label: "backup")
    package let completionQueue = DispatchQueue(label: "completion")

    package init() throws {
        folder = try TemporaryFolder()
        source = try makeFile(at: folder.path())
        destination = try makeFile(at: folder.path("copy.sqlite"), rows: 7, with: "old")
    }

    @discardableResult
    package func begin(
        _ name: String = "main",
        of source: Connection? = nil,
        pageSize: Int32 = 100
    ) throws -> Progress {
        try (source ?? self.source).backup(
            databaseNamed: name,
            to: destination,
            pageSize: pageSize,
            backupQueue: backupQueue,
            completionQueue: completionQueue
        ) { [results] in results.note($0) }
    }

    /// Waits until the queues have done everything that is on them.
    package func finishQueues() {
        for _ in 0..<5 {
            backupQueue.sync {}
            completionQueue.sync {}
        }
    }

    package func expectOld(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try count("t", on: destination) == 7, sourceLocation: sourceLocation)
        #expect(try destination.integrityCheck() == [], sourceLocation: sourceLocation)
    }

    /// Begins a backup of many steps, and pauses it before the first.
    package func beginAndPause() throws -> Progress {
        backupQueue.suspend()
        let progress = try begin(pageSize: 1)
        progress.pause()
        backupQueue.resume()
        return progress
    }
}

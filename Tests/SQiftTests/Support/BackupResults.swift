import SQift
import Testing

/// The results with which completions were called.
package final class BackupResults: Sendable {
    private let done = Gate()
    private let results = SharedNotes<Connection.BackupResult>()

    package init() {}

    package var all: [Connection.BackupResult] { results.all }

    package func note(_ result: Connection.BackupResult) {
        results.note(result)
        done.open()
    }

    /// Awaits the first result.
    package func first(
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Connection.BackupResult {
        await done.opened(sourceLocation: sourceLocation)
        return try #require(all.first, sourceLocation: sourceLocation)
    }
}

import Foundation
import Testing

@testable import SQift

/// A folder of its own for a test's files, removed with the last reference to it.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("SQiftTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String = "test.sqlite") -> String { url.appendingPathComponent(name).path }
}

/// The `SQLiteError` that `body` throws; a failed expectation and nil if it throws none.
func sqliteError(
    _ body: () throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
) -> SQLiteError? {
    #expect(throws: SQLiteError.self, sourceLocation: sourceLocation, performing: body)
}

/// The `ExtractionError` that `body` throws; a failed expectation and nil if it throws none.
func extractionError(
    _ body: () throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
) -> ExtractionError? {
    #expect(throws: ExtractionError.self, sourceLocation: sourceLocation, performing: body)
}

import Foundation
import Testing

@testable import SQift

/// A folder of its own for a test's files, removed with the last reference to it.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "SQiftTests-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String = "test.sqlite") -> String {
        url.appendingPathComponent(name).path
    }
}

/// The error of this type that `body` throws; a recorded issue and nil if it throws none or another
/// one.
///
/// A function rather than `#expect(throws:)`, for use inside closures: there Swift 6.3 can give the
/// closure in the macro the symbol of a sibling closure, which then runs in its place.
@discardableResult
func expectThrows<E: Error>(
    _ type: E.Type,
    _ body: () throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
) -> E? {
    do {
        try body()
        Issue.record(
            "an error of type \(E.self) was expected, none was thrown",
            sourceLocation: sourceLocation
        )
    } catch let error as E {
        return error
    } catch {
        Issue.record(
            "an error of type \(E.self) was expected, thrown: \(error)",
            sourceLocation: sourceLocation
        )
    }
    return nil
}

/// The `SQLiteError` that `body` throws.
func sqliteError(
    _ body: () throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
) -> SQLiteError? {
    expectThrows(SQLiteError.self, body, sourceLocation: sourceLocation)
}

/// The `ExtractionError` that `body` throws.
func extractionError(
    _ body: () throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
) -> ExtractionError? {
    expectThrows(ExtractionError.self, body, sourceLocation: sourceLocation)
}

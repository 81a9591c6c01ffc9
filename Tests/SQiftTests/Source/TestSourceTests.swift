import Foundation
import Testing

/// What must hold for every file of the tests.
@Suite(.timeLimit(.minutes(20))) struct TestSourceTests {
    /// The text of each file of the tests, by its path.
    private static func files() throws -> [String: String] {
        let folder = packageFolder.appendingPathComponent("Tests")
        let paths = try #require(FileManager.default.subpaths(atPath: folder.path))
        var files: [String: String] = [:]
        // The tutorial's tests are a reader's own.
        for path in paths where path.hasSuffix(".swift") && !path.hasPrefix("Tutorial/") {
            let url = folder.appendingPathComponent(path)
            files[path] = try String(contentsOf: url, encoding: .utf8)
        }
        return files
    }

    /// A test that hangs would otherwise stop the whole run.
    ///
    /// The limit is longer than the whole run takes, also under the Thread Sanitizer: all tests begin
    /// together, and the time for which they wait for a thread counts.
    @Test func everySuiteHasATimeLimit() throws {
        let files = try Self.files()
        try #require(files.count > 100)

        let suite = /(?m)^ *(@Suite\b[^{]*?)?\b(struct|enum|class|actor) +(\w+(Tests|Suites))\b/
        var count = 0
        for (path, text) in files {
            for match in text.matches(of: suite) {
                count += 1
                let hasLimit = match.1?.contains(".timeLimit(.minutes(20))") ?? false
                #expect(hasLimit, "\(match.3) in \(path)")
            }
            // Tests without a suite stand at the beginning of a line.
            for line in text.split(separator: "\n") where line.hasPrefix("@Test") {
                #expect(line.contains(".timeLimit("), "\(line) in \(path)")
            }
        }
        #expect(count > 100)
    }

    @Test func everyTestIsInASuiteThatIsNamedSo() throws {
        let declaration = /(?m)^ *(?:@Suite\b[^{]*?)?\b(?:struct|enum) +\w+Tests\b/
        for (path, text) in try Self.files() where text.contains("    @Test") {
            #expect(text.contains(declaration), "\(path)")
        }
    }

    /// The tests use the public API. What needs more says why in its first line.
    @Test func whoeverNeedsInternalNamesSaysWhy() throws {
        let needing = try Self.files().filter {
            $0.value.contains(/(?m)^ *@testable import SQift$/)
        }
        #expect((1..<60).contains(needing.count))
        for (path, text) in needing {
            #expect(text.hasPrefix("// "), "\(path)")
        }
    }
}

import Foundation
import SQiftTestSupport
import Testing

/// What must hold for every file of the tests.
struct TestSourceTests {
    /// The text of each file of the tests, by its path.
    private static func files() throws -> [String: String] {
        let folder = packageFolder.appendingPathComponent("Tests")
        let paths = try #require(FileManager.default.subpaths(atPath: folder.path))
        var files: [String: String] = [:]
        // The samples' tests are a reader's own.
        let isSample = /(Tutorial|JobQueue)\/.*/
        for path in paths where path.hasSuffix(".swift") && path.wholeMatch(of: isSample) == nil {
            let url = folder.appendingPathComponent(path)
            files[path] = try String(contentsOf: url, encoding: .utf8)
        }
        return files
    }

    /// What an attached macro on a suite may say: nothing else makes tests run one after another, and
    /// a condition that a whole suite has would otherwise be repeated at each test.
    private static let traits = [
        ".serialized", ".enabled(", ".encryption", ".builtLint", ".builtTool", ".ceph",
    ]

    /// Each process of the compiler expands the attached macros of all types in its module. Time
    /// limits are the gate's, and of the tests that can hang.
    @Test func attachedMacrosOnSuitesDoWhatNothingElseCan() throws {
        let files = try Self.files()
        try #require(files.count > 100)

        let suite = /(?m)^ *@Suite\b(.*(?:\n(?! *(?:package |private )?(?:struct|enum)\b).*)*)/
        var count = 0
        for (path, text) in files {
            for match in text.matches(of: suite) {
                count += 1
                let isNeeded = Self.traits.contains { match.1.contains($0) }
                let hasLimit = match.1.contains(".timeLimit")
                #expect(isNeeded && !hasLimit, "\(match.0) in \(path)")
            }
        }
        #expect(count > 10)
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

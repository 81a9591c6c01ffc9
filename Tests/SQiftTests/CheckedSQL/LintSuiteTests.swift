import Foundation
import SQiftTestSupport
import Testing

/// The repository's own sources: nothing is said of them that isn't true.
@Suite(.builtLint) struct LintSuiteTests {
    /// Tests provoke errors, in ways that the tool knows. Nothing else is wrong in them.
    @Test func theSuiteHasNoErrorThatNobodyExpects() throws {
        let run = try LintRun(["Tests/SQiftTests"], in: packageFolder)
        #expect(run.errors.isEmpty, "\(run.errors)")
        #expect(run.status == 0)
        let counts = run.summary.prefixMatch(of: /checked (\d+) statements, (\d+) in part/)
        let (_, whole, part) = try #require(counts).output
        #expect(try #require(Int(whole)) + #require(Int(part)) > 700, "\(run.summary)")
    }

    @Test(arguments: [
        "Sources/SQift", "Sources/sqift-cli", "Sources/sqift-lint", "Tests/SQiftBenchmarks",
        "Tests/SQiftFaults", "Tests/SQiftCompatibilityTests", "Tests/Tutorial/Sources/hello",
        "Tests/Tutorial/Sources/GarageKit", "Tests/JobQueue/Sources/JobKit",
        "Tests/SQiftTests/CheckedSQL/Application", "Tests/SQiftTests/Documentation",
    ])
    func noTargetHasAnError(folder: String) throws {
        let run = try LintRun([folder], in: packageFolder)
        #expect(run.errors.isEmpty, "\(run.errors)")
        #expect(run.status == 0)
    }

    @Test(
        .enabled(
            if: Capability.fts5 && Capability.strictTables,
            "this SQLite has no FTS5, or no STRICT tables"
        ),
        arguments: [
            "Tests/Tutorial/Sources/GarageKit", "Tests/JobQueue/Sources/JobKit",
            "Tests/SQiftTests/CheckedSQL/Application",
        ]
    )
    func applicationsHaveNoWarning(folder: String) throws {
        let run = try LintRun([folder], in: packageFolder)
        #expect(run.messages.isEmpty, "\(run.messages)")
    }

    /// The application is checked, all but what is in an attached database or put together.
    @Test(.enabled(if: Capability.fts5, "this SQLite has no FTS5"))
    func theApplicationIsReallyChecked() throws {
        let folder = "Tests/SQiftTests/CheckedSQL/Application"
        let run = try LintRun(["--list", folder], in: packageFolder)
        let checked = run.messages.filter { $0.text.hasSuffix(": checked") }
        #expect(run.messages.count > 35)
        #expect(run.messages.count - checked.count <= 4, "\(run.messages)")
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The command line, the summary and the exit codes.
@Suite(.builtLint) struct LintOptionTests {
    private static let wrong = LintTwins.program(#"try connection.run("DELETE FORM cars")"#)
    private static let right = LintTwins.program(#"try connection.run("DELETE FROM cars")"#)

    @Test(arguments: [
        [], ["--nonsense", "."], [".", "--schema"], ["--oldest", "new", "."],
        ["--oldest", "2.8", "."],
        ["-x"], ["--uses", "."],
        ["--oldest", "3.34", "."],
    ])
    func wrongUseIsExplained(arguments: [String]) throws {
        let folder = try TemporaryFolder()
        let run = try LintRun(arguments, in: folder.url)
        #expect(run.status == 2)
        #expect(run.messages.isEmpty)
        #expect(run.errorLines.first?.hasPrefix("usage: sqift-lint") == true)
    }

    @Test func aFolderThatIsNotThereIsAnError() throws {
        let folder = try TemporaryFolder()
        let run = try LintRun(["nowhere"], in: folder.url)
        #expect(run.status != 0)
        #expect(!(run.otherLines + run.errorLines).isEmpty)
    }

    @Test func anEmptyFolderIsChecked() throws {
        let run = try LintSources([:]).expect([])
        #expect(run.summary == "checked 0 statements")
    }

    @Test func theSummaryIsTheLastLineOfTheErrors() throws {
        let body = """
            try connection.run("DELETE FROM cars")
            try connection.run("UPDATE cars SET price = 1")
            try connection.run("DELETE FROM \\(name)")
            try connection.run(sql)
            try connection.execute("PRAGMA foreign_keys = ON")
            """
        let run = try LintSources(LintTwins.program(body)).expect([])
        #expect(run.errorLines.count == 1)
        #expect(run.summary.hasPrefix("checked 2 statements, 0 in part, 3 not ("), "\(run.summary)")
    }

    @Test func severalFoldersAreOneTarget() throws {
        let sources = try LintSources(Self.wrong)
        for name in ["One", "Two"] {
            try FileManager.default.createDirectory(
                at: sources.folder.url.appendingPathComponent(name),
                withIntermediateDirectories: true
            )
        }
        for (name, folder) in [("Migrations.swift", "One"), ("Use.swift", "Two")] {
            try FileManager.default.moveItem(
                atPath: sources.folder.path(name),
                toPath: sources.folder.path("\(folder)/\(name)")
            )
        }
        let run = try LintRun(["One", "Two"], in: sources.folder.url)
        #expect(run.messages.map(\.path) == ["Two/Use.swift"])
        #expect(run.status == 1)
    }

    @Test func aFileAloneIsChecked() throws {
        let sources = try LintSources(Self.wrong)
        let run = try LintRun(["Migrations.swift", "Use.swift"], in: sources.folder.url)
        #expect(run.messages.map(\.path) == ["Use.swift"])
        #expect(try LintRun(["Migrations.swift"], in: sources.folder.url).status == 0)
        #expect(try LintRun(["Nothing.swift"], in: sources.folder.url).status != 0)
    }

    @Test func aStrictCheckFailsForAWarning() throws {
        let body = "let year: Int = try connection.query(\"SELECT model_year FROM cars\")"
        let sources = try LintSources(LintTwins.program(body))
        let status = try sources.run().status
        let strict = try sources.run(["--strict"])
        #expect(status == 0)
        #expect(strict.warnings.isEmpty == !Capability.columnMetadata)
        #expect(strict.status == (Capability.columnMetadata ? 1 : 0))
        let right = try LintSources(LintTwins.program("try connection.run(\"DELETE FROM cars\")"))
        #expect(try right.run(["--strict"]).status == 0)
    }

    @Test func theListHasEachCall() throws {
        let body = """
            try connection.run("DELETE FROM cars")
            try connection.run("DELETE FROM \\(name)")
            let names: [String] = try connection.query(sql)
            """
        let run = try LintSources(LintTwins.program(body)).run(["--list"])
        #expect(run.messages.map(\.line) == [8, 9, 10])
        #expect(run.messages.allSatisfy { $0.severity == .note })
        #expect(run.messages.map(\.text).map { $0.hasSuffix(": checked") } == [true, false, false])
        #expect(run.status == 0)
    }

    @Test(arguments: [
        ("SELECT cars.name FROM owners RIGHT JOIN cars ON true", "3.39"),
        ("SELECT options ->> 0 FROM cars", "3.38"),
        ("SELECT unixepoch('now')", "3.38"),
        ("SELECT 1 IS NOT DISTINCT FROM 2", "3.39"),
    ])
    func whatIsNewerThanTheOldestIsReported(sql: String, version: String) throws {
        let connection = try Connection()
        try connection.execute("CREATE TABLE cars(name, options); CREATE TABLE owners(id)")
        // What the SQLite in use doesn't know either is another message.
        guard (try? connection.prepare(sql)) != nil else { return }
        let body = "try connection.prepare(\"\(sql)\")"
        let sources = try LintSources(LintTwins.program(body))
        let minor = try #require(Int(version.dropFirst(2)))
        let old = try sources.run(["--oldest", "3.\(minor - 1)"])
        #expect(old.warnings.count == 1, "\(old.messages)")
        #expect(old.warnings.first?.text.contains("needs SQLite \(version)") == true)
        #expect(old.status == 0)
        for options in [["--oldest", version], ["--oldest", "3.99.1"], []] {
            let run = try sources.run(options)
            #expect(run.messages.isEmpty, "\(run.messages)")
        }
    }

    @Test func anOutputIsMadeIfThereIsNoError() throws {
        let sources = try LintSources(Self.right)
        try sources.expect([], ["--output", "Checked.txt"])
        #expect(FileManager.default.fileExists(atPath: sources.folder.path("Checked.txt")))
        let others = try LintSources(Self.wrong)
        #expect(try others.run(["--output", "Checked.txt"]).status == 1)
        #expect(!FileManager.default.fileExists(atPath: others.folder.path("Checked.txt")))
    }

    @Test func theOrderIsThatOfTheFilesAndLines() throws {
        let file = { (count: Int) in
            """
            import SQift
            func use(_ connection: Connection) throws {
            \(Array(repeating: "    try connection.run(\"DELETE ▸FORM cars\")", count: count)
                .joined(separator: "\n"))
            }
            """
        }
        try LintSources(["B.swift": file(12), "A.swift": file(2), "C/D.swift": file(1)])
            .expect(Array(repeating: "error: near \"FORM\"", count: 15))
    }
}

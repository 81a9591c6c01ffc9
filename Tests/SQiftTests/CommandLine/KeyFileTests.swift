import Foundation
import SQift
import SQiftTestSupport
import Testing

@Suite(.builtTool) struct KeyFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try Data("horse\n\n".utf8).write(to: folder.url.appendingPathComponent("key"))
        let scripts = folder.url.appendingPathComponent("migrations")
        try FileManager.default.createDirectory(at: scripts, withIntermediateDirectories: true)
        let sql = "CREATE TABLE t(x); INSERT INTO t VALUES('open secret');"
        try Data(sql.utf8).write(to: scripts.appendingPathComponent("1-t.sql"))
    }

    private func run(_ script: String) throws -> ToolRun {
        try ToolRun(script: script, in: folder)
    }

    @Test(.encryption) func everyCommandTakesTheKey() throws {
        let commands = [
            "migrate new.sqlite migrations --dry-run",
            "migrate test.sqlite migrations --backup before.sqlite",
            "migrate test.sqlite migrations --backup before.sqlite",
            "check test.sqlite",
            "backup test.sqlite copy.sqlite",
            "backup test.sqlite copy.sqlite",
            "restore copy.sqlite restored.sqlite",
            "restore copy.sqlite test.sqlite",
            "verify test.sqlite restored.sqlite",
        ]
        for command in commands {
            let run = try run("\"$0\" \(command) --key-file key")
            #expect(run.status == 0, "\(command): \(run.errors)")
        }
        // Of the two newlines, one belongs to the key.
        #expect(try opens(folder.path("restored.sqlite"), with: Data("horse\n".utf8)))
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent("migrations"))
        try folder.expectNothingPlain()
    }

    @Test(.encryption) func aWrongAndAMissingKeyAreSaid() throws {
        _ = try run("\"$0\" migrate test.sqlite migrations --key-file=key")
        let missing = try run("\"$0\" check test.sqlite")
        #expect(missing.status == 1)
        #expect(missing.errors.contains("is encrypted, or isn't a database"))
        let wrong = try run("echo wrong > key; \"$0\" backup test.sqlite copy --key-file key")
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("the key is wrong"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("copy")))
    }

    @Test func aKeyFileThatIsMissingOrEmptyIsAnError() throws {
        #expect(try run("\"$0\" check test.sqlite --key-file none").errors.contains("none"))
        let run = try run(": > empty; \"$0\" migrate test.sqlite migrations --key-file empty")
        #expect(run.status == 1)
        #expect(!FileManager.default.fileExists(atPath: folder.path()))
    }
}

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

    @Test(.encryption) func rekeyChangesAddsAndRemovesTheKey() throws {
        let path = folder.path()
        let connection = try Connection(path: path)
        try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES('open secret')")
        try connection.close()
        try Data("staple".utf8).write(to: folder.url.appendingPathComponent("other"))
        let steps: [(options: String, key: Data?, said: String)] = [
            ("--new-key-file key", Data("horse\n".utf8), "has the new key"),
            ("--key-file key --new-key-file=other", Data("staple".utf8), "has the new key"),
            ("--key-file other", nil, "has no key any more"),
        ]
        for step in steps {
            let run = try run("\"$0\" rekey test.sqlite \(step.options)")
            #expect(run.status == 0, "\(step.options): \(run.errors)")
            #expect(run.output == "test.sqlite \(step.said)\n")
            #expect(try opens(path, with: step.key))
        }
        #expect(try Connection(path: path).query("SELECT x FROM t") == "open secret")

        let wrong = try run("\"$0\" rekey test.sqlite --key-file key --new-key-file other")
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("isn't encrypted"))
        let missing = try run("\"$0\" rekey none.sqlite --new-key-file other")
        #expect(missing.status == 1)
        #expect(missing.errors.contains("there is no such file"))
        #expect(try folder.files().sorted() == ["key", "migrations", "other", "test.sqlite"])
    }

    @Test func rekeyNeedsAKey() throws {
        let run = try run("\"$0\" rekey test.sqlite")
        #expect(run.status == 2)
        #expect(run.errors.contains("--new-key-file"))
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

    /// As in bash's `--key-file <(pass show database)`.
    @Test(.encryption) func aKeyMayComeThroughAPipe() throws {
        _ = try run("\"$0\" migrate test.sqlite migrations --key-file key")
        for call in [
            "cat key | \"$0\" check test.sqlite --key-file /dev/stdin",
            "mkfifo pipe; cat key >pipe & \"$0\" check test.sqlite --key-file pipe",
        ] {
            let run = try run(call)
            #expect(run.status == 0, "\(run.errors)")
        }
    }

    @Test func aKeyFileThatIsMissingOrEmptyIsAnError() throws {
        #expect(try run("\"$0\" check test.sqlite --key-file none").errors.contains("none"))
        let ofFolder = try run("\"$0\" check test.sqlite --key-file .")
        #expect(ofFolder.status == 1)
        #expect(ofFolder.errors.contains("can't read the key's file .: Is a directory"))
        let run = try run(": > empty; \"$0\" migrate test.sqlite migrations --key-file empty")
        #expect(run.status == 1)
        #expect(!FileManager.default.fileExists(atPath: folder.path()))
    }
}

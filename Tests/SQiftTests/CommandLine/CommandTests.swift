// A `BackupError` can be made with an internal initialiser only.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

@testable import sqift_cli

struct CommandTests {
    private static let names = [
        "new", "status", "migrate", "backup", "restore", "rekey", "verify", "check", "completions",
        "demo",
    ]

    @Test(arguments: [
        [], ["nonsense"], ["check", "a", "b"], ["--help", "x"], ["help", "x"],
        ["backup"], ["backup", "a", "b", "--pages", "0"], ["backup", "a", "b", "--rate", "x"],
        ["backup", "a", "b", "--rate"], ["restore", "a"], ["restore", "a", "b", "--pages", "x"],
        ["verify", "a"], ["verify", "a", "b", "c"], ["migrate", "a"],
        ["migrate", "a", "b", "--to"], ["migrate", "a", "b", "--unknown"],
        ["migrate", "a", "b", "more"], ["migrate", "a", "b", "--pages", "3"],
        ["new", "a"], ["new", "a", ""], ["new", "a", "b/c"], ["status", "a"],
        ["backup", "a", "b", "--keep", "0"], ["completions"], ["completions", "ksh"],
    ])
    func aWrongCallEndsWithTwo(arguments: [String]) async {
        #expect(await runCommand(arguments) == 2)
    }

    @Test func helpIsNoError() async {
        for arguments in [["--help"], ["-h"], ["help"], ["help", "--help"], ["--version"]] {
            #expect(await runCommand(arguments) == 0)
        }
    }

    @Test(.builtTool) func aLineOfTheHelpFitsOnATerminal() throws {
        for arguments in [["--help"]] + Self.names.map({ ["help", $0] }) {
            for line in try ToolRun(arguments).output.split(separator: "\n") {
                #expect(line.count <= 80)
            }
        }
    }

    @Test(.builtTool, arguments: names)
    func eachCommandHasItsHelp(name: String) throws {
        for arguments in [
            [name, "--help"], [name, "-h"], ["help", name], [name, "a", "--help"],
        ] {
            let run = try ToolRun(arguments)

            run.expect(0)
            #expect(run.output.hasPrefix("Usage: sqift-cli \(name) "))
            #expect(run.errors.isEmpty)
        }
    }

    /// The calls in the help are right, as far as that is seen without a database.
    @Test func eachExampleIsACall() throws {
        for command in Command.all {
            guard let example = command.example else { continue }
            let words = example.split(separator: " ").map(String.init)

            #expect(words[0] == command.name)
            _ = try Arguments(words.dropFirst(), of: command)
        }
        #expect(Command.all.filter { $0.example == nil }.map(\.name) == ["demo"])
    }

    @Test(.builtTool) func theHelpNamesEachCommand() throws {
        let help = try ToolRun(["--help"]).output
        for name in Self.names {
            #expect(help.contains("\n  \(name) "))
        }
    }

    @Test(.builtTool) func theVersionIsSQiftsAndSQLites() throws {
        let run = try ToolRun(["--version"])

        let missing = Connection.missingFeatures.map { "not available: \($0)\n" }
            .joined()
        #expect(
            run.output == "sqift-cli \(version), SQLite \(Connection.sqliteVersion)\n\(missing)"
        )
        #expect(run.errors.isEmpty)
    }

    @Test func theVersionIsTheChangelogs() throws {
        let path = packageFolder.appendingPathComponent("Docs/CHANGELOG.md")
        let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
        let heading = try #require(lines.first { $0.hasPrefix("## ") }).dropFirst(3)

        #expect(heading == "Unreleased" ? version.hasSuffix("-unreleased") : heading == version)
    }

    @Test(
        .builtTool,
        arguments: [
            ([], "a command is missing"),
            (["migrate"], "migrate needs DATABASE and FOLDER"),
            (["migrate", "a"], "migrate needs FOLDER"),
            (["check", "a", "b"], "unexpected argument: b"),
            (["backup", "a", "b", "--rat"], "backup has no option --rat; did you mean --rate?"),
            (["backup", "a", "b", "--unlike"], "backup has no option --unlike"),
            (["backup", "a", "b", "--keep=x"], "--keep must be a number above 0, not x"),
            (["migrate", "sqlite:a", "b"], "DATABASE is a path, not a URL: sqlite:a"),
            (
                ["completions", "ksh"],
                "there are completions for bash, zsh and fish, not for ksh"
            ),
            (["backup", "a", "b", "--rate"], "--rate needs a value: --rate=MB/S"),
            (["backup", "a", "b", "--rate=x"], "--rate must be a number above 0, not x"),
            (["backup", "a", "b", "--rate=1", "--rate", "2"], "--rate is given twice"),
            (["migrate", "a", "b", "--dry-run=1"], "--dry-run takes no value"),
            (["migrate", "a", "b", "--to", "--dry-run"], "--to needs a value: --to=NAME"),
            (["migrate", "a", "b", "--to="], "--to needs a value: --to=NAME"),
            (["backup", "a", "b", "--rate", ""], "--rate needs a value: --rate=MB/S"),
            (["check", ""], "a file's name is empty"),
        ] as [([String], String)]
    )
    func aWrongCallIsToldWhatIsWrongBeforeTheUsage(arguments: [String], reason: String) throws {
        let run = try ToolRun(arguments)

        run.expect(2)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("sqift-cli: \(reason)\n\nUsage: sqift-cli"))
    }

    @Test(
        .builtTool,
        arguments: [
            (["migarte", "a", "b"], "migarte; did you mean migrate?"),
            (["chek"], "chek; did you mean check?"),
            (["help", "stat"], "stat; did you mean status?"),
            (["nosuch"], "nosuch"), (["help", "nosuch"], "nosuch"), (["down"], "down"), ([""], ""),
        ] as [([String], String)]
    )
    func aMisspeltCommandIsToldInTwoLines(arguments: [String], reason: String) throws {
        let run = try ToolRun(arguments)

        run.expect(2)
        #expect(run.output.isEmpty)
        #expect(run.errors == "sqift-cli: unknown command: \(reason)\nSee: sqift-cli --help\n")
    }

    /// Whoever looks for them finds what to use in their place.
    @Test(.builtTool, arguments: [["--help"], ["help", "migrate"]])
    func theHelpSaysThatThereAreNoDownMigrations(arguments: [String]) throws {
        let help = try ToolRun(arguments).output
        #expect(help.contains("There are no down migrations: a backup is the way back"))
    }

    @Test func anOptionsValueStandsAfterAnEqualsSignOrByItself() throws {
        let backup = try #require(Command.all.first { $0.name == "backup" })
        let one = try Arguments(["a", "--rate=5", "b", "--pages", "7"], of: backup)

        #expect(one.operands == ["a", "b"])
        #expect(one.options == ["--rate": "5", "--pages": "7"])
        #expect(try one.number("--rate") == 5)
        #expect(try Arguments(["--rate=a=b", "a", "b"], of: backup).options == ["--rate": "a=b"])
        #expect(try Arguments(["--", "--rate", "b"], of: backup).operands == ["--rate", "b"])
    }

    @Test(.builtTool) func aNameThatIsNotUTF8IsRefused() throws {
        let folder = try TemporaryFolder()
        try Connection(path: folder.path("a.sqlite")).execute("CREATE TABLE t(a)")
        let run = try ToolRun(
            script: #"exec "$0" backup a.sqlite "$(printf 'caf\351.sqlite')""#,
            in: folder
        )

        run.expect(2, errors: "argument 3 isn't UTF-8")
        #expect(try folder.files() == ["a.sqlite"])
    }

    @Test func aNameWithSpecialCharactersIsThatFile() async throws {
        let folder = try TemporaryFolder()
        for name in ["a b", "50%.sqlite", "a?b#c&d=e", "file:a", "é\u{301}", "%20"] {
            try Connection(path: folder.path(name)).execute("PRAGMA journal_mode = WAL")

            #expect(await runCommand(["check", folder.path(name)]) == 0)
            #expect(await runCommand(["check", folder.path(name + "x")]) == 1)
            #expect(try folder.files() == [name])
            try FileManager.default.removeItem(atPath: folder.path(name))
        }
    }

    @Test(.builtTool) func aFileThatIsNoDatabaseIsNamed() throws {
        let folder = try TemporaryFolder()
        let text = folder.path("text.sqlite")
        try Data("no database, but long enough to have a header to look at".utf8).write(
            to: URL(fileURLWithPath: text)
        )
        for path in [text, folder.url.path] {
            for arguments in [["check", path], ["restore", path, folder.path("new.sqlite")]] {
                let run = try ToolRun(arguments)

                run.expect(1)
                #expect(run.errors.hasPrefix("sqift-cli: "))
                #expect(run.errors.contains(path))
            }
        }
        #expect(try folder.files() == ["text.sqlite"])
    }

    @Test(.builtTool, arguments: ["check", "backup", "restore", "verify"])
    func aMissingFileIsCalledMissing(command: String) throws {
        let folder = try TemporaryFolder()
        let run = try ToolRun(
            [
                command, folder.path("missing.sqlite"), folder.path("other.sqlite"),
            ].prefix(command == "check" ? 2 : 3).map { $0 }
        )

        run.expect(1)
        #expect(run.errors.hasSuffix("/missing.sqlite; there is no such file\n"))
        #expect(try folder.files().isEmpty)
    }

    /// An error can come after the backup has replaced the old one.
    @Test func aCancelledCommandSaysWhatItHasDone() async throws {
        let backup = try #require(Command.all.first { $0.name == "backup" })
        let unsynced = BackupError(.notSynced, "the folder couldn't be synced")
        let (isFailure, isCancellation) = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return (
                report(unsynced, of: backup) == .failed,
                report(SQLiteError(code: .interrupt), of: backup) == .interrupted
            )
        }.value
        #expect(isFailure && isCancellation)
        #expect(report(SQLiteError(code: .interrupt), of: backup) == .failed)
    }

    @Test func theDemonstrationRuns() async {
        #expect(await runCommand(["demo"]) == 0)
    }

    @Test func theCaretStandsUnderTheToken() throws {
        let error = SQLiteError(code: .error, sql: "SELECT é,\n\tprize FROM cars", offset: 12)
        #expect(error.excerpt == "    \tprize FROM cars\n    \t^")
        #expect(SQLiteError(code: .error, sql: "SELECT 1").excerpt == nil)
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

@testable import sqift_cli

/// `completions`.
@Suite(.builtTool) struct CompletionsTests {
    /// Whether a shell is installed.
    private static func has(_ shell: String) -> Bool {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(shell)")
        }
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Runs a script whose first argument is the tool, with this shell.
    private func run(_ shell: String, _ script: String) throws -> ToolRun {
        try Data(script.utf8).write(to: folder.url.appendingPathComponent("script"))
        return try ToolRun(script: #"PATH="$(dirname "$0"):$PATH" \#(shell) script"#, in: folder)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func eachShellKnowsAllCommandsAndOptions(shell: String) throws {
        let run = try ToolRun(["completions", shell])

        run.expect(0)
        for command in Command.all {
            #expect(run.output.contains(command.name))
            for option in command.options {
                let name = shell == "fish" ? "-l \(option.name.dropFirst(2))" : option.name
                #expect(run.output.contains(name))
            }
        }
    }

    @Test(.enabled(if: has("bash"), "it needs bash"))
    func bashCompletesWhatIsDeclared() throws {
        let script = """
            eval "$(sqift-cli completions bash)"
            try() {
                COMP_WORDS=(sqift-cli "$@")
                COMP_CWORD=$#
                _sqift_cli
                echo "${COMPREPLY[*]}"
            }
            try m
            try -
            try migrate --check
            try migrate a.sqlite ""
            try backup a b --k
            try completions ""
            try nosuch -
            try help ""
            """
        let run = try run("bash", script)

        run.expect(0)
        #expect(run.errors.isEmpty)
        // Where nothing is known, bash itself completes files.
        #expect(
            run.output == """
                migrate
                --help --version
                --check --check-drift

                --keep --key-file
                bash zsh fish



                """
        )
    }

    @Test(.enabled(if: has("fish"), "it needs fish"))
    func fishCompletesWhatIsDeclared() throws {
        let script = """
            sqift-cli completions fish | source
            complete -C 'sqift-cli m'
            complete -C 'sqift-cli migrate --check'
            complete -C 'sqift-cli completions '
            complete -C 'sqift-cli migrate --to '
            complete -C 'sqift-cli migrate scr'
            """
        let run = try run("fish --no-config", script)

        #expect(
            run.output == """
                migrate\tapply the .sql files in FOLDER that haven't run yet
                --check\trun nothing; exit with 1 if any is pending
                --check-drift\tonly show how the schema differs from the files
                bash
                fish
                zsh
                script

                """
        )
    }

    /// What zsh offers is seen only on a terminal.
    @Test(.enabled(if: has("zsh"), "it needs zsh"))
    func zshTakesTheScript() throws {
        let script = """
            compdef() { echo "$@" }
            eval "$(sqift-cli completions zsh)"
            CURRENT=2
            _describe() { echo ${(P)2} }
            _sqift-cli
            _arguments() { print -l -- "$@" }
            words=(sqift-cli new)
            CURRENT=3
            _sqift-cli
            """
        let run = try run("zsh -f", script)

        run.expect(0)
        #expect(run.output.hasPrefix("_sqift-cli sqift-cli\nnew:make an empty file"))
        #expect(run.output.contains("migrate:apply the .sql files in FOLDER that haven't run yet "))
        #expect(run.output.hasSuffix(":FOLDER:_files -/\n:NAME:\n"))
    }
}

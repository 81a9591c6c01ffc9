import Foundation
import SQift

/// The tool's version: the changelog's, before a release the next one's.
let version = "6.0.0-unreleased"

/// What a script can tell from how the tool ended.
enum ExitCode: Int32 {
    /// Done; sound; equal.
    case done = 0
    /// Failed; damaged; different.
    case failed = 1
    /// Called in a wrong way.
    case usage = 2
    /// Not all could be checked; what could is sound.
    case incomplete = 3
    /// Ended by Ctrl-C, as shells have it.
    case interrupted = 130
}

/// How the tool is called.
private var usage: String {
    let commands = Command.all.map {
        (([$0.name] + $0.operands).joined(separator: " "), $0.summary)
    }
    return "usage: sqift-cli COMMAND\n\n" + inColumns(commands) + """

          sqift-cli COMMAND --help explains a command, sqift-cli --version prints the version.

        Exit codes: 0 done, sound or equal; 1 failed, damaged or different; 2 called in a wrong way;
        3 sound as far as it could be checked; 130 ended by Ctrl-C.
        """
}

/// Runs the command that the arguments name, and returns the exit code.
func runCommand(_ arguments: [String]) async -> Int32 {
    var command: Command?
    do {
        guard let name = arguments.first else { throw UsageError("a command is missing") }
        let rest = arguments.dropFirst()
        if name == "--version" {
            print("sqift-cli \(version), SQLite \(Connection.sqliteVersion)")
            return ExitCode.done.rawValue
        }
        let isHelp = ["help", "--help", "-h"].contains(name)
        if isHelp, rest.isEmpty {
            print(usage)
            return ExitCode.done.rawValue
        }
        let wanted = isHelp ? rest[1] : name
        command = Command.all.first { $0.name == wanted }
        guard let command else { throw UsageError("there is no command \(wanted)") }
        if isHelp || rest.prefix(while: { $0 != "--" }).contains(where: ["--help", "-h"].contains) {
            print(command.help, terminator: "")
            return ExitCode.done.rawValue
        }
        let parsed = try Arguments(rest, of: command)
        try Task.checkCancellation()
        return try await command.run(parsed).rawValue
    } catch let error as UsageError {
        printError("sqift-cli: \(error.message)\n\n\(command?.usage ?? usage)")
        return ExitCode.usage.rawValue
    } catch {
        if Task.isCancelled {
            printError("sqift-cli: cancelled, \(command?.cancellation ?? "")")
            return ExitCode.interrupted.rawValue
        }
        printError("sqift-cli: \(text(of: error))")
        return ExitCode.failed.rawValue
    }
}

/// What went wrong, where in the SQL, and what can be done about it.
func text(of error: any Error) -> String {
    // Foundation's own description is a dump of everything.
    if let error = error as? CocoaError {
        let reason = (error as NSError).localizedFailureReason ?? error.localizedDescription
        return [error.filePath, reason].compactMap { $0 }.joined(separator: ": ")
    }
    let cause = (error as? MigratorError)?.underlyingError ?? error
    let additions = (cause as? SQLiteError).map { [picture(of: $0), $0.advice] } ?? []
    return (["\(error)"] + additions.compactMap { $0 }).joined(separator: "\n")
}

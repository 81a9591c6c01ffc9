import Foundation
import SQift

/// The version in the changelog. After a release, it is the version of the next one.
let version = "6.0.0"

private let usage = """
    Usage: sqift-cli <command> [options]

    Migrate, back up and check SQLite databases.

    Commands:
    \(columns(Command.all.map { ($0.call, $0.summary) }))
    Options for every command:
    \(columns([Command.Option.keyFile, .help].map { ($0.title, $0.summary) }))\
      --version                 print the versions of sqift-cli and SQLite

    The variable SQIFT_DATABASE names the database for a command that needs
    nothing else, and for a - in its place.

    There are no down migrations: a backup is the way back (migrate --backup).

    Exit status: 0 success; 1 failed, damaged, different or pending;
    2 wrong arguments; 3 no damage found, but some tables need functions
    of your app (check); 130 interrupted.
    """

private let helpNames = ["help", "--help", "-h"]

/// Runs the command that the arguments name, and returns the exit code.
func runCommand(_ arguments: [String]) async -> Int32 {
    let isJSONWanted = arguments.prefix { $0 != "--" }.contains("--json")
    var command: Command?
    do {
        guard let name = arguments.first else { throw UsageError("a command is missing") }
        let rest = arguments.dropFirst()
        if name == "--version" {
            print("sqift-cli \(version), SQLite \(Connection.sqliteVersion)")
            for feature in Connection.missingFeatures {
                print("not available: \(feature)")
            }
            return ExitCode.done.rawValue
        }
        let isHelp = helpNames.contains(name)
        if isHelp, helpNames.contains(rest.first ?? name) {
            print(usage)
            return ExitCode.done.rawValue
        }

        let commandName = isHelp ? arguments[1] : name
        command = Command.all.first { $0.name == commandName }
        guard let command else {
            let suggestion = commandName.suggestion(from: Command.all.map(\.name))
            throw UsageError("unknown command: \(commandName)\(suggestion)")
        }
        let options = rest.prefix { $0 != "--" }
        if isHelp || options.contains("--help") || options.contains("-h") {
            print(command.help, terminator: "")
            return ExitCode.done.rawValue
        }

        let parsed = try Arguments(rest, of: command)
        try Task.checkCancellation()
        return try await DatabaseFile.$key.withValue(parsed.key()) {
            try await Interruption.during { try await command.run(parsed).rawValue }
        }
    } catch let error as UsageError {
        let isMisspelt = command == nil && !arguments.isEmpty
        let help = isMisspelt ? "See: sqift-cli --help" : "\n\(command?.usage ?? usage)"
        Terminal.printError("sqift-cli: \(error.message)\n\(help)")
        return ExitCode.usage.rawValue
    } catch {
        let code = report(error, of: command)
        if isJSONWanted {
            try? FailureReport(error: message(for: error), exitCode: code).printJSON()
        }
        return code.rawValue
    }
}

/// Prints a command's error, and returns the exit code.
func report(_ error: any Error, of command: Command?) -> ExitCode {
    // A backup that isn't synced is in place, whatever was cancelled meanwhile.
    if Task.isCancelled, (error as? BackupError)?.reason != .notSynced {
        Terminal.printError("sqift-cli: cancelled, \(command?.cancellation ?? "")")
        return .interrupted
    }
    Terminal.printError("sqift-cli: \(message(for: error))")
    return .failed
}

/// Says what went wrong, where in the SQL, and what the user can do about it.
private func message(for error: any Error) -> String {
    // Foundation's own description of such an error is a dump of everything in it.
    if let error = error as? CocoaError {
        let reason = (error as NSError).localizedFailureReason ?? error.localizedDescription
        return [error.filePath, reason].compactMap { $0 }.joined(separator: ": ")
    }
    let cause = (error as? MigratorError)?.underlyingError ?? error
    guard let cause = cause as? SQLiteError else { return "\(error)" }
    var lines = ["\(error)"]
    if let excerpt = cause.excerpt {
        // The excerpt shows the SQL, so the error needn't.
        lines = [lines[0].replacing("\(cause)", with: "\(cause.withoutSQL())"), excerpt]
    }
    return (lines + [cause.advice].compactMap { $0 }).joined(separator: "\n")
}

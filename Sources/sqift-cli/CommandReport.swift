import Foundation

/// What a command has found: text for people, and JSON for programs.
protocol CommandReport: Encodable {
    var exitCode: ExitCode { get }

    func printText()
}

extension CommandReport {
    /// Prints it, as JSON if the option `--json` is given, and returns the exit code.
    func show(for arguments: Arguments) throws -> ExitCode {
        if arguments.options["--json"] == nil {
            printText()
        } else {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(self), as: UTF8.self))
        }
        return exitCode
    }
}

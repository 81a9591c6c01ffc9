import Foundation

/// What a command has found: text for people, and JSON for programs.
protocol CommandReport: Encodable {
    var exitCode: ExitCode { get }

    func printText()
}

extension CommandReport {
    /// Prints it, as JSON if the option `--json` is given, and returns the exit code.
    ///
    /// - Throws: ``UnusableFile`` if it can't be written, to a full disk for example.
    func show(for arguments: Arguments) throws -> ExitCode {
        if arguments.options["--json"] == nil {
            printText()
        } else {
            try printJSON()
        }
        // What no one reads any more needn't be written.
        guard fflush(nil) == 0 || errno == EPIPE else {
            let reason = String(cString: strerror(errno))
            throw UnusableFile(description: "can't write the result: \(reason)")
        }
        return exitCode
    }

    func printJSON() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(self), as: UTF8.self))
    }
}

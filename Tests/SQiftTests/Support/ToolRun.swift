import Foundation
import Testing

/// A run of the built tool in its own process: its output and its exit code.
package struct ToolRun {
    package let status: Int32
    package let output: String
    package let errors: String

    /// - Parameter interruption: When this text is among its errors, it is interrupted, as by
    ///   Ctrl-C.
    package init(_ arguments: [String], interruptedAt interruption: String? = nil) throws {
        try self.init(try #require(commandLineTool), arguments) { process, pipe in
            var errors = Data()
            while let interruption {
                let data = pipe.fileHandleForReading.availableData
                errors += data
                if String(decoding: errors, as: UTF8.self).contains(interruption) {
                    process.interrupt()
                    break
                }
                if data.isEmpty {
                    break
                }
            }
            return errors
        }
    }

    /// - Parameter condition: When this is true, the tool gets the signal.
    package init(
        _ arguments: [String],
        sending signal: Int32,
        once condition: () throws -> Bool
    ) throws {
        // Under nohup the tests ignore SIGHUP, and the tool would inherit that.
        _ = Foundation.signal(signal, SIG_DFL)
        try self.init(try #require(commandLineTool), arguments) { process, _ in
            try blockingPoll("the tool doesn't get there", until: condition)
            kill(process.processIdentifier, signal)
            return Data()
        }
    }

    /// The tool as `$0` of a script.
    package init(script: String, in folder: TemporaryFolder) throws {
        let tool = try #require(commandLineTool)
        let shell = URL(fileURLWithPath: "/bin/sh")
        let script = "cd '\(folder.url.path)' && \(script)"
        try self.init(shell, ["-c", script, tool.path])
    }

    /// A script that doesn't need the tool.
    package init(shellScript script: String) throws {
        try self.init(URL(fileURLWithPath: "/bin/sh"), ["-c", script])
    }

    /// Expects an exit code, and that its errors have these parts.
    package func expect(
        _ status: Int32,
        errors parts: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(self.status == status, "\(errors)", sourceLocation: sourceLocation)
        for part in parts {
            #expect(errors.contains(part), sourceLocation: sourceLocation)
        }
    }

    /// - Parameter meanwhile: Called while the process runs. It returns the errors that it has read.
    private init(
        _ executable: URL,
        _ arguments: [String],
        _ meanwhile: (Process, _ errors: Pipe) throws -> Data = { _, _ in Data() }
    ) throws {
        let process = Process()
        let (outputPipe, errorPipe) = (Pipe(), Pipe())
        process.executableURL = executable
        process.arguments = arguments
        process.standardOutput = outputPipe
        process.standardError = errorPipe
        try process.run()

        var errors = try meanwhile(process, errorPipe)
        errors += errorPipe.fileHandleForReading.readDataToEndOfFile()
        let output = outputPipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()

        // A process that was killed by a signal has no exit code.
        status = process.terminationReason == .exit ? process.terminationStatus : -1
        self.output = String(decoding: output, as: UTF8.self)
        self.errors = String(decoding: errors, as: UTF8.self)
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs the test only if the tool is found.
    package static var builtTool: Self {
        .enabled(
            if: commandLineTool != nil,
            "the built sqift-cli is found beside the tests on Linux only"
        )
    }
}

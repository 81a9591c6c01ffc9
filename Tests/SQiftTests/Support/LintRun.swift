import Foundation
import Testing

/// The tool that checks SQL, which is built with the tests.
package let lintTool: URL? = {
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let tool = tests.deletingLastPathComponent().appendingPathComponent("sqift-lint")
    return FileManager.default.isExecutableFile(atPath: tool.path) ? tool : nil
}()

extension Trait where Self == ConditionTrait {
    /// Runs the tests only if the tool that checks SQL is found.
    package static var builtLint: Self {
        .enabled(
            if: lintTool != nil,
            "the built sqift-lint is found beside the tests on Linux only"
        )
    }
}

/// What sqift-lint says of a place.
package struct LintMessage: Hashable, CustomStringConvertible {
    package enum Severity: String {
        case error, warning, note
    }

    package let path: String
    package let line: Int
    package let column: Int
    package let severity: Severity
    package let text: String

    package var description: String { "\(path):\(line):\(column): \(severity.rawValue): \(text)" }

    /// - Parameter line: Such as `Cars.swift:14:18: error: no such table: cras`.
    package init?(_ line: some StringProtocol) {
        let parts = line.split(separator: ":", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, let number = Int(parts[1]), let column = Int(parts[2]),
            let severity = Severity(rawValue: String(parts[3].dropFirst())), parts[4].first == " "
        else { return nil }
        path = String(parts[0])
        self.line = number
        self.column = column
        self.severity = severity
        text = String(parts[4].dropFirst())
    }
}

/// A run of the built sqift-lint: what it says, and its exit code.
package struct LintRun {
    /// The exit code, or the number of the signal that ended it below zero.
    package let status: Int32
    package let messages: [LintMessage]
    /// The lines of its output that aren't messages.
    package let otherLines: [String]
    package let errorLines: [String]

    package var summary: String { errorLines.last ?? "" }
    package var errors: [LintMessage] { messages.filter { $0.severity == .error } }
    package var warnings: [LintMessage] { messages.filter { $0.severity == .warning } }

    /// - Parameter folder: Where it runs, so that paths can be relative.
    package init(_ arguments: [String], in folder: URL) throws {
        let tool = try #require(lintTool)
        // A pipe has room for a part of it only.
        let results = try TemporaryFolder()
        let output = results.url.appendingPathComponent("output")
        let errors = results.url.appendingPathComponent("errors")
        for file in [output, errors] {
            try Data().write(to: file)
        }
        let process = Process()
        process.executableURL = tool
        process.currentDirectoryURL = folder
        process.arguments = arguments
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        process.writeNoProfile()
        try process.run()
        process.waitUntilExit()

        let isExit = process.terminationReason == .exit
        status = isExit ? process.terminationStatus : -process.terminationStatus
        let lines = try Self.lines(of: output)
        messages = lines.compactMap { LintMessage($0) }
        otherLines = lines.filter { LintMessage($0) == nil }
        errorLines = try Self.lines(of: errors)
    }

    private static func lines(of file: URL) throws -> [String] {
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        return text.split(separator: "\n").map(String.init)
    }
}

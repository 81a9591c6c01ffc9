import Foundation
import Testing

/// The command-line tool, which is built with the tests.
package let commandLineTool: URL? = {
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let tool = tests.deletingLastPathComponent().appendingPathComponent("sqift-cli")
    return FileManager.default.isExecutableFile(atPath: tool.path) ? tool : nil
}()

/// Starts the tool and kills it after so many milliseconds. Returns whether it had ended by then.
package func startTool(_ arguments: [String], killingAfter milliseconds: Double) throws -> Bool {
    let process = Process()
    process.executableURL = commandLineTool
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.writeNoProfile()
    try process.run()
    let end = Date(timeIntervalSinceNow: milliseconds / 1000)
    // The random moment is what is tested: each must do.
    while process.isRunning, Date() < end {
        Thread.sleep(forTimeInterval: 0.001)
    }
    let hasEnded = !process.isRunning
    if !hasEnded {
        kill(process.processIdentifier, SIGKILL)
    }
    process.waitUntilExit()
    return hasEnded
}

/// How many milliseconds a run of the tool takes that nobody kills.
package func durationOfTool(_ arguments: [String]) throws -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    try #require(try startTool(arguments, killingAfter: 120_000))
    return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6
}

/// The random moments, in milliseconds, at which runs of the tool are killed.
package struct KillMoments {
    /// The latest one. It follows the speed of the machine, so that about every second run ends.
    private var latest: Double

    package init(duration: Double) {
        latest = 2 * duration
    }

    package func next() -> Double {
        .random(in: 0...latest)
    }

    package mutating func note(hasEnded: Bool) {
        latest *= hasEnded ? 0.9 : 1.1
    }
}

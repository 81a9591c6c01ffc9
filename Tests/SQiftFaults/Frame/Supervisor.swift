import Foundation

/// Runs a technique in a process of its own, so that a crash or a hang is a failure like others.
struct Supervisor {
    let technique: String
    let options: Options
    let folder: TemporaryFolder

    /// How long one point may take, with a debug build on a busy machine.
    private static let patience = 120.0

    /// Returns whether nothing failed.
    func run() throws -> Bool {
        let arguments = options.arguments(for: technique, in: folder.path)
        let process = try ownProcess(arguments)
        let hasEnded = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in hasEnded.signal() }
        try process.run()

        var lastSign = Date()
        while hasEnded.wait(timeout: .now() + 1) == .timedOut {
            lastSign = max(lastSign, Mark.read(in: folder.path)?.time ?? lastSign)
            guard Date().timeIntervalSince(lastSign) > Self.patience else { continue }
            report("hangs")
            kill(process.processIdentifier, SIGKILL)
            hasEnded.wait()
            return false
        }
        if process.terminationReason == .uncaughtSignal {
            report("was ended by signal \(process.terminationStatus)")
            return false
        }
        return process.terminationStatus == 0
    }

    private func report(_ event: String) {
        let point = Mark.read(in: folder.path)?.text ?? "its beginning"
        say("FAILED \(technique) \(point): it \(event)")
        say("    again: \(FaultRun.replay(point, of: technique, seed: options.seed))")
    }
}

/// This program, to be run once more.
func ownProcess(_ arguments: [String]) throws -> Process {
    let process = Process()
    #if os(Linux)
        let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    #else
        let path = CommandLine.arguments[0]
    #endif
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let settings = [
        // Dictionaries have the same order in each run, so a point is the same when it is replayed.
        "SWIFT_DETERMINISTIC_HASHING": "1",
        // Freed blocks that a thread keeps for itself would count as used.
        "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
    ]
    process.environment = ProcessInfo.processInfo.environment.merging(settings) { $1 }
    return process
}

import Foundation

/// Swift sources that somebody is in the middle of writing, or that aren't Swift at all: the tool that
/// checks SQL reads them to the end, and soon.
enum SourcesTechnique: Technique {
    static let name = "sources"
    static let summary = "sqift-lint checks Swift sources with changed bytes"

    /// How many seconds of the processor one file may take.
    private static let longestTime = 1.0
    /// How many seconds may pass until a run is stuck, with a debug build on a busy machine.
    private static let patience = 60.0

    private static let folders = [
        "Tests/SQiftTests/CheckedSQL", "Tests/SQiftTests/CheckedSQL/Application",
        "Tests/SQiftTests/Documentation", "Tests/SQiftTests/Query", "Tests/SQiftTests/Migration",
        "Tests/Tutorial/Sources/GarageKit", "Sources/sqift-cli/Commands",
        "Sources/sqift-lint/Swift",
    ]

    /// What was made of the sources of a folder, in a folder of its own.
    private struct Batch {
        let folder: String
        let files: [String]
    }

    static func run(_ faultRun: FaultRun) throws {
        let tool = try tool()
        let seeds = try folders.map(sources)
        if let point = faultRun.options.point {
            return try replay(point, of: seeds, by: tool, faultRun)
        }
        let count = faultRun.options.isLong ? 1_000_000 : 20_000
        var number = 0
        while faultRun.triedCount < count {
            faultRun.showProgress("\(number)")
            let batch = try makeBatch(number, of: seeds, faultRun)
            faultRun.addTried(batch.files.count)
            if let problem = try problem(with: [batch.folder], by: tool) {
                try report(problem, number, batch, by: tool, faultRun)
            }
            number += 1
        }
        faultRun.note("\(number) targets")
    }

    /// The tool is built into the folder of this program.
    private static func tool() throws -> URL {
        #if os(Linux)
            let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        #else
            let path = CommandLine.arguments[0]
        #endif
        let tool = URL(fileURLWithPath: path).deletingLastPathComponent()
            .appendingPathComponent("sqift-lint")
        try expect(FileManager.default.isExecutableFile(atPath: tool.path), "no \(tool.path)")
        return tool
    }

    private static func sources(in folder: String) throws -> [[UInt8]] {
        let package = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..")
        let path = package.appendingPathComponent(folder).standardizedFileURL.path
        let names = try fileNames(in: path).filter { $0.hasSuffix(".swift") }
        try expect(!names.isEmpty, "there are no sources in \(path)")
        return names.map { name in
            [UInt8](FileManager.default.contents(atPath: "\(path)/\(name)") ?? Data())
        }
    }

    /// Makes the batch of a number: a whole target with its migrations, or some hundred files of any
    /// kind.
    private static func makeBatch(
        _ number: Int,
        of seeds: [[[UInt8]]],
        _ faultRun: FaultRun
    ) throws -> Batch {
        var generator = faultRun.generator(for: "\(number)")
        let folder = faultRun.folder + "/batch"
        try makeEmptyFolder(folder)
        let all = seeds.flatMap { $0 }
        let isTarget = number % 4 != 3
        let chosen =
            isTarget
            ? seeds.filter { $0.count < 20 }.randomElement(using: &generator) ?? all
            : (0..<300).map { _ in all[Int.random(in: 0..<all.count, using: &generator)] }
        var files: [String] = []
        for (index, source) in chosen.enumerated() {
            var mutator = SourceMutator(source, others: all, using: generator)
            // In a target some files stay right, so that its schema is often known.
            if !isTarget || Int.random(in: 0..<3, using: &generator) > 0 {
                mutator.mutate()
            }
            generator.state &+= UInt64(index) + 1
            files.append("\(folder)/\(index).swift")
            try Data(mutator.bytes).write(to: URL(fileURLWithPath: files[index]))
        }
        return Batch(folder: folder, files: files)
    }

    /// Checks a folder or a file. Returns what is wrong with that, if anything.
    private static func problem(with paths: [String], by tool: URL) throws -> String? {
        let process = Process()
        process.executableURL = tool
        process.arguments = ["--list", "--oldest", "3.36"] + paths
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let hasEnded = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in hasEnded.signal() }
        let before = secondsOfChildren()
        try process.run()
        guard hasEnded.wait(timeout: .now() + patience) == .success else {
            kill(process.processIdentifier, SIGKILL)
            hasEnded.wait()
            return "it hangs"
        }
        let seconds = secondsOfChildren() - before
        if process.terminationReason == .uncaughtSignal {
            return "it was ended by signal \(process.terminationStatus)"
        }
        if process.terminationStatus > 1 {
            return "it ended with \(process.terminationStatus)"
        }
        return seconds > longestTime ? String(format: "it took %.1f s", seconds) : nil
    }

    /// How long the processes worked that this one has started: how busy the machine is doesn't
    /// matter.
    private static func secondsOfChildren() -> Double {
        var usage = rusage()
        // RUSAGE_CHILDREN, which isn't a number everywhere.
        getrusage(-1, &usage)
        let times = [usage.ru_utime, usage.ru_stime]
        return times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    /// Looks for the file that is the cause. A batch may take longer than one file.
    private static func report(
        _ problem: String,
        _ number: Int,
        _ batch: Batch,
        by tool: URL,
        _ faultRun: FaultRun
    ) throws {
        var isFound = false
        for (index, file) in batch.files.enumerated() {
            faultRun.showProgress("\(number)/\(index)")
            if let problem = try Self.problem(with: [file], by: tool) {
                isFound = true
                faultRun.fail("\(number)/\(index)", [problem])
            }
        }
        let isSlow = problem.hasPrefix("it took") && batch.files.count > 20
        if !isFound, !isSlow {
            faultRun.fail("\(number)", [problem, "with all files only"])
        }
    }

    /// Tries a batch again, or one of its files, which it prints.
    private static func replay(
        _ point: String,
        of seeds: [[[UInt8]]],
        by tool: URL,
        _ faultRun: FaultRun
    ) throws {
        let numbers = point.split(separator: "/").compactMap { Int($0) }
        guard let number = numbers.first else { throw UsageError() }
        let batch = try makeBatch(number, of: seeds, faultRun)
        faultRun.addTried(numbers.count > 1 ? 1 : batch.files.count)
        guard numbers.count > 1 else {
            if let problem = try problem(with: [batch.folder], by: tool) {
                try report(problem, number, batch, by: tool, faultRun)
            }
            return
        }
        guard batch.files.indices.contains(numbers[1]) else { throw UsageError() }
        let file = batch.files[numbers[1]]
        say(String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self))
        if let problem = try problem(with: [file], by: tool) {
            faultRun.fail(point, [problem])
        }
    }
}

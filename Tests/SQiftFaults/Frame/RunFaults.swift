import Foundation
import SQift

/// Runs what the arguments ask for, and returns the exit status.
func runFaults(_ arguments: [String]) -> Int32 {
    do {
        if let task = try WorkerTask(arguments) {
            try task.run()
            return 0
        }
        let options = try Options(arguments)
        if let folder = options.folder {
            return try runTechnique(options, in: folder)
        }
        return superviseTechniques(options)
    } catch is UsageError {
        writeError(Options.usage)
        return 2
    } catch {
        writeError("SQiftFaults: \(error)")
        return 1
    }
}

/// Runs one technique in this process.
private func runTechnique(_ options: Options, in folder: String) throws -> Int32 {
    guard let technique = allTechniques.first(where: { $0.name == options.technique }) else {
        throw UsageError()
    }
    let faultRun = FaultRun(technique: technique.name, options: options, folder: folder)
    try technique.run(faultRun)
    if let point = options.point, faultRun.triedCount == 0 {
        writeError("SQiftFaults: \(technique.name) has no point \(point)")
        return 2
    }
    faultRun.printResult()
    return faultRun.failureCount == 0 ? 0 : 1
}

/// Runs each technique in a process of its own, as many at a time as there are processors.
private func superviseTechniques(_ options: Options) -> Int32 {
    say("SQLite \(Connection.sqliteVersion), seed \(options.seed)")
    let names = allTechniques.map { $0.name }.filter { options.technique ?? $0 == $0 }
    let hasFailed = Locked(false)

    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount
    for name in names {
        queue.addOperation {
            if !superviseTechnique(name, options) {
                hasFailed.withLock { $0 = true }
            }
        }
    }
    queue.waitUntilAllOperationsAreFinished()
    return hasFailed.withLock { $0 } ? 1 : 0
}

/// Returns whether nothing failed.
private func superviseTechnique(_ name: String, _ options: Options) -> Bool {
    do {
        let folder = try TemporaryFolder()
        return try Supervisor(technique: name, options: options, folder: folder).run()
    } catch {
        writeError("SQiftFaults: \(name): \(error)")
        return false
    }
}

func writeError(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
}

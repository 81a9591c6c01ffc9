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
        return try superviseTechniques(options)
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
    let session = Session(technique: technique.name, options: options, folder: folder)
    try technique.run(session)
    session.printResult()
    return session.failureCount == 0 ? 0 : 1
}

/// Runs techniques one after the other, each in a process of its own.
private func superviseTechniques(_ options: Options) throws -> Int32 {
    say("SQLite \(Connection.sqliteVersion), seed \(options.seed)")
    var status: Int32 = 0
    for technique in allTechniques
    where options.technique == nil || options.technique == technique.name {
        let folder = try TemporaryFolder()
        let supervisor = Supervisor(technique: technique.name, options: options, folder: folder)
        if try !supervisor.run() {
            status = 1
        }
    }
    return status
}

func writeError(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
}

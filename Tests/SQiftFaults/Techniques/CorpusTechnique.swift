import Foundation
import SQift

/// Runs what the fuzzer has found once: every input that reached new code of the library.
enum CorpusTechnique: Technique {
    static let name = "corpus"
    static let summary = "the inputs that the fuzzer (.ci/fuzz) has kept"

    static func run(_ faultRun: FaultRun) throws {
        let folder = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent()
            .appendingPathComponent("../Fuzz/Corpus")
            .standardizedFileURL
        // SQLite may allocate memory for the whole process when it first opens a database.
        try Connection().close()
        for target in FuzzTarget.all {
            let targetFolder = folder.appendingPathComponent(target.name).path
            let names = try fileNames(in: targetFolder)
            try expect(!names.isEmpty, "there are no inputs in \(targetFolder)")
            for name in names {
                let point = "\(target.name)/\(name)"
                guard faultRun.options.point ?? point == point else { continue }
                let data = FileManager.default.contents(atPath: "\(targetFolder)/\(name)") ?? Data()
                try attempt(point, data, of: target, faultRun)
            }
        }
        faultRun.note("\(FuzzTarget.all.count) targets")
    }

    private static func attempt(
        _ point: String,
        _ data: Data,
        of target: FuzzTarget,
        _ faultRun: FaultRun
    ) throws {
        faultRun.begin(point)
        let use = ProcessUse()
        var problems: [String] = []
        do {
            try target.run(FuzzInput(data))
        } catch {
            problems.append("\(error)")
        }
        problems += use.leaks()
        if !problems.isEmpty {
            faultRun.fail(point, problems)
        }
    }
}

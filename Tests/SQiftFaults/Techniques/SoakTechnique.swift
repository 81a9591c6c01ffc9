import Foundation
import SQift

/// Everything at once for some time: transfers between accounts, whose sum never changes.
enum SoakTechnique: Technique {
    static let name = "soak"
    static let summary = "everything at once, in one and in three processes, for --seconds"

    static func run(_ faultRun: FaultRun) throws {
        let seconds = max(faultRun.options.seconds / 2, 1)
        for processCount in [1, 3]
        where faultRun.options.point ?? "\(processCount)" == "\(processCount)" {
            let folder = "\(faultRun.folder)/\(processCount)"
            try makeEmptyFolder(folder)
            try Soak.makeAccounts(in: folder)
            let point = "\(processCount)"
            faultRun.begin(point)
            do {
                let reports =
                    processCount == 1
                    ? [try soak(in: folder, seconds: seconds, faultRun)]
                    : try soak(in: folder, seconds: seconds, processCount: processCount, faultRun)
                let total = reports.reduce(SoakReport()) { $0 + $1 }
                try Soak.checkEnd(in: folder, writeCount: total.writeCount)
                let problems = total.problems + total.idleRoles
                faultRun.addTried(total.count)
                faultRun.note("\(processCount): \(total.summary)")
                if !problems.isEmpty {
                    faultRun.fail(point, problems)
                }
            } catch {
                faultRun.fail(point, ["\(error)"])
            }
        }
    }

    private static func soak(
        in folder: String,
        seconds: Double,
        _ faultRun: FaultRun
    ) throws -> SoakReport {
        let use = ProcessUse()
        var report = try Soak(folder: folder, name: "0", seed: faultRun.options.seed).run(
            seconds: seconds
        ) { faultRun.showProgress("1") }
        report.problems += use.leaks()
        return report
    }

    private static func soak(
        in folder: String,
        seconds: Double,
        processCount: Int,
        _ faultRun: FaultRun
    ) throws -> [SoakReport] {
        let children = try (0..<processCount).map { _ in
            try ChildProcess(
                WorkerTask.arguments("soak", in: folder, number: Int(seconds.rounded(.up)))
            )
        }
        return children.map { child in
            var report = SoakReport()
            while let line = child.readLine() {
                faultRun.showProgress("\(processCount)")
                report = SoakReport(line) ?? report
            }
            if !child.hasEndedWell() {
                report.problems.append("a process ended badly")
            }
            return report
        }
    }
}

/// What a process of several does. It says a line a second, and its report at last.
func soakInThisProcess(folder: String, seconds: Double) throws {
    let name = "\(getpid())"
    let soak = try Soak(folder: folder, name: name, seed: UInt64(getpid()))
    let report = try soak.run(seconds: seconds) { say("still there") }
    say(report.line)
}

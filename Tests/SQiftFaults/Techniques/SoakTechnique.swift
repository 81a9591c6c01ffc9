import Foundation
import SQift

/// Everything at once for some time: transfers between accounts, whose sum never changes.
enum SoakTechnique: Technique {
    static let name = "soak"
    static let summary = "everything at once, in one and in three processes, for --seconds"

    static func run(_ session: Session) throws {
        let seconds = max(session.options.seconds / 2, 1)
        for processCount in [1, 3]
        where session.options.point ?? "\(processCount)" == "\(processCount)" {
            let folder = "\(session.folder)/\(processCount)"
            try makeEmptyFolder(folder)
            try Soak.makeAccounts(in: folder)
            let point = "\(processCount)"
            session.begin(point)
            do {
                let reports =
                    processCount == 1
                    ? [try soak(in: folder, seconds: seconds, session)]
                    : try soak(in: folder, seconds: seconds, processCount: processCount, session)
                let total = reports.reduce(SoakReport()) { $0 + $1 }
                try Soak.checkEnd(in: folder, writeCount: total.writeCount)
                let problems = total.problems + total.idleRoles
                session.addTried(total.count)
                session.note("\(processCount): \(total.summary)")
                if !problems.isEmpty {
                    session.fail(point, problems)
                }
            } catch {
                session.fail(point, ["\(error)"])
            }
        }
    }

    private static func soak(
        in folder: String,
        seconds: Double,
        _ session: Session
    ) throws -> SoakReport {
        let use = ProcessUse()
        var report = try Soak(folder: folder, name: "0", seed: session.options.seed).run(
            seconds: seconds
        ) { session.showProgress("1") }
        report.problems += use.leaks()
        return report
    }

    private static func soak(
        in folder: String,
        seconds: Double,
        processCount: Int,
        _ session: Session
    ) throws -> [SoakReport] {
        let children = try (0..<processCount).map { _ in
            try ChildProcess(
                WorkerTask.arguments("soak", in: folder, number: Int(seconds.rounded(.up)))
            )
        }
        return children.map { child in
            var report = SoakReport()
            while let line = child.readLine() {
                session.showProgress("\(processCount)")
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

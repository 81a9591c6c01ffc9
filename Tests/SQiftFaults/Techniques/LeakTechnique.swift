import CSQiftFaults
import Foundation
import SQift

/// What was opened is closed: after each scenario, and after thousands of rounds with errors.
enum LeakTechnique: Technique {
    static let name = "leaks"
    static let summary = "memory, descriptors, threads and objects after rounds of use and errors"

    static func run(_ faultRun: FaultRun) throws {
        // Nothing, except where SQLite itself keeps something as soon as a connection was opened.
        try Connection().close()
        let atRest = sqlite3MemoryInUse()
        try repeatScenarios(faultRun)
        try repeatRounds(faultRun, atRest: atRest)
    }

    /// Each scenario is run some times, and leaves nothing.
    private static func repeatScenarios(_ faultRun: FaultRun) throws {
        let threads = countThreads()
        for scenario in Scenario.all where faultRun.options.point ?? scenario.name == scenario.name
        {
            let trial = try Trial(scenario, in: faultRun.folder)
            for _ in 0..<(faultRun.options.isLong ? 20 : 2) {
                faultRun.begin(scenario.name)
                let nothing = FaultKind(name: "nothing", bits: 0)
                let problems = try trial.attempt([Fault(nothing, call: 0)]).problems
                if !problems.isEmpty {
                    faultRun.fail(scenario.name, problems)
                }
            }
        }
        // Threads without work end after some seconds.
        let limit = Date() + 30
        while countThreads() > threads + 2, Date() < limit {
            faultRun.showProgress("waiting for threads to end")
            usleep(100_000)
        }
        if countThreads() > threads + 2 {
            faultRun.fail("threads", ["\(countThreads()) instead of \(threads)"])
        }
    }

    /// Rounds of open, use, fail and close: the heap doesn't grow.
    private static func repeatRounds(_ faultRun: FaultRun, atRest: Int64) throws {
        guard faultRun.options.point ?? "rounds" == "rounds" else { return }
        let count = faultRun.options.isLong ? 10_000 : 600
        let folder = faultRun.folder + "/rounds"
        try makeEmptyFolder(folder)
        func repeatRound(_ count: Int) throws {
            for number in 0..<count {
                faultRun.begin("rounds")
                let round = LeakRound(folder: folder)
                try round.run()
                let living = round.living
                if !living.isEmpty {
                    faultRun.fail("rounds", ["round \(number): still alive: \(living)"])
                }
            }
        }
        // What is made once in a process, such as Swift's tables of types, is there after these.
        try repeatRound(200)
        let use = ProcessUse()
        let heap = sqift_faults_heap()
        try repeatRound(count)
        let growth = sqift_faults_heap() - heap
        faultRun.note("heap grew by \(growth) bytes in \(count) rounds")
        var problems = use.leaks()
        // The allocator's own lists and Swift's tables of types grow by some kilobytes at times.
        if growth > 16_384 {
            problems.append("the heap grew by \(growth) bytes in \(count) rounds")
        }
        if sqlite3MemoryInUse() != atRest {
            problems.append("SQLite holds \(sqlite3MemoryInUse()) bytes instead of \(atRest)")
        }
        if !problems.isEmpty {
            faultRun.fail("rounds", problems)
        }
    }
}

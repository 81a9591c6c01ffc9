import Foundation
import SQift

/// A scenario that is ready to be run under faults, with the states that may be found afterwards.
final class Trial {
    let scenario: Scenario
    private let template: String
    private let folder: String
    /// The first is the state before, the last the one after.
    private var states: [FolderState] = []
    /// The files after a run without a fault.
    private var filesAfter: [String] = []

    /// What a run came to.
    struct Outcome {
        var calls = 0
        var failures = 0
        var error: (any Error)?
        var problems: [String] = []
    }

    init(_ scenario: Scenario, in parent: String) throws {
        self.scenario = scenario
        template = parent + "/template"
        folder = Self.folder(in: parent)
        try makeEmptyFolder(template)
        try Self.run(scenario.prepare, in: Workplace(folder: template))
        states = [try FolderState(of: template, keys: scenario.keys)]
        for stage in scenario.stages + [scenario.run] {
            try beginAnew()
            try Self.run(stage, in: Workplace(folder: folder))
            states.append(try FolderState(of: folder, keys: scenario.keys))
        }
        filesAfter = try scenario.filesLeft(in: folder)
    }

    /// Where the scenario works.
    static func folder(in parent: String) -> String { parent + "/work" }

    /// Runs something without a fault, and closes what it opened.
    static func run(_ body: (Workplace) throws -> Void, in work: Workplace) throws {
        do {
            try body(work)
        } catch {
            _ = work.closeEverything()
            throw error
        }
        let problems = work.closeEverything()
        try expect(problems.isEmpty, problems.joined(separator: "; "))
    }

    private func beginAnew() throws {
        try copyFolder(template, to: folder)
    }

    // MARK: Faults

    /// How many calls of this kind a run makes.
    func countCalls(of kind: FaultKind) throws -> Int {
        let outcome = try attempt([Fault(kind, call: .max)])
        try expect(outcome.problems.isEmpty, "\(scenario.name): \(outcome.problems)")
        return outcome.calls
    }

    /// Runs the scenario once for each fault, each on what the one before has left, and checks what
    /// is left in the end.
    func attempt(_ faults: [Fault]) throws -> Outcome {
        try beginAnew()
        let use = ProcessUse()
        var outcome = Outcome()
        var isPromised = false
        for (index, fault) in faults.enumerated() {
            let isLast = index == faults.count - 1
            isPromised = run(under: fault, isLast: isLast, outcome: &outcome) || isPromised
        }
        outcome.problems += checkState(isPromised: isPromised)
        if let error = outcome.error, !scenario.keys.isEmpty {
            outcome.problems += checkKey(namedBy: error)
        }
        outcome.problems += runAgain()
        outcome.problems += use.leaks()
        return outcome
    }

    /// Returns whether the operation has told its caller that the work is done.
    private func run(under fault: Fault, isLast: Bool, outcome: inout Outcome) -> Bool {
        let work = Workplace(folder: folder, interruption: fault.kind.action.map(Interruption.init))
        outcome.error = nil
        fault.begin()
        do {
            try scenario.run(work)
            work.promise()
        } catch {
            outcome.error = error
            if error is Broken {
                outcome.problems.append("wrong result: \(error)")
            }
        }
        if !isLast {
            // As if the process ended: nothing is put in order any more.
            _ = work.closeEverything()
        }
        let counts = Fault.end()
        outcome.calls = counts.calls
        outcome.failures = counts.failures
        if let error = outcome.error, counts.failures == 0, isLast {
            outcome.problems.append("failed without a fault: \(error)")
        }
        if isLast {
            outcome.problems += work.useEverything()
            outcome.problems += checkLocks()
        }
        outcome.problems += work.closeEverything()
        return work.isPromised
    }

    // MARK: Checks

    /// Nobody else finds a lock.
    private func checkLocks() -> [String] {
        guard let names = try? fileNames(in: folder) else { return ["the folder is gone"] }
        return names.filter { $0.hasSuffix(".db") && $0.first != "." }.compactMap(checkLock)
    }

    private func checkLock(of name: String) -> String? {
        for key in scenario.keys.isEmpty ? [nil] : scenario.keys {
            var configuration = Connection.Configuration()
            configuration.key = key
            do {
                let path = "\(folder)/\(name)"
                let connection = try Connection(path: path, configuration: configuration)
                try connection.execute("BEGIN IMMEDIATE; ROLLBACK")
                try connection.close()
            } catch let error as SQLiteError where .busy ~= error.extendedResultCode {
                return "\(name) is left locked: \(error)"
            } catch {
                // It has another key, or the check of the state finds it unreadable.
            }
        }
        return nil
    }

    private func checkState(isPromised: Bool) -> [String] {
        do {
            let state = try FolderState(of: folder, keys: scenario.keys)
            guard let after = states.last, let before = states.first else { return [] }
            let mayBeMixed = scenario.traits.contains(.writesSeveralFiles)
            if isPromised, state != after {
                return ["done, but not there: \(state.difference(from: after))"]
            }
            if !states.contains(state), !(mayBeMixed && state.isMixture(of: states)) {
                return ["neither before nor after: \(state.difference(from: before))"]
            }
            return []
        } catch {
            return ["the state can't be read: \(error)"]
        }
    }

    /// The key that an error names is the one that opens the file.
    private func checkKey(namedBy error: any Error) -> [String] {
        let text = "\(error)"
        let named = [
            ("; the file still has ", states.first), ("; the file has the new key", states.last),
            ("; the file has no key", states.last),
        ]
        let state = try? FolderState(of: folder, keys: scenario.keys)
        return named.filter { text.contains($0.0) && $0.1 != state }.map { claim, _ in
            "it hasn't the key that the error names (\(claim))"
        }
    }

    /// The next run does the whole work, and leaves only what it leaves always.
    private func runAgain() -> [String] {
        do {
            try Self.run(scenario.run, in: Workplace(folder: folder))
            var problems = checkState(isPromised: true).map { "the next run: \($0)" }
            let files = try scenario.filesLeft(in: folder)
            if files != filesAfter {
                problems.append("the next run left \(files), not \(filesAfter)")
            }
            return problems
        } catch {
            return ["the next run: \(error)"]
        }
    }
}

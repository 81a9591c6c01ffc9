import CSQiftFaults

/// A scenario that is recorded, with the states in which its databases may be found.
final class PowerTrial {
    /// What is found on a disk.
    private enum Finding {
        /// A state, by its index.
        case state(Int)
        case broken(String)

        var isBroken: Bool {
            if case .broken = self { true } else { false }
        }
    }

    let recording: Recording
    private let scenario: Scenario
    private let loss: PowerScenario.Loss
    private let folder: String
    private let expected: ExpectedStates
    /// The files after a run.
    private let filesAfter: [String]
    /// What is known of the disks, which are often the same, by their fingerprints.
    private var findings: [Int: Finding] = [:]

    /// How many different disks there were.
    var imageCount: Int { findings.count }

    init(_ powerScenario: PowerScenario, in parent: String) throws {
        let scenario = powerScenario.scenario
        self.scenario = scenario
        loss = powerScenario.loss
        let template = parent + "/template"
        let folder = parent + "/disk"
        self.folder = folder
        try makeEmptyFolder(template)
        try Trial.run(scenario.prepare, in: Workplace(folder: template))
        expected = try ExpectedStates(of: scenario, template: template, folder: folder)
        filesAfter = try scenario.filesLeft(in: folder)

        // To see the states, the databases had to be opened. This run is alone.
        try copyFolder(template, to: folder)
        recording = try Recording(of: folder) {
            try scenario.runWithPromise(in: folder, onPromise: sqift_faults_record_promise)
        }
    }

    // MARK: Checks

    /// What is wrong with a disk if the power failed after so many changes.
    func problem(of image: DiskImage, afterChanges count: Int) throws -> String? {
        let promiseCount = recording.changes.prefix(count).count { $0.isPromise }
        switch try finding(of: image) {
        case .broken(let problem):
            return problem
        case .state(let index):
            return expected.problem(of: index, promiseCount: promiseCount, loss: loss)
        }
    }

    private func finding(of image: DiskImage) throws -> Finding {
        let fingerprint = image.fingerprint
        if let known = findings[fingerprint] {
            return known
        }
        try image.write(to: folder)
        var finding = readState()
        // A disk on which nothing was synced isn't expected to be usable.
        if !finding.isBroken, loss != .anything, let problem = try runAgain(on: image) {
            finding = .broken("the next run: \(problem)")
        }
        findings[fingerprint] = finding
        return finding
    }

    private func readState() -> Finding {
        do {
            let state = try FolderState(of: folder, keys: scenario.keys)
            let states = expected.states
            if let index = states.lastIndex(of: state) {
                return .state(index)
            }
            return .broken("no known state: \(state.difference(from: states[0]))")
        } catch {
            return .broken("\(error)")
        }
    }

    /// The next run does the whole work on the disk as it was found, and leaves nothing else.
    private func runAgain(on image: DiskImage) throws -> String? {
        try image.write(to: folder)
        do {
            try Trial.run(scenario.run, in: Workplace(folder: folder))
            let files = try scenario.filesLeft(in: folder)
            if files != filesAfter {
                return "it left \(files), not \(filesAfter)"
            }
        } catch {
            return "\(error)"
        }
        switch readState() {
        case .state(expected.states.count - 1): return nil
        case .state(let index): return "it came to state \(index)"
        case .broken(let problem): return problem
        }
    }
}

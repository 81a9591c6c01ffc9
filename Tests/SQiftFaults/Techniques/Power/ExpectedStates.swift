/// The states in which the databases of a scenario may be found, in their order, and which of them
/// were promised when.
struct ExpectedStates {
    /// The first is the one before. Then come the stages, and the promised ones.
    private(set) var states: [FolderState] = []
    /// The index of the state that was there at each promise; the first is before any.
    private var promised = [0]

    /// Runs a scenario, and looks at each state.
    ///
    /// - Parameters:
    ///   - template: A folder with what the scenario begins with.
    ///   - folder: A folder to work in, which is left as it is after the scenario.
    init(of scenario: Scenario, template: String, folder: String) throws {
        let keys = scenario.keys
        // Looking at a state takes in what a killed process has left, so the template stays unseen.
        for stage in [{ _ in }] + scenario.stages {
            try copyFolder(template, to: folder)
            try Trial.run(stage, in: Workplace(folder: folder))
            states.append(try FolderState(of: folder, keys: keys))
        }

        try copyFolder(template, to: folder)
        var results: [Result<FolderState, any Error>] = []
        try scenario.runWithPromise(in: folder) {
            results.append(Result { try FolderState(of: folder, keys: keys) })
        }
        for result in results {
            let state = try result.get()
            if state != states.last {
                states.append(state)
            }
            promised.append(states.count - 1)
        }
    }

    /// What is wrong with a state after so many promises, or nil.
    func problem(of index: Int, promiseCount: Int, loss: PowerScenario.Loss) -> String? {
        let last = promised[promiseCount]
        let required =
            switch loss {
            case .nothing, .anything: last
            case .lastCommit: last - 1
            case .commits: 0
            }
        if index < required {
            return "state \(index) is left, but state \(last) was promised"
        }
        let next = promised[min(promiseCount + 1, promised.count - 1)]
        return index > next ? "state \(index) is there, before its work has begun" : nil
    }
}

extension Scenario {
    /// Runs it without a fault. It promises at its end if it didn't before.
    func runWithPromise(in folder: String, onPromise: @escaping () -> Void) throws {
        let work = Workplace(folder: folder, onPromise: onPromise)
        try Trial.run(run, in: work)
        if !work.isPromised {
            work.promise()
        }
    }
}

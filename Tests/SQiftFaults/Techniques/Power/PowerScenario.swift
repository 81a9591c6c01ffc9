/// A scenario in which the power fails, and what has to survive.
struct PowerScenario {
    /// What may be missing afterwards, of what the caller was told is done.
    enum Loss {
        case nothing
        /// The last commit: after it SQLite has removed the journal, and doesn't sync the folder.
        /// If the journal is there again, the commit is undone.
        /// https://sqlite.org/pragma.html#pragma_synchronous
        case lastCommit
        /// Commits, but each as a whole.
        case commits
        /// Everything. Nothing is synced, so something has to be found missing.
        case anything
    }

    let scenario: Scenario
    var loss = Loss.nothing

    var name: String { scenario.name }
}

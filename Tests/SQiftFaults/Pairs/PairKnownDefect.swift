/// What is wrong and known to be. It is counted, and fails no run, so that a run fails for what is
/// new. Whoever mends a defect removes it here.
struct PairKnownDefect {
    /// With one of these values.
    private let values: [PropertyValue]
    /// What the problem says.
    private let words: String
    /// What the result calls it.
    let summary: String

    private init<P: Property>(_ values: [P], _ words: String, _ summary: String) {
        self.values = values.map { PropertyValue($0) }
        self.words = words
        self.summary = summary
    }

    static func first(of problem: String, in combination: Combination) -> PairKnownDefect? {
        table.first { defect in
            problem.contains(defect.words) && defect.values.contains { combination.contains($0) }
        }
    }

    private static var table: [PairKnownDefect] {
        let listeners: [Listener] = [.changes, .values, .didCommit]
        let noFunction = "the check of a copy lacks the program's functions"
        let noPlace = "a restore with other pages needs a place for ATTACH"
        let stuck = "SQLite can't roll an interrupted change of an R-tree back"
        return [
            PairKnownDefect(listeners, "not an error", "a listener hides SQLite's message"),
            PairKnownDefect(
                [Listener.values],
                "it is suspended: resume() lets accesses begin again",
                "suspend() ends the loops over values"
            ),
            PairKnownDefect([Attachments.ten], "unknown function: twice()", noFunction),
            PairKnownDefect([Attachments.ten], "sequence: backwards", noFunction),
            PairKnownDefect([Location.namedMemory], "unknown function: twice()", noFunction),
            PairKnownDefect([Location.namedMemory], "sequence: backwards", noFunction),
            PairKnownDefect([Encryption.keyWithSettings], "unknown function: twice()", noFunction),
            PairKnownDefect([Encryption.keyWithSettings], "sequence: backwards", noFunction),
            PairKnownDefect(
                [Location.namedMemory],
                "threw Broken: no copy was made",
                "VACUUM INTO a file from named memory makes none"
            ),
            PairKnownDefect([Attachments.ten], "max 10, in: VACUUM", noPlace),
            PairKnownDefect([Attachments.forbidden], "max 0, in: VACUUM", noPlace),
            PairKnownDefect(
                [Handler.authorizerWithoutAttach],
                "authorization denied, in: VACUUM",
                noPlace
            ),
            PairKnownDefect(
                [Attachments.ten, .forbidden],
                "SQL logic error: it is still without a key",
                "the first key fails without a place for ATTACH, and isn't told why"
            ),
            PairKnownDefect(
                [Journal.persist],
                "plain bytes in files/main.db-journal",
                "the first key leaves plain pages in a journal that stays"
            ),
            PairKnownDefect([TableKind.rTree], "interrupted", stuck),
            PairKnownDefect([TableKind.rTree], "left behind: files/main.db-journal", stuck),
        ]
    }
}

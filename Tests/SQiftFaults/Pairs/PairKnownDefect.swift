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
        let stuck = "SQLite can't roll an interrupted change of an R-tree back"
        return [
            PairKnownDefect([TableKind.rTree], "interrupted", stuck),
            PairKnownDefect(
                [TableKind.fullText],
                "malformed inverted index for FTS5",
                "SQLite 3.44 to 3.46 checks an FTS5 table by what it has read of it before"
            ),
            PairKnownDefect(
                [Encryption.key, .keyWithSettings],
                "malformed, in: DROP TABLE main.\"t\"",
                "SQLite3 Multiple Ciphers reads a page with the old key in a WAL that is kept"
            ),
            PairKnownDefect([TableKind.rTree], "left behind: files/main.db-journal", stuck),
        ]
    }
}

/// Finds the rows that lost their parents in a migration: foreign keys aren't enforced while it
/// runs.
final class ForeignKeyAudit {
    /// The violations at one moment. There may be hundreds of thousands: only some are kept whole.
    private struct Census {
        var count = 0
        /// The first hundred.
        var examples: [Connection.ForeignKeyViolation] = []
        /// How often each violation is there, by its hash. It can be there several times, for
        /// example in a table without rowids.
        var occurrences: [Int: Int] = [:]

        /// - Returns: How often it is there now.
        mutating func add(_ violation: Connection.ForeignKeyViolation) -> Int {
            count += 1
            if examples.count < 100 {
                examples.append(violation)
            }
            let hash = violation.hashValue
            occurrences[hash, default: 0] += 1
            return occurrences[hash] ?? 0
        }

        func occurrences(of violation: Connection.ForeignKeyViolation) -> Int {
            occurrences[violation.hashValue] ?? 0
        }
    }

    private let connection: Connection
    /// The violations when they were last looked for.
    private var last = Census()
    /// Whether the violations are those of now. They aren't before the first look, after a
    /// migration that isn't checked, and where SQLite can't check the foreign keys.
    var isCurrent = false

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// How many violations there were at the last look.
    var violationCount: Int { last.count }

    /// The first hundred of them, in the order of their descriptions.
    var violations: [Connection.ForeignKeyViolation] {
        last.examples.sorted { $0.description < $1.description }
    }

    /// Looks for the violations before a migration that is checked.
    func begin() throws {
        guard !isCurrent else { return }
        do {
            var now = Census()
            try connection.forEachForeignKeyViolation(database: "main") { violation in
                _ = now.add(violation)
            }
            last = now
            isCurrent = true
        } catch let error as SQLiteError
            where error.resultCode == .error
        {
            // A foreign key refers to columns that aren't a key of the parent. SQLite can't check
            // any foreign key then.
        }
    }

    /// Throws if a migration has left violations that weren't there before.
    ///
    /// - Parameter hasNewSchema: Whether the migration has changed the schema. The old violations
    ///   may then look new, since tables and columns can be renamed and rows numbered again. It
    ///   then passes if there aren't more violations than before.
    func check(after migration: Migration, hasNewSchema: Bool) throws {
        guard isCurrent else { return }
        var now = Census()
        var newCount = 0
        var newExamples: Set<String> = []
        try connection.forEachForeignKeyViolation(database: "main") { violation in
            // Each old occurrence explains one of those that are there now.
            guard now.add(violation) > last.occurrences(of: violation) else { return }
            newCount += 1
            if newExamples.count < 10 {
                newExamples.insert(violation.description)
            }
        }

        let isExplained = newCount == 0 || hasNewSchema && now.count <= last.count
        guard isExplained else {
            var list = newExamples.sorted().joined(separator: "; ")
            if newCount > newExamples.count {
                list += "; and \(newCount - newExamples.count) more"
            }
            throw migration.error(
                .foreignKeyViolations,
                "migration \(migration.name) leaves rows without parents: \(list)"
            )
        }
        last = now
    }
}

/// Finds the rows that lost their parents in a migration: foreign keys aren't enforced while it
/// runs.
final class ForeignKeyAudit {
    private typealias Counts = [Connection.ForeignKeyViolation: Int]

    private let connection: Connection
    /// How often each violation occurred when they were last counted.
    private var counts: Counts = [:]
    /// Whether the counts are those of now. They aren't before the first count, after a migration
    /// that isn't checked, and where SQLite can't check the foreign keys.
    var isCurrent = false

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// The violations when they were last counted.
    var violations: [Connection.ForeignKeyViolation] {
        counts.flatMap { Array(repeating: $0.key, count: $0.value) }
            .sorted { $0.description < $1.description }
    }

    /// Counts the violations before a migration that is checked.
    func begin() throws {
        guard !isCurrent else { return }
        do {
            counts = try currentCounts()
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
    ///   may then look new, since tables and columns can be renamed and rows numbered again. So it
    ///   passes if there aren't more violations than before.
    func check(after migration: String, hasNewSchema: Bool) throws {
        guard isCurrent else { return }
        let now = try currentCounts()
        let new = now.filter { $0.value > counts[$0.key] ?? 0 }.keys.map(\.description).sorted()
        let areNotMore = now.values.reduce(0, +) <= counts.values.reduce(0, +)
        guard new.isEmpty || (hasNewSchema && areNotMore) else {
            var list = new.prefix(10).joined(separator: "; ")
            if new.count > 10 {
                list += "; and \(new.count - 10) more"
            }
            throw MigratorError(
                .foreignKeyViolations,
                "migration \(migration) leaves rows without parents: \(list)",
                migration: migration
            )
        }
        counts = now
    }

    private func currentCounts() throws -> Counts {
        try connection.foreignKeyViolations(database: "main").reduce(into: [:]) {
            $0[$1, default: 0] += 1
        }
    }
}

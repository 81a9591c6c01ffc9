/// Finds the rows that lost their parents in a migration: foreign keys aren't enforced while it
/// runs.
final class ForeignKeyAudit {
    private let connection: Connection
    /// The violations when they were last looked for.
    private(set) var violations: [Connection.ForeignKeyViolation] = []
    /// Whether the violations are those of now. They aren't before the first look, after a
    /// migration that isn't checked, and where SQLite can't check the foreign keys.
    var isCurrent = false

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Looks for the violations before a migration that is checked.
    func begin() throws {
        guard !isCurrent else { return }
        do {
            violations = try connection.foreignKeyViolations(database: "main")
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
        let now = try connection.foreignKeyViolations(database: "main")
        // A violation can occur several times, for example in a table without rowids. Each old
        // occurrence explains one of those that are there now.
        var known: [Connection.ForeignKeyViolation: Int] = [:]
        for violation in violations {
            known[violation, default: 0] += 1
        }
        var unexplained: Set<Connection.ForeignKeyViolation> = []
        for violation in now {
            if let count = known[violation], count > 0 {
                known[violation] = count - 1
            } else {
                unexplained.insert(violation)
            }
        }

        let new = unexplained.map(\.description).sorted()
        guard new.isEmpty || (hasNewSchema && now.count <= violations.count) else {
            var list = new.prefix(10).joined(separator: "; ")
            if new.count > 10 {
                list += "; and \(new.count - 10) more"
            }
            throw migration.error(
                .foreignKeyViolations,
                "migration \(migration.name) leaves rows without parents: \(list)"
            )
        }
        violations = now
    }
}

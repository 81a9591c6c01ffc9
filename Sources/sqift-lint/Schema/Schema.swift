/// A schema that statements are compiled against.
final class Schema {
    let database: ScratchDatabase
    /// Where its list of migrations begins, if it is in a Swift file.
    let start: Cursor?
    /// Whether a part of it isn't known.
    var isPartial: Bool
    /// The tables that something else makes or changes too: computed SQL, or code outside the
    /// migrations.
    var openTables: Set<String>
    /// The tables that the migrations make at any time.
    let definedTables: Set<String>
    /// The tables that only other code makes.
    private let otherTables: Set<String>
    let registered: RegisteredNames
    var messages: [Message] = []
    lazy var views = Set(
        database.texts("SELECT lower(name) FROM sqlite_schema WHERE type = 'view'")
    )

    init(_ list: MigrationList, _ registered: RegisteredNames) {
        self.registered = registered
        database = ScratchDatabase(registered)
        isPartial = list.isPartial
        start = list.start
        definedTables = Set(list.steps.compactMap(\.sql).flatMap(\.words.madeNames))
        openTables = registered.openTables
        otherTables = registered.tables.subtracting(definedTables)
        // SQift's own tables.
        try? database.execute(
            "CREATE TABLE sqift_migrations(name TEXT NOT NULL UNIQUE, checksum TEXT, "
                + "timestamp TEXT NOT NULL); CREATE TABLE schema_migrations("
                + "version INTEGER UNIQUE NOT NULL, migration_timestamp TEXT NOT NULL); ANALYZE"
        )
        list.steps.forEach(apply)
    }

    // MARK: Migrations

    private func apply(_ step: MigrationStep) {
        guard let sql = step.sql else {
            if let table = step.table {
                openTables.insert(table.lowercased())
            } else {
                isPartial = true
            }
            return
        }
        messages += warning(about: sql)
        let words = sql.words
        // A table that wasn't made again has other columns.
        if !step.isCertain, words.contains(anyOf: "drop", "rename") {
            openTables.formUnion(words.compactMap(\.name))
        }
        do throws(SQLFailure) {
            if let table = step.table {
                try rebuild(table, sql.bytes)
            } else {
                var end = 0
                while let statement = try database.compile(sql.bytes[end...]) {
                    end = statement.sql.endIndex
                    try database.runDefinition(statement)
                }
            }
        } catch {
            // Another list may make the table.
            let isForeign = error.kind == .table && otherTables.contains(error.name)
            if error.kind == .syntax ? !step.isCall : step.isCertain && !isPartial && !isForeign {
                messages.append(message(about: error, in: sql, of: step.name))
            }
            // One failure is enough: those that follow would be its consequences.
            isPartial = true
        }
    }

    /// Replaces a table's definition, as SQift's `rebuildTable` does.
    private func rebuild(_ table: String, _ columns: [UInt8]) throws(SQLFailure) {
        // SQLite makes those without SQL again by itself.
        let dependents = database.texts(
            "SELECT sql || ';' FROM sqlite_schema WHERE sql NOTNULL "
                + "AND type IN ('index', 'trigger') AND tbl_name = '\(table)' COLLATE NOCASE"
        )
        // If the columns are wrong, the table stays as it is.
        let test = "CREATE TABLE sqift_rebuilt(\(columns.text)\n); DROP TABLE sqift_rebuilt;"
        let change = "DROP TABLE \"\(table)\"; CREATE TABLE \"\(table)\"(\(columns.text)\n);"
        try database.execute(test + change + dependents.joined(), for: columns[...])
    }

    // MARK: Failures

    /// What isn't known and may be why a statement doesn't compile.
    func doubt(about failure: SQLFailure, in words: [SQLWord]) -> String? {
        let name = failure.name
        if registered.functions[""] != nil || registered.collations.contains(""),
            [.function, .arguments, .collation].contains(failure.kind)
        {
            return "functions that aren't known"
        }
        switch failure.kind {
        case .syntax, .module, .function, .arguments: return nil
        case .database where registered.attaches: return "an attached database"
        case _ where isPartial: return "a schema that isn't known whole"
        case .database, .collation: return nil
        // Some pragmas act while they are compiled, and not in a transaction.
        case .other where words.contains(anyOf: "pragma"): return "statements about the connection"
        case .table where registered.attaches && (name.contains(".") || failure.suggestion == nil):
            return "an attached database"
        case .table, .column, .other:
            let isMade =
                failure.kind == .table
                ? openTables.union(otherTables).contains { $0.mayBe(name.lastPart) }
                : isOpen(words)
            return isMade ? "a table that is made elsewhere" : nil
        }
    }

    /// Whether a script may be about a table that isn't known whole, and that it doesn't make.
    func isOpen(_ words: [SQLWord]) -> Bool {
        // Of a table that may exist, what the script says may not be in force.
        lazy var new = Set(
            words.statements
                .filter { !$0.contains(anyOf: "exists") }
                .flatMap(\.madeNames)
        ).subtracting(definedTables)
        lazy var names = Set(words.compactMap(\.name)).subtracting(new)
        return isPartial
            || openTables.contains {
                names.contains(where: $0.mayBe)
            }
    }

    /// A warning of the first thing that the oldest SQLite doesn't have.
    func warning(about sql: SQLText) -> [Message] {
        guard let oldest = registered.oldest else { return [] }
        return NewerFeature.all(in: sql.words, after: oldest, registered).prefix(1).map {
            Message(.warning, $0.description, at: sql.location(of: $0.start))
        }
    }

    /// What is said of a failure about which there is no doubt.
    func message(
        about failure: SQLFailure,
        in sql: SQLText,
        of migration: String? = nil
    ) -> Message {
        var severity = Message.Severity.error
        var text = migration.map { "migration \"\($0)\": " } ?? ""
        text += failure.message
        if let suggestion = failure.suggestion {
            text += "; did you mean \(suggestion)?"
        }
        let newer = NewerFeature.all(in: sql.words, after: ScratchDatabase.minor, registered).first
        {
            $0.isFunction == (failure.kind == .function)
        }
        if let newer {
            severity = .note
            text += "; \(newer.description)"
        } else if failure.kind == .table,
            failure.suggestion == nil,
            !definedTables.contains(failure.name)
        {
            severity = migration == nil ? .warning : .note
            text += "; no migration makes it"
        } else if failure.kind == .function, failure.suggestion?.count ?? 0 < 5 {
            // The app's SQLite may have it. Short names are near to many others.
            severity = .warning
        } else if failure.kind == .module {
            severity = .note
        }
        return Message(severity, text, at: sql.location(of: failure.position))
    }
}

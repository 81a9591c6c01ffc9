/// A schema that statements are compiled against.
final class Schema {
    let database: ScratchDatabase
    /// Where its list of migrations is written, if it is in a Swift file.
    let location: (source: Declarations, token: Int)?
    /// The tables that computed SQL changes.
    private(set) var openTables: Set<String> = []
    /// The tables that the migrations make, change or remove at any time.
    private(set) var definedTables: Set<String> = []
    private(set) var messages: [Message] = []

    init(_ list: MigrationList, _ registered: RegisteredNames) {
        database = ScratchDatabase(registered)
        database.isPartial = list.isPartial
        location = list.location
        // SQift's own tables.
        try? database.execute(
            """
            CREATE TABLE sqift_migrations(
                name TEXT NOT NULL PRIMARY KEY,
                checksum TEXT,
                timestamp TEXT NOT NULL
            );
            CREATE TABLE schema_migrations(
                version INTEGER UNIQUE NOT NULL,
                migration_timestamp TEXT NOT NULL
            )
            """
        )
        for sql in list.scripts {
            for statement in SQLWord.statements(sql.bytes) {
                if statement.verb == "create", let definition = statement.definition {
                    definedTables.insert(definition.name.text.lowercased())
                }
            }
        }
        for migration in list.migrations {
            for step in migration.steps {
                apply(step, of: migration.name)
            }
        }
    }

    /// A schema without tables that is known to nobody.
    init(unknownWith registered: RegisteredNames) {
        database = ScratchDatabase(registered)
        database.isPartial = true
        location = nil
    }

    private func apply(_ step: MigrationStep, of migration: String) {
        switch step {
        case .script(let sql, let isCertain):
            run(sql, of: migration, isCertain: isCertain)
        case .rebuild(let table, let columns): rebuild(table, columns, of: migration)
        case .changes(let table):
            if !table.isEmpty {
                openTables.insert(table)
            }
        case .call(let call):
            if !database.isPartial, let sql = call.sql, let failure = failure(of: sql.bytes) {
                report(failure, in: sql, of: migration, isCertain: true)
            }
        case .unknown: database.isPartial = true
        }
    }

    private func failure(of sql: [UInt8]) -> SQLFailure? {
        do {
            _ = try database.compile(sql)
            return nil
        } catch {
            return error
        }
    }

    /// Runs what defines something, and compiles the rest.
    private func run(_ sql: SQLText, of migration: String, isCertain: Bool) {
        var start = 0
        do throws(SQLFailure) {
            while let statement = try database.compile(sql.bytes, from: start) {
                let range = start..<statement.range.upperBound
                start = range.upperBound
                let words = SQLWord.words(sql.bytes, from: range.lowerBound, upTo: start)
                guard SQLWord.definitionVerbs.contains(words.verb) else { continue }
                let text = String(decoding: sql.bytes[range], as: UTF8.self)
                do throws(SQLFailure) {
                    try database.execute(text)
                } catch {
                    let position = words.first?.start ?? range.lowerBound
                    throw SQLFailure(message: error.message, position: position, isExact: false)
                }
            }
        } catch {
            report(error, in: sql, of: migration, isCertain: isCertain)
        }
    }

    /// Replaces a table's definition, as SQift's `rebuildTable` does.
    private func rebuild(_ table: String, _ columns: SQLText, of migration: String) {
        let name = table.quotedAsName
        let new = "sqift rebuilds \(table)".quotedAsName
        let isDependent = "tbl_name = \(table.quotedAsText) COLLATE NOCASE AND sql NOTNULL"
        let dependents = database.texts(
            "SELECT sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND \(isDependent)"
        )
        do throws(SQLFailure) {
            try database.execute("CREATE TABLE \(new)(\(columns.string)\n)")
            try database.execute("PRAGMA legacy_alter_table = ON; DROP TABLE \(name)")
            try database.execute("ALTER TABLE \(new) RENAME TO \(name)")
            for sql in dependents {
                try database.execute(sql)
            }
        } catch {
            report(error, in: columns, of: migration, isCertain: true)
        }
        try? database.execute("PRAGMA legacy_alter_table = OFF")
    }

    private func report(
        _ failure: SQLFailure,
        in sql: SQLText,
        of migration: String,
        isCertain: Bool
    ) {
        let wasPartial = database.isPartial
        // One failure is enough: those that follow would be its consequences.
        database.isPartial = true
        var severity = Message.Severity.error
        var text = failure.explained(by: database)
        switch failure.kind {
        case .syntax:
            if let feature = NewerFeature.first(in: sql.bytes, after: ScratchDatabase.version) {
                severity = .note
                text += "; \(feature.name) needs SQLite \(feature.versionText)"
            }
        case .table(let name):
            let isDefined = definedTables.contains(name.lowercased())
            if !isDefined, name.nearest(in: definedTables) == nil {
                severity = .note
                text += "; the migrations don't begin with an empty database"
            }
        case .module: severity = .note
        default: break
        }
        guard isCertain, !wasPartial || failure.isSyntax else { return }
        let place = sql.place(failure.start(in: sql.bytes))
        messages.append(Message(severity, "migration \"\(migration)\": \(text)", at: place))
    }
}

extension String {
    var quotedAsName: String { quoted("\"") }

    var quotedAsText: String { quoted("'") }

    private func quoted(_ quote: Character) -> String {
        let parts = split(separator: quote, omittingEmptySubsequences: false)
        return "\(quote)\(parts.joined(separator: "\(quote)\(quote)"))\(quote)"
    }
}

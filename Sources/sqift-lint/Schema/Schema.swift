/// A schema that statements are compiled against.
final class Schema {
    let database: ScratchDatabase
    /// Where its list of migrations begins, if it is in a Swift file.
    let start: Cursor?
    /// The tables that computed SQL changes.
    private(set) var openTables: Set<String> = []
    /// The tables that the migrations make, change or remove at any time.
    let definedTables: Set<String>
    private(set) var messages: [Message] = []

    init(_ list: MigrationList, _ registered: RegisteredNames) {
        database = ScratchDatabase(registered)
        database.isPartial = list.isPartial
        start = list.start
        definedTables = list.definedNames
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
        for migration in list.migrations {
            for step in migration.steps {
                apply(step, of: migration.name)
            }
        }
    }

    private func apply(_ step: MigrationStep, of migration: String) {
        var isCertain = true
        do throws(SQLFailure) {
            switch step {
            case .script(let sql, let isAlwaysRun):
                isCertain = isAlwaysRun
                try run(sql.bytes)
            case .rebuild(let table, let columns):
                try rebuild(table, columns.string)
            case .changes(let table): openTables.insert(table)
            case .call(let sql):
                if !database.isPartial {
                    _ = try database.compile(sql.bytes)
                }
            case .nothing: break
            case .unknown: database.isPartial = true
            }
        } catch {
            let isNew = !database.isPartial || error.kind == .syntax
            if let sql = step.sql, isCertain, isNew {
                report(error, in: sql, of: migration)
            }
            // One failure is enough: those that follow would be its consequences.
            database.isPartial = true
        }
    }

    /// Runs what defines something, and compiles the rest.
    private func run(_ sql: [UInt8]) throws(SQLFailure) {
        var start = 0
        while let statement = try database.compile(sql, from: start) {
            let range = start..<statement.range.upperBound
            start = range.upperBound
            let words = [SQLWord](sql, in: range)
            guard words.isDefinition else { continue }
            do throws(SQLFailure) {
                try database.execute(String(decoding: sql[range], as: UTF8.self))
            } catch {
                let position = words[0].range.lowerBound
                throw SQLFailure(message: error.message, position: position, isExact: false)
            }
        }
    }

    /// Replaces a table's definition, as SQift's `rebuildTable` does.
    private func rebuild(_ table: String, _ columns: String) throws(SQLFailure) {
        let name = table.quotedAsName
        let new = "sqift rebuilds \(table)".quotedAsName
        let isDependent = "tbl_name = \(table.quotedAsText) COLLATE NOCASE AND sql NOTNULL"
        let dependents = database.texts(
            "SELECT sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND \(isDependent)"
        )
        defer {
            try? database.execute("PRAGMA legacy_alter_table = OFF")
        }
        try database.execute("CREATE TABLE \(new)(\(columns)\n)")
        try database.execute("PRAGMA legacy_alter_table = ON; DROP TABLE \(name)")
        try database.execute("ALTER TABLE \(new) RENAME TO \(name)")
        for sql in dependents {
            try database.execute(sql)
        }
    }

    private func report(_ failure: SQLFailure, in sql: SQLText, of migration: String) {
        var severity = Message.Severity.error
        var text = failure.explained(by: database)
        let name = failure.name.lowercased()
        let newer = NewerFeature.first(
            in: [SQLWord](sql.bytes),
            after: ScratchDatabase.version,
            where: { !$0.isFunction }
        )
        switch failure.kind {
        case .syntax where newer != nil:
            severity = .note
            text += "; \(newer?.description ?? "")"
        case .table
        where !definedTables.contains(name)
            && name.nearest(in: definedTables) == nil:
            severity = .note
            text += "; the migrations don't begin with an empty database"
        case .module: severity = .note
        default: break
        }
        let location = sql.location(of: failure.start(in: sql.bytes))
        messages.append(Message(severity, "migration \"\(migration)\": \(text)", at: location))
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

/// A schema that statements are compiled against.
final class Schema {
    let database: ScratchDatabase
    /// Where its list of migrations begins, if it is in a Swift file.
    let start: Cursor?
    /// Why a part of it isn't known.
    private(set) var doubt: Doubt?
    /// Whether a migration doesn't apply to what the earlier ones have made.
    private(set) var hasFailed = false
    /// The tables that something else makes or changes too, in a way that isn't known.
    private(set) var openTables: [String: Doubt] = [:]
    /// The same for names of which a part is known only when the program runs.
    private var computedTables: [(name: String, doubt: Doubt)] = []
    /// The tables that have the columns of other code too, which may not be there.
    private var extendedTables: [String: Doubt] = [:]
    /// Those of them that other code defines too, maybe with other types.
    private var redefinedTables: Set<String> = []
    /// The columns that other code adds to the tables, maybe with other types.
    private var addedColumns: [String: Set<String>] = [:]
    /// The tables that the migrations make at any time.
    let definedTables: Set<String>
    /// The same with the names that tables are given later.
    let namedTables: Set<String>
    /// The tables that only other code makes.
    let otherTables: Set<String>
    private(set) var definitions = DefinitionCheck()
    let registered: RegisteredNames
    /// Why there may be other indexes and triggers.
    private(set) var otherDefinitions: Doubt?
    /// Why there may be other tables.
    private(set) var computedNames: Doubt?
    var messages: [Message] = []
    /// The names of the views, in lower case.
    lazy var views = Set(database.views.map(\.name))

    init(_ list: MigrationList, _ registered: RegisteredNames) {
        self.registered = registered
        database = ScratchDatabase(registered)
        doubt = list.doubt
        start = list.start
        definedTables = list.definedTables
        namedTables = definedTables.union(
            list.steps.compactMap(\.sql).flatMap(\.words.renamedNames)
        )
        otherTables = registered.tables.subtracting(definedTables)
        otherDefinitions = registered.otherDefinitions
        // SQift's own tables.
        try? database.execute(
            """
            CREATE TABLE sqift_migrations(
                name TEXT NOT NULL UNIQUE, checksum TEXT, timestamp TEXT NOT NULL
            );
            CREATE TABLE schema_migrations(
                version INTEGER UNIQUE NOT NULL, migration_timestamp TEXT NOT NULL
            );
            ANALYZE
            """
        )
        list.steps.forEach(apply)
        let tables = Set(database.tables)
        for change in registered.changes
        where !list.isSchemaFile
            || change.addsKnownColumns
        {
            apply(change, isKnown: tables.contains(change.table))
        }
        if doubt == nil, !hasFailed {
            checkDefinitions()
        }
    }

    // MARK: Migrations

    private func apply(_ step: MigrationStep) {
        if step.isOfIndexOrTrigger {
            doubtDefinitions(because: step)
            return
        }
        if step.makesUnknownTables {
            computedNames = Doubt("tables with computed names", "a migration", at: step.location)
            return
        }
        guard let sql = step.sql else {
            if let table = step.table?.lowercased() {
                open(table, because: step)
            } else if doubt == nil {
                doubt = Doubt("the schema isn't known whole", "a migration", at: step.location)
            }
            return
        }
        messages += warning(about: sql)
        if let table = step.table {
            do throws(SQLFailure) {
                try rebuild(table, sql.bytes)
                definitions.addReferences(sql.words, of: sql)
            } catch {
                judge(error, sql.words + [SQLWord](ArraySlice(table.utf8)), of: step, sql)
            }
            return
        }
        var rest = sql.bytes[...]
        while !rest.isEmpty {
            let start = rest
            let words = [SQLWord](start).firstStatement
            do throws(SQLFailure) {
                guard let statement = try database.compile(start) else { break }
                rest = sql.bytes[statement.sql.endIndex...]
                if words.contains(anyOf: "writable_schema") {
                    let cause = "PRAGMA writable_schema"
                    doubt = Doubt("the schema isn't known whole", cause, at: step.location)
                }
                // A table that wasn't made again has other columns.
                if !step.isCertain,
                    words.contains(anyOf: "drop", "rename")
                {
                    open(words, because: step)
                    if words.definesIndexOrTrigger {
                        doubtDefinitions(because: step)
                    }
                } else {
                    try database.runDefinition(statement)
                    let warning = definitions.add(words, of: sql, in: step.name)
                    messages += [warning].compactMap(\.self)
                }
            } catch {
                rest = start.afterFirstStatement
                judge(error, words, of: step, sql)
            }
        }
    }

    // MARK: Steps

    /// Replaces a table's definition, as SQift's `rebuildTable` does.
    private func rebuild(_ table: String, _ columns: [UInt8]) throws(SQLFailure) {
        // SQLite makes those without SQL again by itself.
        let dependents = database.texts(
            """
            SELECT sql || ';' FROM sqlite_schema
            WHERE sql NOTNULL
                AND type IN ('index', 'trigger')
                AND tbl_name = '\(table)' COLLATE NOCASE
            """
        )
        // If the columns are wrong, the table stays as it is.
        let test = "CREATE TABLE sqift_rebuilt(\(columns.text)\n); DROP TABLE sqift_rebuilt;"
        let change = "DROP TABLE \"\(table)\"; CREATE TABLE \"\(table)\"(\(columns.text)\n);"
        try database.execute(test + change + dependents.joined(), for: columns[...])
    }

    /// Reports the failure of a step, unless something that isn't known may be why. What depends on
    /// the step is in doubt afterwards: its failures would be consequences.
    private func judge(
        _ failure: SQLFailure,
        _ words: [SQLWord],
        of step: MigrationStep,
        _ sql: SQLText
    ) {
        hasFailed = hasFailed || step.isCertain
        // Another list may make the table.
        let isForeign =
            failure.kind == .table
            && otherTables.contains(failure.name)
        let isReported =
            failure.kind == .syntax
            ? !step.isCall || SQLWord.definitionVerbs.contains(words.verb)
            : step.isCertain
                && !isForeign
                && doubt == nil
                && (otherDefinitions == nil || !failure.mayBeOfIndexOrTrigger)
                && !isConsequence(failure, words)
        if isReported {
            messages.append(message(about: failure, in: sql, of: step.name))
        }
        if step.isCertain || !failure.isRepetition {
            open(words, because: step)
            if failure.kind == .table {
                open(failure.name.lastPart, because: step)
            }
        }
    }

    /// Whether a step that failed before may be why another one fails.
    private func isConsequence(_ failure: SQLFailure, _ words: [SQLWord]) -> Bool {
        failure.kind == .table
            ? openTables[failure.name.lastPart] != nil
            : first(openTables, in: words) != nil
    }

    /// Puts the tables of a statement in doubt, which may not have run.
    private func open(_ words: [SQLWord], because step: MigrationStep) {
        let tables = Set(database.tables + words.madeNames + words.renamedNames)
            .union(definedTables)
        for name in words.compactMap(\.name) where tables.contains(name) {
            open(name, because: step)
        }
    }

    private func open(_ table: String, because step: MigrationStep) {
        let doubt = Doubt("\(table) isn't known whole", "a migration", at: step.location)
        openTables[table] = openTables[table] ?? doubt
    }

    private func doubtDefinitions(because step: MigrationStep) {
        let doubt = Doubt("other indexes or triggers", "a migration", at: step.location)
        otherDefinitions = otherDefinitions ?? doubt
    }

    // MARK: Other changes

    /// Adds what code outside the migrations may add, and takes nothing away.
    private func apply(_ change: SchemaChange, isKnown: Bool) {
        let table = change.table
        switch change.effect {
        case _ where table.isComputed: computedTables.append((table, change.doubt))
        case _ where !isKnown: openTables[table] = change.doubt
        case .unknown: openTables[table] = change.doubt
        case .addsColumn(let column): add(column, to: table, change.doubt)
        case .definesTable: openTables[table] = change.doubt
        case .addsColumns(let columns):
            // It may have fewer, too.
            extendedTables[table] = change.doubt
            redefinedTables.insert(table)
            let known = Set(database.columns(of: table))
            for column in columns where !known.contains(column) {
                add(column.quoted, to: table, change.doubt)
            }
        }
    }

    private func add(_ column: String, to table: String, _ doubt: Doubt) {
        do throws(SQLFailure) {
            let old = Set(database.columns(of: table))
            try database.execute("ALTER TABLE \(table.quoted) ADD COLUMN \(column)")
            extendedTables[table] = doubt
            let new = database.columns(of: table).filter { !old.contains($0) }
            addedColumns[table, default: []].formUnion(new)
        } catch  where error.isRepetition {
            // It has the column already.
        } catch {
            openTables[table] = doubt
        }
    }

    // MARK: Failures

    /// What isn't known and may be why a statement doesn't compile.
    func doubt(about failure: SQLFailure, in words: [SQLWord]) -> Doubt? {
        let name = failure.name
        switch failure.kind {
        case .syntax, .module: return nil
        // The same name may be registered as an aggregate and as another function.
        case .statement:
            let isOwn = words.contains { registered.functions[$0.text] != nil }
            return isOwn
                ? Doubt("functions that are registered")
                : nil
        case .function, .arguments, .collation: return registered.unknownFunctions
        case .database: return registered.attachedDatabase ?? doubt
        // Some pragmas act while they are compiled, and not in a transaction.
        case .other where words.contains(anyOf: "pragma"):
            return Doubt("statements about the connection")
        case .table:
            if let doubt {
                return doubt
            }
            let isMade =
                openTables[name.lastPart] != nil
                || otherTables.contains { $0.mayBe(name.lastPart) }
            if isMade {
                return Doubt("a table that is made elsewhere")
            }
            // A trigger that isn't there any more may name it.
            if let otherDefinitions,
                !words.contains(where: { $0.name == name.lastPart })
            {
                return otherDefinitions
            }
            let others =
                computedNames
                ?? registered.attachedDatabase
                ?? registered.foreignMigrations
            return others.flatMap { attached in
                let isOfAnother =
                    name.contains(".")
                    || database.suggestion(for: failure) == nil
                return isOfAnother
                    ? attached
                    : nil
            }
        case .column: return columnsDoubt(of: words)
        // Outside of migrations, what is there was dropped before, or is in another database.
        case .other where failure.isRepetition: return Doubt("definitions outside of migrations")
        case .other
        where failure.mayBeOfIndexOrTrigger
            && otherDefinitions != nil:
            return otherDefinitions
        case .other: return columnsDoubt(of: words) ?? first(extendedTables, in: words)
        }
    }

    /// Why the tables of a script, which it doesn't make itself, may have other columns.
    func columnsDoubt(of words: [SQLWord]) -> Doubt? {
        let names = withViews(words).compactMap(\.name)
        return doubt
            ?? first(openTables, in: words)
            ?? computedTables.first { names.contains(where: $0.name.mayBe) }?.doubt
    }

    /// Whether other code may have given a column another type.
    func isRedefined(_ column: CompiledStatement.Column) -> Bool {
        let table = column.table.lowercased()
        return redefinedTables.contains(table)
            || addedColumns[table]?.contains(column.origin.lowercased()) == true
    }

    /// Why not all columns of a statement's tables are known.
    func allColumnsDoubt(of words: [SQLWord]) -> Doubt? {
        columnsDoubt(of: words) ?? first(extendedTables, in: words)
    }

    private func first(_ doubts: [String: Doubt], in words: [SQLWord]) -> Doubt? {
        // Of a table that may exist, what the script says may not be in force.
        let new = words.statements.filter { !$0.contains(anyOf: "exists") }
            .flatMap(\.madeNames)
        let words = withViews(words).compactMap(\.name)
        let names = Set(words).subtracting(Set(new).subtracting(definedTables))
        return words.lazy.filter(names.contains)
            .compactMap { doubts[$0] }
            .first
    }

    /// The words of a statement, and those of the views that it names.
    private func withViews(_ words: [SQLWord]) -> [SQLWord] {
        let isKnown =
            openTables.isEmpty
            && extendedTables.isEmpty
            && computedTables.isEmpty
        guard !isKnown else { return words }
        var result = words
        var waiting = database.views
        while let index = waiting.firstIndex(where: { view in
            result.contains { $0.name == view.name }
        }) {
            result += waiting.remove(at: index).words
        }
        return result
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
        var text = migration.map { "migration \"\($0)\": " } ?? ""
        text += failure.message
        let location = sql.location(of: failure.position)
        if let newer = NewerFeature.cause(of: failure, in: sql.words, registered) {
            return Message(.note, "\(text); \(newer.description)", at: location)
        }
        let suggestion = database.suggestion(for: failure)
        if let suggestion {
            text += "; did you mean \(suggestion)?"
        }
        var severity = Message.Severity.error
        switch failure.kind {
        case .table
        where suggestion == nil
            && !definedTables.contains(failure.name):
            // A table with arguments is a module's, which may come with the app.
            let isFunction = sql.words.callsFunction(named: failure.name)
            severity =
                migration == nil
                    && !isFunction
                ? .warning
                : .note
            text += "; no migration makes it"
        // The app's SQLite, or another library, may have it.
        case .function, .collation:
            severity =
                suggestion == nil
                ? .note
                : .warning
        case .module: severity = .note
        default: break
        }
        return Message(severity, text, at: location)
    }
}

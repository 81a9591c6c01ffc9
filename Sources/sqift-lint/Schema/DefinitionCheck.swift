/// Finds what is wrong with definitions that SQLite looks into only when they are used: views,
/// triggers, and references to tables.
struct DefinitionCheck {
    /// A view, or a table with triggers, that can't be used.
    struct Failure {
        let name: String
        let isOfTrigger: Bool
        /// Those of its definition.
        let words: [SQLWord]
        let failure: SQLFailure
        let location: Location
    }

    /// Where the tables and views are made, or where the last trigger of a table is.
    private var definitions: [String: Location] = [:]
    /// Where the tables are named that others refer to.
    private var references: [String: Location] = [:]
    /// The tables in which a migration has no rows.
    private var emptyTables: Set<String> = []
    private var migration = ""

    // MARK: Definitions

    /// Keeps where a statement of a migration defines something. Returns a warning of a column that
    /// can't be added to a row.
    mutating func add(_ words: [SQLWord], of sql: SQLText, in migration: String) -> Message? {
        let location = sql.location(of: words.first?.start ?? 0)
        for name in words.madeNames {
            definitions[name] = location
        }
        if let table = words.tableOfTrigger {
            definitions[table] = location
        }
        addReferences(words, of: sql)

        if migration != self.migration {
            self.migration = migration
            emptyTables = []
        }
        emptyTables.formUnion(words.madeNames)
        if words.verb == "delete",
            let table = words.first(after: "from")?.name
        {
            emptyTables.insert(table)
        }
        guard words.addsNeededColumn,
            !emptyTables.contains(words.definition?.table ?? "")
        else { return nil }
        let text = "a table with rows refuses a column that is NOT NULL without a default"
        return Message(.warning, text, at: location)
    }

    /// Keeps where the columns of a table refer to others.
    mutating func addReferences(_ words: [SQLWord], of sql: SQLText) {
        for (keyword, parent) in zip(words, words.dropFirst()) where keyword.text == "references" {
            references[parent.name ?? ""] = sql.location(of: parent.start)
        }
    }

    // MARK: Uses

    /// Compiles a use of each view, and what calls each trigger.
    func failures(in database: ScratchDatabase) -> [Failure] {
        var result: [Failure?] = []
        for (name, words) in database.views {
            let use = "SELECT * FROM \(name.quoted)"
            result.append(failure(of: name, words, isOfTrigger: false, in: use, database))
        }
        for table in database.tables {
            let words = database.triggers(of: table)
            let name = table.quoted
            let assignments = database.storedColumns(of: table)
                .map { "\($0.quoted) = \($0.quoted)" }
                .joined(separator: ", ")
            let uses = [
                "INSERT INTO \(name) DEFAULT VALUES",
                "UPDATE \(name) SET \(assignments)",
                "DELETE FROM \(name)",
            ]
            for use in uses where !words.isEmpty && database.isTable(table) {
                result.append(failure(of: table, words, isOfTrigger: true, in: use, database))
            }
        }
        return result.compactMap(\.self)
    }

    private func failure(
        of name: String,
        _ words: [SQLWord],
        isOfTrigger: Bool,
        in use: String,
        _ database: ScratchDatabase
    ) -> Failure? {
        guard let location = definitions[name] else { return nil }
        do throws(SQLFailure) {
            _ = try database.compile(ArraySlice(use.utf8))
            return nil
        } catch  where [.table, .column, .arguments].contains(error.kind) {
            return Failure(
                name: name,
                isOfTrigger: isOfTrigger,
                words: words,
                failure: error,
                location: location
            )
        } catch {
            // What the app's SQLite may have.
            return nil
        }
    }

    /// The tables, in lower case, that refer to others which aren't there.
    func missingParents(
        in database: ScratchDatabase
    ) -> [(table: String, parent: String, location: Location)] {
        database.missingParents().compactMap { table, parent in
            references[parent].map { (table, parent, $0) }
        }
    }
}

extension Array where Element == SQLWord {
    /// The table whose changes a CREATE TRIGGER is about.
    fileprivate var tableOfTrigger: String? {
        guard verb == "create",
            prefix(4).contains(where: { $0.text == "trigger" })
        else { return nil }
        return first(after: "on")?.name
    }

    /// Whether it adds a column that is NOT NULL and has no value in the rows that are there.
    fileprivate var addsNeededColumn: Bool {
        let beforeCheck = prefix { $0.text != "check" }
        let isNeeded = zip(beforeCheck, beforeCheck.dropFirst()).contains {
            $0.text == "not" && $1.text == "null"
        }
        return verb == "alter"
            && contains(anyOf: "add")
            && isNeeded
            && !contains(anyOf: "default", "generated", "as")
    }
}

/// Finds what is wrong with definitions that SQLite looks into only when they are used: views,
/// triggers, and references to tables.
struct DefinitionCheck {
    /// Where the tables and views are made, or where the last trigger of a table is.
    private var definitions: [String: Location] = [:]
    /// Where the tables are named that others refer to.
    private var references: [String: Location] = [:]

    // MARK: Definitions

    /// Keeps where a statement defines something. Returns a warning of a column that can't be added
    /// to a row.
    mutating func add(_ words: [SQLWord], of sql: SQLText) -> Message? {
        let location = sql.location(of: words.first?.start ?? 0)
        for name in words.madeNames {
            definitions[name] = location
        }
        if let table = words.tableOfTrigger {
            definitions[table] = location
        }
        addReferences(words, of: sql)
        guard words.addsNeededColumn else { return nil }
        let text = "a table with rows refuses a column that is NOT NULL without a default"
        return Message(.warning, text, at: location)
    }

    /// Keeps where the columns of a table refer to others.
    mutating func addReferences(_ words: [SQLWord], of sql: SQLText) {
        for (keyword, parent) in zip(words, words.dropFirst()) where keyword.text == "references" {
            references[parent.name ?? ""] = sql.location(of: parent.start)
        }
    }

    // MARK: Messages

    /// Compiles each view, and what calls each trigger, and looks for the tables that others refer
    /// to.
    func messages(about database: ScratchDatabase) -> [Message] {
        var result: [Message?] = []
        for view in database.texts("SELECT name FROM sqlite_schema WHERE type = 'view'") {
            result.append(message(about: view, ifFails: "SELECT * FROM \(view.quoted)", database))
        }
        let tables = """
            SELECT DISTINCT tbl_name FROM sqlite_schema
            WHERE type = 'trigger' AND tbl_name IN (SELECT name FROM sqlite_schema WHERE type = 'table')
            """
        for table in database.texts(tables) {
            let name = table.quoted
            let column = database.columns(of: table).first?.quoted ?? ""
            let statements = [
                "INSERT INTO \(name) DEFAULT VALUES",
                "UPDATE \(name) SET \(column) = \(column)",
                "DELETE FROM \(name)",
            ]
            for statement in statements {
                result.append(message(about: table, ifFails: statement, database))
            }
        }
        for missing in database.missingParents() {
            let text = "\(missing.table) refers to \(missing.parent), which no migration makes"
            if let location = references[missing.parent.lowercased()] {
                result.append(Message(.warning, text, at: location))
            }
        }
        return result.compactMap(\.self)
    }

    private func message(
        about name: String,
        ifFails sql: String,
        _ database: ScratchDatabase
    ) -> Message? {
        do throws(SQLFailure) {
            _ = try database.compile(ArraySlice(sql.utf8))
            return nil
        } catch  where [.table, .column, .arguments].contains(error.kind) {
            return definitions[name.lowercased()].map { location in
                Message(.error, "\(name) can't be used: \(error.message)", at: location)
            }
        } catch {
            // What the app's SQLite may have.
            return nil
        }
    }
}

extension Array where Element == SQLWord {
    /// The table whose changes a CREATE TRIGGER is about.
    fileprivate var tableOfTrigger: String? {
        guard verb == "create",
            prefix(4).contains(where: { $0.text == "trigger" }),
            let on = firstIndex(where: { $0.text == "on" })
        else { return nil }
        return dropFirst(on + 1).first?.name
    }

    /// Whether it adds a column that is NOT NULL and has no value in the rows that are there.
    fileprivate var addsNeededColumn: Bool {
        let isNeeded = zip(self, dropFirst()).contains {
            $0.text == "not" && $1.text == "null"
        }
        return verb == "alter"
            && contains(anyOf: "add")
            && isNeeded
            && !contains(anyOf: "default", "generated", "as")
    }
}

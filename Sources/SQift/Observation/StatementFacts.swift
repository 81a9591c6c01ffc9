internal import CSQift

/// What a statement may do, as SQLite tells its authorizer when it compiles the statement: with its
/// triggers, views and foreign keys.
final class StatementFacts {
    /// The keys of the tables that it reads.
    private(set) var reads: Set<String> = []
    /// What it may change.
    private(set) var changes = TableChanges()
    /// Whether it changes something that SQLite doesn't count as a changed row.
    private(set) var isUncounted = false
    /// Whether it creates a table or a view, if there is none of that name.
    private var mayDefine = false
    /// The column of the schema's table that it was told last to update.
    private var schemaColumn = ""

    /// Notes an action.
    func note(
        _ action: Int32,
        _ strings: StatementObserver.ActionStrings,
        on connection: Connection
    ) {
        guard let kind = Connection.AuthorizerAction(rawValue: action) else { return }
        func string(_ index: Int) -> String {
            strings[index].map(String.init) ?? ""
        }
        let database = strings[2] == nil ? "main" : string(2)
        let table = StatementObserver.Table(database: database, name: string(0))

        switch kind {
        case .read:
            if ["dbstat", "sqlite_dbpage"].contains(table.name) {
                reads.insert(TableChanges.keyOfEverything)
            } else if let name = table.publicName {
                reads.formUnion(TableChanges.readKeys(of: name))
            }
            if strings[2] == nil {
                // SQLite doesn't say in which of the attached databases it is.
                reads.insert(TableChanges.key(of: ".\(table.name)"))
            }
        case .insert, .update, .delete:
            noteWrite(to: table, column: string(1), on: connection)
            // 3.40 counts the rows of a table WITHOUT ROWID that a DELETE without WHERE deletes,
            // 3.35 doesn't.
            if kind == .delete, sqlite3_libversion_number() < 3_040_000 {
                isUncounted = true
            }
        case .createTable, .createVTable:
            mayDefine = true
            changes.insert(table)
        case .createView:
            mayDefine = true
        case .dropTable, .dropVTable:
            changes.insert(table)
            noteSchema(of: database)
        case .createIndex, .createTrigger, .dropIndex, .dropTrigger, .dropView:
            noteSchema(of: database)
        case .alterTable:
            changes.insert(StatementObserver.Table(database: string(0), name: string(1)))
            noteSchema(of: string(0))
        case .pragma:
            notePragma(string(0).lowercased(), isSet: strings[1] != nil, of: database)
        default: break
        }
    }

    /// Notes that it is a `VACUUM`, which can give rows other numbers.
    func noteVacuum() {
        changes = .unknown
        isUncounted = true
    }

    private func noteWrite(
        to table: StatementObserver.Table,
        column: String,
        on connection: Connection
    ) {
        guard ["sqlite_master", "sqlite_schema"].contains(table.name) else {
            return changes.insert(table)
        }
        // SQLite tells this even when it opens a virtual table, which changes nothing: all columns,
        // one after another. A table or a view that exists isn't created again. An old SQLite
        // doesn't tell in another way that a column is dropped.
        let isOpening = column != "sql" || schemaColumn == "rootpage"
        schemaColumn = column
        if mayDefine || !isOpening {
            noteSchema(of: table.database)
        } else if connection.dbConfig(SQLITE_DBCONFIG_WRITABLE_SCHEMA) == 1 {
            changes.schemaChanged = true
        }
    }

    private func noteSchema(of database: String) {
        if database != "temp" {
            changes.schemaChanged = true
            isUncounted = true
        }
    }

    private func notePragma(_ name: String, isSet: Bool, of database: String) {
        switch name {
        case "user_version" where isSet, "application_id" where isSet:
            changes.includesAllTables = true
            isUncounted = true
        case "schema_version" where isSet:
            noteSchema(of: database)
        // A backup asks for the encoding.
        case "page_count", "freelist_count", "foreign_key_check", "integrity_check", "quick_check",
            "encoding":
            reads.insert(TableChanges.keyOfEverything)
        default: break
        }
    }
}

extension StatementObserver.Table {
    /// The name that listeners get, or nil if they don't hear of this table.
    var publicName: String? {
        if database == "temp" || name.hasPrefix("sqlite_") {
            return nil
        }
        return database == "main" ? name : "\(database).\(name)"
    }
}

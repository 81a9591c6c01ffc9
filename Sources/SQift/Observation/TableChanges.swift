/// The tables that one commit has changed, or several commits together.
///
/// A table has changed if a statement has written to it, even if it wrote the values that were
/// there before.
public struct TableChanges: Sendable, Hashable {
    /// The tables' names as the schema spells them, or `database.table` for an attached database.
    /// Temporary tables and SQLite's own are left out.
    public internal(set) var tables: Set<String> = []
    /// Whether a table, an index, a trigger or a view was created, altered or dropped, or may have
    /// been.
    public internal(set) var schemaChanged = false
    /// Whether any table may have changed, not only `tables`: after a restore, after `VACUUM`, and
    /// if another connection has committed.
    public internal(set) var includesAllTables = false
    /// Whether another connection has committed, perhaps in another process.
    public internal(set) var isExternal = false

    /// What isn't known: anything may have changed.
    static let unknown = TableChanges(schemaChanged: true, includesAllTables: true)

    /// Returns whether the table may have changed.
    ///
    /// - Parameter table: Its name in any case, or `database.table` for an attached database.
    public func concerns(_ table: String) -> Bool {
        concerns(anyOf: [Self.key(of: table)])
    }

    /// Whether nothing has changed: a wait with a time limit is over.
    public var isEmpty: Bool { tables.isEmpty && !schemaChanged && !includesAllTables }

    /// A change of the schema concerns every table: a table may be a view or have another name now.
    func concerns(anyOf keys: Set<String>) -> Bool {
        if schemaChanged || includesAllTables {
            return true
        }
        if keys.contains(Self.keyOfEverything) {
            return !tables.isEmpty
        }
        return tables.contains { table in
            let key = Self.key(of: table)
            return keys.contains(key) || keys.contains { $0.first == "." && key.hasSuffix($0) }
        }
    }

    /// Adds a table, unless listeners don't hear of it.
    mutating func insert(_ table: StatementObserver.Table) {
        if let name = table.publicName {
            tables.insert(name)
        }
    }

    mutating func formUnion(_ other: TableChanges) {
        // The usual case. An assignment shares the other set's memory, a union would allocate. When
        // the same statement runs again, the comparison only sees that the memory is the same.
        if tables.isEmpty {
            tables = other.tables
        } else if tables != other.tables {
            tables.formUnion(other.tables)
        }
        schemaChanged = schemaChanged || other.schemaChanged
        includesAllTables = includesAllTables || other.includesAllTables
        isExternal = isExternal || other.isExternal
    }

    // MARK: Keys

    /// Names are compared by their keys, since SQLite ignores the case of names. A name that begins
    /// with a point is that of a table in any of the attached databases.
    static func key(of table: String) -> String {
        let key = table.lowercased()
        return key.hasPrefix("main.") ? String(key.dropFirst(5)) : key
    }

    /// For what every table has a part in, such as the number of pages.
    static let keyOfEverything = "*"

    /// The keys of a table that is read. One that a full-text index or an R-tree may keep its
    /// content in changes with that.
    static func readKeys(of table: String) -> [String] {
        let key = key(of: table)
        guard let end = key.lastIndex(of: "_"), parts.contains(String(key[end...])) else {
            return [key]
        }
        return [key, String(key[..<end])]
    }

    private static let parts: Set = [
        "_config", "_content", "_data", "_docsize", "_idx", "_segdir", "_segments", "_stat",
        "_node", "_parent", "_rowid",
    ]
}

/// The tables that a statement may read and write, its triggers and foreign keys included: what
/// SQLite's authorizer told when the statement was compiled.
final class StatementTables {
    struct Table: Hashable {
        let database: String
        let name: String

        /// The name that listeners get, or nil if they don't hear of this table.
        var publicName: String? {
            if database == "temp" || name.hasPrefix("sqlite_") {
                return nil
            }
            return database == "main" ? name : "\(database).\(name)"
        }
    }

    /// The keys of the tables that it reads.
    var read: Set<String> = []
    var written: Set<Table> = []
    /// The written tables whose rows the update hook doesn't report.
    var silent: Set<Table> = []
    /// The tables whose rows SQLite deletes without counting them.
    var uncounted: Set<Table> = []
    /// The tables that it creates, alters or drops.
    var defined: Set<Table> = []
    /// The databases whose schema it may change.
    var schemas: Set<String> = []
    /// Whether the authorizer was called at all. It isn't for VACUUM.
    var isAuthorized = false
    /// Whether the statement could be compiled.
    var isKnown = false
    /// How often SQLite had compiled the statement again when this was found out.
    @exclusivity(unchecked) var preparationCount: Int32 = 0
    /// Whether it can write to one table at most, of which listeners hear. BEGIN IMMEDIATE can
    /// write to none.
    private(set) var writesAtMostOneTable = false
    /// If so, the only change that it can make.
    private(set) var onlyChange = TableChanges()

    /// Works out the rest, once the authorizer has told all tables.
    func complete() {
        isKnown = true
        guard schemas.isEmpty, uncounted.isEmpty, isAuthorized else { return }
        let names = written.compactMap(\.publicName)
        if written.count <= 1, names.count == written.count {
            onlyChange.tables = Set(names)
            writesAtMostOneTable = true
        }
    }
}

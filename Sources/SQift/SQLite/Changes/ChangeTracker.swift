internal import CSQift

/// Finds out which tables a connection's statements write and read.
///
/// Neither of SQLite's two sources is exact. The authorizer names all the tables that a statement
/// may write. The update hook names those that it does write, but not tables `WITHOUT ROWID`, not
/// virtual tables, and not the rows that a `DELETE` without `WHERE` deletes. The count of changes
/// decides: it tells whether the statement wrote anything, and whether the hook was silent.
final class ChangeTracker: ConnectionAttachment, StatementObserver {
    /// A statement that writes, during its first step. It has no references, which each run of a
    /// statement would count.
    private struct Run {
        /// Kept by the statement.
        unowned(unsafe) let tables: StatementTables
        let changesBefore: Int64
        /// How many changes were made by statements inside this one.
        var nestedChanges: Int64 = 0
        var hookCount: Int64 = 0
    }

    /// What is noted about a run whose statement can write to several tables.
    private struct Details {
        var schemaVersionsBefore: [Int32?] = []
        /// The tables that the update hook named.
        var hooked: Set<StatementTables.Table> = []
    }

    // The compiler's exclusivity checks are off for what each run of a statement touches. None of
    // these is passed `inout` to code that could run a statement.

    /// The statement that is running, if it writes.
    @exclusivity(unchecked) private var run: Run?
    @exclusivity(unchecked) private var details = Details()
    /// The statements around it, which call functions.
    @exclusivity(unchecked) private var outerRuns: [(run: Run, details: Details)] = []
    @exclusivity(unchecked) var written = TableChanges() {
        didSet { lastAdded = nil }
    }
    /// The tables that were added last, so that the same statement adds nothing when it runs again.
    @exclusivity(unchecked) private var lastAdded: StatementTables?
    @exclusivity(unchecked) private var wasRolledBack = false
    @exclusivity(unchecked) private var isReporting = false
    /// The tables that the authorizer names while the tracker itself compiles a statement.
    @exclusivity(unchecked) private var compiled: StatementTables?
    /// The keys of the tables that were read since gathering began, nil if nobody gathers.
    @exclusivity(unchecked) private var reads: Set<String>?
    /// SQLite's text of the last name, which stays where it is during a statement.
    @exclusivity(unchecked) private var lastHookedName: UnsafePointer<CChar>?

    // MARK: Listeners

    var commitListeners: [Int: (TableChanges) -> Void] = [:]
    var rollbackListeners: [Int: () -> Void] = [:]
    private var listenerCount = 0
    /// The listener by which a database publishes the changes.
    var publisher: ChangeListener?
    /// Whether SQLite calls the tracker.
    private var isInstalled = false

    /// Adds a listener by `add`, which is given its number.
    func addListener(_ add: (Int) -> Void) -> ChangeListener {
        listenerCount += 1
        add(listenerCount)
        start()
        return ChangeListener(number: listenerCount)
    }

    func removeListener(_ number: Int) {
        commitListeners[number] = nil
        rollbackListeners[number] = nil
        if commitListeners.isEmpty, rollbackListeners.isEmpty, reads == nil {
            stop()
        }
    }

    private func start() {
        guard let handle = connection.handle else { return }
        if !isInstalled {
            isInstalled = true
            connection.installAuthorizer(of: self)
            connection.installUpdateHook(of: self)
        }
        if connection.state.observer == nil {
            connection.state.observer = self
            // What was written earlier in the transaction isn't known.
            written = TableChanges()
            written.includesAllTables = sqift_txn_state(handle, nil) == SQLITE_TXN_WRITE
        }
    }

    private func stop() {
        isInstalled = false
        connection.state.observer = nil
        connection.installAuthorizer(of: nil)
        connection.installUpdateHook(of: nil)
    }

    /// Calls `body`.
    ///
    /// - Returns: Its result, and the keys of the tables that its statements read.
    func gatheringReads<T>(_ body: () throws -> T) rethrows -> (T, tables: Set<String>) {
        let wasObserved = connection.state.observer != nil
        start()
        reads = []
        defer {
            reads = nil
            if !wasObserved {
                // The authorizer stays for the next time: setting it makes SQLite compile every
                // statement again.
                connection.state.observer = nil
            }
        }
        let result = try body()
        return (result, reads ?? [])
    }

    // MARK: Statements

    func willRun(_ statement: Statement) {
        guard compiled == nil, !statement.isReadOnly else { return }
        let tables = tables(of: statement)

        if let run {
            outerRuns.append((run, details))
        }
        run = Run(tables: tables, changesBefore: changeCount)
        if tables.onlyTable == nil {
            details = Details(schemaVersionsBefore: schemaVersions(tables))
            lastHookedName = nil
        }
    }

    func hasRun(_ statement: Statement) {
        if compiled != nil || statement.isReadOnly && reads == nil {
            return
        }
        if reads != nil {
            // Not earlier: SQLite may have compiled it again, for a newer schema. And not in one
            // statement: finding the tables changes `reads` too.
            let tables = tables(of: statement)
            reads?.formUnion(tables.read)
        }
        guard !statement.isReadOnly, let ended = run else { return }

        let changes = changeCount - ended.changesBefore
        let ownChanges = changes - ended.nestedChanges
        if ownChanges != 0 || !ended.tables.schemas.isEmpty {
            add(ownChanges, of: ended, by: statement)
        }
        run = nil
        if let outer = outerRuns.popLast() {
            run = outer.run
            run?.nestedChanges += changes
            details = outer.details
            lastHookedName = nil
        }
    }

    private func add(_ changes: Int64, of run: Run, by statement: Statement) {
        // The statement forgets them if it is compiled again.
        let tables: StatementTables = run.tables
        let isCurrent = tables.preparationCount == statement.currentPreparationCount
        if isCurrent, let name = tables.onlyTable {
            if lastAdded !== tables {
                written.tables.insert(name)
                lastAdded = tables
            }
            return
        }

        if schemaVersions(tables) != details.schemaVersionsBefore {
            written.schemaChanged = true
            written.includesAllTables = written.includesAllTables || !tables.isAuthorized
            insert(tables.defined)
        }
        guard changes != 0 else { return }
        // SQLite may have compiled the statement again for a schema that somebody else has changed.
        let newest = isCurrent ? tables : self.tables(of: statement)
        guard tables.isKnown, newest.isKnown else {
            written.includesAllTables = true
            return
        }

        let candidates = tables.written.union(newest.written)
        if candidates.count == 1 || tables.onlyTable != nil {
            return insert(candidates)
        }
        insert(candidates.intersection(details.hooked))
        if run.hookCount != changes {
            insert(tables.silent.union(newest.silent))
        }
    }

    private func insert(_ tables: Set<StatementTables.Table>) {
        written.tables.formUnion(tables.compactMap(\.publicName))
    }

    func noteWrite(to table: StatementTables.Table?) {
        if let table {
            insert([table])
        } else {
            written.includesAllTables = true
            written.schemaChanged = true
        }
        reportEndOfTransaction()
    }

    func noteRead(of table: StatementTables.Table) {
        _ = table.publicName.map { reads?.insert(TableChanges.key(of: $0)) }
    }

    /// The update hook's call for a row.
    func rowChanged(_ database: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>) {
        run?.hookCount += 1
        // The one table of most statements is known without its name.
        if run?.tables.onlyTable != nil || run != nil && lastHookedName == table {
            return
        }
        let name = StatementTables.Table(
            database: String(cString: database),
            name: String(cString: table)
        )
        if run == nil {
            insert([name])
        } else {
            details.hooked.insert(name)
            lastHookedName = table
        }
    }

    private var changeCount: Int64 { connection.handle.map { sqift_total_changes($0) } ?? 0 }

    /// The versions of the schemas that a statement may change.
    private func schemaVersions(_ tables: StatementTables) -> [Int32?] {
        tables.schemas.sorted().map { database in
            connection.pragmaValue("\(database.quotedAsIdentifier).schema_version")
        }
    }

    // MARK: Ends of transactions

    func transactionWasRolledBack() {
        written = TableChanges()
        wasRolledBack = !rollbackListeners.isEmpty
    }

    /// Calls the listeners, unless a transaction is open, or SQLite or a listener calls this code.
    func reportEndOfTransaction() {
        if connection.state.transactions.depth > 0 || written.isEmpty && !wasRolledBack {
            return
        }
        guard !isReporting, run == nil, compiled == nil, !connection.state.isInsideHook,
            connection.runningClosureCount == 0
        else { return }
        isReporting = true
        defer { isReporting = false }

        // A listener can write, which the listeners then hear of too.
        while let handle = connection.handle,
            sqift_txn_state(handle, nil) != SQLITE_TXN_WRITE, !written.isEmpty || wasRolledBack
        {
            callListeners()
        }
    }

    private func callListeners() {
        let changes = written
        let isRollback = wasRolledBack
        written = TableChanges()
        wasRolledBack = false

        if isRollback {
            for number in rollbackListeners.keys.sorted() {
                rollbackListeners[number]?()
            }
        }
        if !changes.isEmpty {
            for number in commitListeners.keys.sorted() {
                commitListeners[number]?(changes)
            }
        }
    }

    // MARK: The tables of a statement

    /// The tables of a statement. It is compiled once more for that if SQLite has compiled it again
    /// since the last time.
    private func tables(of statement: Statement) -> StatementTables {
        let count = statement.currentPreparationCount
        if let known = statement.tables, known.preparationCount == count {
            return known
        }
        let tables = StatementTables()
        tables.preparationCount = count
        compiled = tables
        defer { compiled = nil }
        do {
            try connection.shielded {
                try compile(statement.sql)
                if tables.written.count > 1 {
                    try findSilentTables(of: tables)
                }
            }
            if !tables.isAuthorized, !statement.isReadOnly {
                tables.schemas = ["main"]
            }
            tables.complete()
        } catch {
            // Whatever it writes counts as a change of all tables. The next run tries again.
            tables.preparationCount = -1
        }
        statement.tables = tables
        return tables
    }

    /// Compiles SQL, for which SQLite calls the authorizer.
    private func compile(_ sql: SQL) throws {
        try SQLText.with(sql) { text in
            // Some pragmas take effect when they are compiled, and none writes to a table.
            let start = text.firstToken(from: 0) ?? 0
            let keyword = sql.utf8.dropFirst(start).prefix(6)
            guard String(decoding: keyword, as: UTF8.self).lowercased() != "pragma" else {
                compiled?.isAuthorized = true
                return
            }
            let (handle, _) = try text.compile(at: 0, on: connection, flags: 0)
            sqlite3_finalize(handle)
        }
    }

    /// The tables `WITHOUT ROWID`, the virtual ones, and those that a trigger may empty.
    private func findSilentTables(of tables: StatementTables) throws {
        for database in Set(tables.written.map(\.database)) {
            let schema = "\(database.quotedAsIdentifier).sqlite_master"
            try connection.forEachRow("SELECT name, rootpage, sql FROM \(schema)") { row in
                let table = StatementTables.Table(database: database, name: try row.get(0))
                let rootPage: Int? = try row.get(1)
                let sql: String? = try row.get(2)
                let isVirtual = rootPage ?? 0 == 0
                let mayHaveNoRowID = sql?.lowercased().contains("without") == true
                if tables.written.contains(table), isVirtual || mayHaveNoRowID {
                    tables.silent.insert(table)
                }
            }
        }
    }

    /// The authorizer's call, for a statement that is compiled.
    func authorize(_ action: Int32, _ strings: [UnsafePointer<CChar>?]) {
        func string(_ index: Int) -> String {
            strings[index].map { String(cString: $0) } ?? ""
        }
        guard compiled != nil || reads != nil else { return }
        compiled?.isAuthorized = true
        guard let kind = Connection.AuthorizerAction(rawValue: action) else { return }
        let database = string(2).isEmpty ? "main" : string(2)
        let table = StatementTables.Table(database: database, name: string(0))

        switch kind {
        case .read:
            noteRead(of: table)
            _ = table.publicName.map { compiled?.read.insert(TableChanges.key(of: $0)) }
        case .insert, .update, .delete:
            if table.name == "sqlite_master" || table.name == "sqlite_schema" {
                compiled?.schemas.insert(database)
            } else {
                compiled?.written.insert(table)
            }
            if kind == .delete {
                compiled?.silent.insert(table)
            }
        case .createTable, .dropTable, .createVTable, .dropVTable:
            compiled?.defined.insert(table)
        case .alterTable:
            let altered = StatementTables.Table(database: string(0), name: string(1))
            compiled?.schemas.insert(altered.database)
            compiled?.defined.insert(altered)
        default: break
        }
    }
}

internal import CSQift

/// Finds out which tables a connection's statements write and read.
///
/// Neither of SQLite's two sources is exact. The authorizer names all the tables that a statement
/// may write. The update hook names those that it does write, but not tables `WITHOUT ROWID`, not
/// virtual tables, and not the rows that a `DELETE` without `WHERE` deletes. The count of changes
/// decides: it tells whether the statement wrote anything, and whether the hook was silent.
final class ChangeTracker: StatementObserver {
    /// A statement that writes, during its first step. It has no references, which each run of a
    /// statement would count.
    private struct Run {
        /// Kept by the statement.
        let tables: Unmanaged<StatementTables>
        /// Whether it needs no `details`.
        let writesAtMostOneTable: Bool
        let changesBefore: Int64
        /// `knownChanges` before it.
        let knownBefore: Int64
        let wasRolledBack: Bool
        let rollbackCount: Int
        var hookCount: Int64 = 0
    }

    /// What is noted about a run whose statement can write to several tables.
    private struct Details {
        var schemaVersionsBefore: [Int32?] = []
        /// Those of `tables.uncounted` that had rows.
        var filled: [StatementTables.Table] = []
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
    /// The statements that have written and are returning rows: SQLite counts their changes when
    /// they end.
    @exclusivity(unchecked) private var unfinishedRuns:
        [ObjectIdentifier: (run: Run, details: Details, tables: StatementTables)] = [:]
    /// How many changes belong to statements that have ended.
    @exclusivity(unchecked) private var knownChanges: Int64 = 0
    /// What was committed and not reported yet.
    @exclusivity(unchecked) private var committed = TableChanges()
    @exclusivity(unchecked) private var wasRolledBack = false
    @exclusivity(unchecked) private var isReporting = false
    /// The tables that the authorizer names while the tracker itself compiles a statement.
    @exclusivity(unchecked) var compiled: StatementTables?
    /// The keys of the tables that were read since gathering began, nil if nobody gathers.
    @exclusivity(unchecked) var reads: Set<String>?
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
    private var hearsOfRows = false

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
        }
        if !connection.state.isObserved {
            connection.state.setObserver(self)
            // A statement that is running now began without an observer.
            run = nil
            outerRuns = []
            unfinishedRuns = [:]
            // What was written earlier in the transaction isn't known.
            written = TableChanges()
            written.includesAllTables = sqift_txn_state(handle, nil) == SQLITE_TXN_WRITE
        }
    }

    private func stop() {
        isInstalled = false
        hearsOfRows = false
        connection.state.setObserver(nil)
        connection.installAuthorizer(of: nil)
        connection.installUpdateHook(of: nil)
    }

    /// Calls `body`.
    ///
    /// - Returns: Its result, and the keys of the tables that its statements read.
    func gatheringReads<T>(_ body: () throws -> T) rethrows -> (T, tables: Set<String>) {
        let wasObserved = connection.state.isObserved
        start()
        reads = []
        defer {
            reads = nil
            if !wasObserved {
                // The authorizer stays for the next time: setting it makes SQLite compile every
                // statement again.
                connection.state.setObserver(nil)
            }
        }
        let result = try body()
        return (result, reads ?? [])
    }

    // MARK: Statements

    override func willRun(_ statement: Statement) {
        guard compiled == nil, !statement.isReadOnly else { return }
        let tables = tables(of: statement)
        if let run {
            outerRuns.append((run, details))
        }
        run = Run(
            tables: Unmanaged.passUnretained(tables),
            writesAtMostOneTable: tables.writesAtMostOneTable,
            changesBefore: changeCount,
            knownBefore: knownChanges,
            wasRolledBack: wasRolledBack,
            rollbackCount: connection.state.transactions.rollbackCount
        )
        if !tables.writesAtMostOneTable {
            if !hearsOfRows {
                // Not earlier: the hook is called for each row, and most statements write to one
                // table.
                hearsOfRows = true
                connection.installUpdateHook(of: self)
            }
            details = Details(
                schemaVersionsBefore: schemaVersions(tables),
                filled: tables.uncounted.filter(hasRows)
            )
            lastHookedName = nil
        }
    }

    override func hasRun(_ statement: Statement, code: Int32) {
        guard compiled == nil else { return }
        if !statement.isReadOnly, let ended = run {
            run = nil
            end(ended, of: statement, code)
            if let outer = outerRuns.popLast() {
                run = outer.run
                details = outer.details
                lastHookedName = nil
            }
        }
        if reads != nil {
            // Not earlier: SQLite may have compiled it again, for a newer schema. And not in one
            // statement: finding the tables changes `reads` too.
            let tables = tables(of: statement)
            reads?.formUnion(tables.read)
        }
    }

    @inline(__always)
    private func end(_ run: Run, of statement: Statement, _ code: Int32) {
        // If the schema has changed, SQLite rolls the statement back, compiles it again and runs
        // it. That rollback isn't one to report.
        switch code {
        case SQLITE_ROW:
            wasRolledBack = run.wasRolledBack
            let tables = run.tables.takeUnretainedValue()
            unfinishedRuns[ObjectIdentifier(statement)] = (run, details, tables)
        case SQLITE_DONE:
            wasRolledBack = run.wasRolledBack
            count(run, of: statement)
        case _ where run.rollbackCount != connection.state.transactions.rollbackCount:
            // All of it was rolled back. SQLite has counted the changes, but none is to be
            // reported.
            knownChanges += ownChanges(of: run)
        default:
            count(run, of: statement)
        }
    }

    override func hasEnded(_ statement: Statement) {
        if !unfinishedRuns.isEmpty,
            let ended = unfinishedRuns.removeValue(forKey: ObjectIdentifier(statement))
        {
            let presentDetails = details
            details = ended.details
            withExtendedLifetime(ended.tables) {
                count(ended.run, of: statement)
            }
            details = presentDetails
        }
        reportEndOfTransaction()
    }

    @inline(__always)
    private func count(_ run: Run, of statement: Statement) {
        let changes = ownChanges(of: run)
        knownChanges += changes
        if run.writesAtMostOneTable {
            if changes != 0 {
                addOnlyTable(changes, of: run, by: statement)
            }
        } else {
            add(changes, of: run, by: statement)
        }
    }

    private func ownChanges(of run: Run) -> Int64 {
        let nestedChanges = knownChanges - run.knownBefore
        return changeCount - run.changesBefore - nestedChanges
    }

    @inline(__always)
    private func addOnlyTable(_ changes: Int64, of run: Run, by statement: Statement) {
        let isAdded = run.tables._withUnsafeGuaranteedRef { tables in
            guard tables.preparationCount == statement.currentPreparationCount else { return false }
            if lastAdded !== tables {
                written.formUnion(tables.onlyChange)
                lastAdded = tables
            }
            return true
        }
        if !isAdded {
            add(changes, of: run, by: statement)
        }
    }

    private func add(_ changes: Int64, of run: Run, by statement: Statement) {
        // The statement forgets them if it is compiled again.
        let tables = run.tables.takeUnretainedValue()
        if !tables.uncounted.isEmpty {
            insert(Set(details.filled.filter { !hasRows($0) }))
        }
        if !tables.schemas.isEmpty, schemaVersions(tables) != details.schemaVersionsBefore {
            written.schemaChanged = true
            written.includesAllTables = written.includesAllTables || !tables.isAuthorized
            insert(tables.defined)
        }
        guard changes != 0 else { return }
        // SQLite may have compiled the statement again for a schema that somebody else has changed.
        let newest = self.tables(of: statement)
        guard tables.isKnown, newest.isKnown else {
            written.includesAllTables = true
            return
        }

        let candidates = tables.written.union(newest.written)
        if candidates.count == 1 || tables.writesAtMostOneTable {
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

    override func noteWrite(to table: StatementTables.Table?) {
        if let table {
            insert([table])
        } else {
            written.includesAllTables = true
            written.schemaChanged = true
        }
        reportEndOfTransaction()
    }

    override func noteRead(of table: StatementTables.Table) {
        _ = table.publicName.map { reads?.insert(TableChanges.key(of: $0)) }
    }

    /// The update hook's call for a row.
    func rowChanged(_ database: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>) {
        // Without a run, a full-text index writes to its shadow tables, for a query or a COMMIT.
        guard run != nil else { return }
        run?.hookCount += 1
        // The one table of most statements is known without its name.
        if run?.writesAtMostOneTable == true || lastHookedName == table {
            return
        }
        details.hooked.insert(
            StatementTables.Table(database: String(cString: database), name: String(cString: table))
        )
        lastHookedName = table
    }

    private var changeCount: Int64 { connection.handle.map { sqift_total_changes($0) } ?? 0 }

    /// The versions of the schemas that a statement may change.
    private func schemaVersions(_ tables: StatementTables) -> [Int32?] {
        tables.schemas.sorted().map { database in
            try? connection.pragmaValue("\(database.quotedAsIdentifier).schema_version")
        }
    }

    // MARK: Ends of transactions

    override func transactionWasRolledBack() {
        written = TableChanges()
        wasRolledBack = !rollbackListeners.isEmpty
    }

    override func reportEndOfTransaction() {
        if connection.state.transactions.depth == 0,
            !written.isEmpty || !committed.isEmpty || wasRolledBack
        {
            report()
        }
    }

    /// Calls the listeners, unless a transaction is open, or SQLite or a listener calls this code.
    @inline(never) private func report() {
        guard run == nil, compiled == nil,
            let handle = connection.handle, sqift_txn_state(handle, nil) != SQLITE_TXN_WRITE
        else { return }
        committed.formUnion(written)
        written = TableChanges()

        guard !isReporting, !connection.state.isInsideHook, connection.runningClosureCount == 0
        else { return }
        isReporting = true
        // A listener can write, which the listeners then hear of too. It can also close the
        // connection, which releases the tracker.
        withExtendedLifetime(self) {
            while connection.handle != nil, !committed.isEmpty || wasRolledBack {
                callListeners()
            }
            isReporting = false
        }
    }

    private func callListeners() {
        let changes = committed
        let isRollback = wasRolledBack
        committed = TableChanges()
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
}

internal import CSQift

/// Finds out which tables a connection's statements write and read.
///
/// Two sources of SQLite's are enough. When it compiles a statement, it tells the authorizer what
/// the statement may do; its count of changed rows tells whether the statement has written. A
/// statement that has written counts as having done all that it may do.
final class ChangeTracker: StatementObserver {
    /// A statement between its first step and its end.
    private struct Run {
        // It lives as long as it runs. This spares each run a retain and a release.
        unowned(unsafe) let statement: Statement
        /// SQLite's count before it, or after the last rollback.
        var changeCount: Int64
        /// How often SQLite had compiled the statement again when its facts were noted.
        var preparationCount: Int32

        /// Whether it has been compiled again since then.
        var isOutdated: Bool { preparationCount != statement.currentPreparationCount }
    }

    // The compiler's exclusivity checks are off for what each run of a statement touches. None of
    // these is passed `inout` to code that could run a statement.

    /// The statements that are running, those that call functions before those of the functions.
    @exclusivity(unchecked) private var runs: [Run] = []
    /// What the library compiles now. Functions that SQLite calls meanwhile may compile too.
    @exclusivity(unchecked) private var compilations: [StatementFacts] = []
    @exclusivity(unchecked) private var compiled: StatementFacts?
    /// What SQLite compiles by itself while a statement runs: that statement again, or others for a
    /// virtual table or a `VACUUM`.
    @exclusivity(unchecked) private var unasked: StatementFacts?
    /// The keys of the tables that a virtual table reads in turn, by the keys of the tables of the
    /// statements in which that was seen. Virtual tables keep their statements.
    private var readsBehind: [String: Set<String>] = [:]

    /// What the open transaction has changed so far.
    @exclusivity(unchecked) private var written = TableChanges()
    /// What the transaction had changed before each savepoint that is open.
    private var beforeSavepoints: [TableChanges] = []
    /// What was committed and not reported yet.
    @exclusivity(unchecked) private var committed = TableChanges()
    @exclusivity(unchecked) private var isReporting = false
    /// The keys of the tables that were read since gathering began, nil if they aren't gathered.
    @exclusivity(unchecked) private var reads: Set<String>?

    // MARK: Listeners

    private var listeners: [(listener: ChangeListener, body: (TableChanges) -> Void)] = []
    /// The listener by which a database publishes the changes.
    private var publisher: ChangeListener?

    func add(_ body: @escaping (TableChanges) -> Void) -> ChangeListener {
        let listener = ChangeListener(of: self)
        listeners.append((listener, body))
        start()
        return listener
    }

    func remove(_ listener: ChangeListener) {
        listeners.removeAll { $0.listener === listener }
        if listeners.isEmpty, reads == nil {
            connection.state.observer = nil
            connection.installAuthorizer()
        }
    }

    var isPublishing: Bool { publisher != nil }

    /// Gives a database all changes from now on, or none.
    func publish(to body: ((TableChanges) -> Void)?) {
        publisher?.end()
        publisher = body.map(add)
    }

    private func start() {
        guard let handle = connection.handle, connection.state.observer == nil else { return }
        connection.state.observer = self
        // This makes SQLite compile every statement again, and so tell what they do.
        connection.installAuthorizer()
        connection.installHooks()
        // Of what runs now, and of what was written earlier in the transaction, nothing is known.
        runs = []
        compilations = []
        unasked = nil
        beforeSavepoints = []
        written = sqift_txn_state(handle, nil) == SQLITE_TXN_WRITE ? .unknown : TableChanges()
    }

    /// Runs `body`, and also returns the keys of the tables that its statements have read.
    func gatheringReads<T>(_ body: () throws -> T) rethrows -> (value: T, tables: Set<String>) {
        // It goes on observing: each beginning makes SQLite compile the statements again.
        start()
        reads = []
        defer { reads = nil }
        let result = try body()
        // A cursor has read its tables when it ends.
        connection.closeCursors()
        let direct = reads ?? []
        return (result, direct.union(direct.flatMap { readsBehind[$0] ?? [] }))
    }

    // MARK: Compiling

    override func willCompile() {
        compilations.append(StatementFacts())
    }

    override func hasCompiled() {
        compiled = compilations.popLast()
    }

    override func hasPrepared(_ statement: Statement) {
        statement.observation = compiled
    }

    override func mayDo(_ action: Int32, _ strings: ActionStrings) {
        if let compilation = compilations.last {
            return compilation.note(action, strings, on: connection)
        }
        guard let run = runs.last else { return }
        if run.isOutdated {
            assignUnasked()
        }
        let facts = unasked ?? StatementFacts()
        unasked = facts
        facts.note(action, strings, on: connection)
        // VACUUM attaches a file without a name, and VACUUM INTO one with a name.
        if action == SQLITE_ATTACH, strings[0]?.pointee == 0 {
            facts.noteVacuum()
        }
    }

    /// What is known of a statement. It is compiled again in its first step if that is nothing.
    private func facts(of statement: Statement) -> StatementFacts {
        if let facts = statement.observation as? StatementFacts {
            return facts
        }
        let facts = StatementFacts()
        statement.observation = facts
        return facts
    }

    /// Gives what SQLite has compiled by itself to those whom it concerns.
    private func assignUnasked() {
        var hasRecompiled = false
        for index in runs.indices where runs[index].isOutdated {
            hasRecompiled = true
            runs[index].preparationCount = runs[index].statement.currentPreparationCount
            runs[index].statement.observation = unasked ?? StatementFacts()
        }
        if !hasRecompiled, let unasked {
            for run in runs {
                if unasked.changes.includesAllTables {
                    facts(of: run.statement).noteVacuum()
                }
                for key in facts(of: run.statement).reads {
                    readsBehind[key, default: []].formUnion(unasked.reads)
                }
            }
        }
        unasked = nil
    }

    // MARK: Running

    override func willRun(_ statement: Statement) {
        assignUnasked()
        _ = facts(of: statement)
        runs.append(
            Run(
                statement: statement,
                changeCount: changeCount,
                preparationCount: statement.currentPreparationCount
            )
        )
    }

    override func hasEnded(_ statement: Statement, hasSucceeded: Bool) {
        if let index = runs.lastIndex(where: { $0.statement === statement }) {
            assignUnasked()
            let run = runs.remove(at: index)
            let facts = facts(of: statement)
            reads?.formUnion(facts.reads)
            let hasChangedRows = run.changeCount != changeCount
            let hasChangedOther = facts.isUncounted && hasSucceeded && statement.isWriting
            if hasChangedRows || hasChangedOther {
                written.formUnion(facts.changes)
            }
        }
        reportEndOfTransaction()
    }

    override func noteWrite(to table: Table?) {
        if let table {
            written.insert(table)
        } else {
            written = .unknown
        }
        reportEndOfTransaction()
    }

    override func noteRead(of table: Table) {
        if let name = table.publicName {
            reads?.insert(TableChanges.key(of: name))
        }
    }

    private var changeCount: Int64 { connection.handle.map { sqift_total_changes($0) } ?? 0 }

    // MARK: Ends of transactions

    override func savepointHasBegun() {
        beforeSavepoints.append(written)
    }

    override func savepointHasEnded(isUndone: Bool) {
        if let before = beforeSavepoints.popLast(), isUndone {
            written = before
        }
    }

    override func transactionWasRolledBack() {
        written = TableChanges()
        beforeSavepoints = beforeSavepoints.map { _ in TableChanges() }
        // SQLite has counted what was undone. If the schema has changed, it rolls back at the
        // beginning of a statement, compiles it again and runs it: the rest counts.
        for index in runs.indices {
            runs[index].changeCount = changeCount
        }
    }

    override func reportEndOfTransaction() {
        if connection.state.transactionDepth == 0, !written.isEmpty || !committed.isEmpty {
            report()
        }
    }

    /// Calls the listeners, unless a transaction is open, or SQLite or a listener calls this code.
    @inline(never) private func report() {
        guard let handle = connection.handle, sqift_txn_state(handle, nil) != SQLITE_TXN_WRITE
        else { return }
        committed.formUnion(written)
        written = TableChanges()

        guard !isReporting, !connection.state.isInsideHook, connection.openCallCount == 0
        else { return }
        isReporting = true
        let rowID = connection.lastInsertRowID
        defer {
            isReporting = false
            sqlite3_set_last_insert_rowid(handle, rowID)
        }
        // A listener can write, which the listeners then hear of too.
        while !committed.isEmpty {
            let changes = committed
            committed = TableChanges()
            for (listener, body) in listeners where !listener.hasEnded {
                if listener.isOnce {
                    listener.end()
                }
                connection.callingClosure { body(changes) }
            }
        }
    }
}

extension Statement {
    /// Whether it writes now that SQLite may have compiled it again, and is run, not explained.
    fileprivate var isWriting: Bool { !isExplain && sqlite3_stmt_readonly(handle) == 0 }
}

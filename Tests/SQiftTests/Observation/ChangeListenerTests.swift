import CSQift
import SQift
import SQiftTestSupport
import Testing

/// When listeners are called, in which order, and what they may do.
struct ChangeListenerTests {
    private let folder = TemporaryFolder.fresh
    private let connection: Connection
    private let notes = Notes<String>()

    init() throws {
        connection = try folder.connection()
        try connection.execute("CREATE TABLE t(x); CREATE TABLE u(x)")
    }

    @discardableResult
    private func listen(_ name: String) -> ChangeListener {
        connection.didCommit { [notes] changes in
            notes.note("\(name): \(changes.tables.sorted().joined(separator: " "))")
        }
    }

    // MARK: The time of the call

    @Test func itIsCalledAfterTheCommitAndBeforeTheStatementReturns() throws {
        let other = try folder.connection()
        connection.didCommit { [notes, unowned connection] _ in
            do {
                #expect(!connection.isInsideTransaction)
                let own = try count("t", on: connection)
                let others = try count("t", on: other)
                notes.note("\(own) \(others)")
            } catch {
                Issue.record(error)
            }
        }
        try add(1, on: connection)
        #expect(notes.take() == ["1 1"])
        try connection.transaction { try add(2, on: connection) }
        #expect(notes.take() == ["2 2"])
        let _: Int = try connection.query("INSERT INTO t VALUES(3) RETURNING x")
        #expect(notes.take() == ["3 3"])
        try connection.execute("BEGIN; INSERT INTO t VALUES(4); COMMIT; INSERT INTO u VALUES(1)")
        #expect(notes.take() == ["4 4", "4 4"])
    }

    @Test func inAScriptItIsCalledBeforeTheNextStatement() throws {
        try addCallback("note", to: connection) { [notes] in notes.note($0) }
        listen("commit")
        try connection.execute(
            """
            SELECT note('a'); INSERT INTO t VALUES(1); SELECT note('b');
            BEGIN; INSERT INTO u VALUES(1); SELECT note('c'); COMMIT; SELECT note('d')
            """
        )
        #expect(notes.all == ["a", "commit: t", "b", "c", "commit: u", "d"])
    }

    @Test func itIsCalledInALoopOverRows() throws {
        try connection.execute("INSERT INTO t VALUES(1), (2)")
        listen("commit")
        try connection.forEachRow("SELECT x FROM t") { [notes] _ in
            try connection.run("INSERT INTO u VALUES(1)")
            notes.note("row")
        }
        #expect(notes.all == ["commit: u", "row", "commit: u", "row"])
    }

    @Test func aStatementThatReturnsRowsIsReportedWhenItHasEnded() throws {
        listen("commit")
        #expect(try connection.query("INSERT INTO t VALUES(1), (2) RETURNING x") == [1, 2])
        #expect(notes.take() == ["commit: t"])

        #expect(try connection.query("INSERT INTO u VALUES(3), (4) RETURNING x") == 3)
        #expect(notes.take() == ["commit: u"])

        try connection.forEachRow("DELETE FROM t RETURNING x") { [notes] _ in
            try connection.run("INSERT INTO u VALUES(5)")
            notes.note("row")
        }
        #expect(notes.all == ["row", "row", "commit: t u"])
    }

    // MARK: Several listeners

    @Test func severalAreCalledInTheOrderInWhichTheyWereAdded() throws {
        for name in ["a", "b", "c", "d", "e"] {
            listen(name)
        }
        try add(1, on: connection)
        #expect(notes.all == ["a: t", "b: t", "c: t", "d: t", "e: t"])
    }

    @Test func oneThatIsRemovedIsNotCalledAndTheOthersAre() throws {
        let (first, _, third) = (listen("a"), listen("b"), listen("c"))
        first.end()
        third.end()
        third.end()
        try add(1, on: connection)
        #expect(notes.take() == ["b: t"])
        listen("d")
        try add(2, on: connection)
        #expect(notes.all == ["b: t", "d: t"])
    }

    // MARK: What listeners may do

    /// Two commits of a listener are reported as one.
    @Test func whatAListenerWritesIsReportedAfterwards() throws {
        connection.didCommit { [notes, unowned connection] changes in
            notes.note("writer: \(changes.tables.sorted().joined(separator: " "))")
            if changes.concerns("t") {
                do {
                    try connection.run("INSERT INTO u VALUES(1)")
                    try connection.transaction { try connection.run("INSERT INTO u VALUES(2)") }
                } catch {
                    Issue.record(error)
                }
                notes.note("written")
            }
        }
        listen("second")
        try add(1, on: connection)
        let expected = [
            "writer: t", "written", "second: t", "writer: u", "second: u",
        ]
        #expect(notes.all == expected)
        try expectRows(2, of: "u", on: connection)
    }

    @Test func whatAListenerCommitsIsReportedThoughItsNextTransactionIsRolledBack() throws {
        connection.didCommit { [unowned connection] changes in
            guard changes.concerns("t") else { return }
            do {
                try connection.execute(
                    "INSERT INTO u VALUES(1); BEGIN; INSERT INTO u VALUES(2); ROLLBACK"
                )
            } catch {
                Issue.record(error)
            }
        }
        listen("commit")
        try add(1, on: connection)
        #expect(notes.all == ["commit: t", "commit: u"])
    }

    @Test func aListenerThatKeepsWritingEndsWhenItStops() throws {
        connection.didCommit { [unowned connection] _ in
            do {
                if try count("t", on: connection) < 1000 {
                    try add(1, on: connection)
                }
            } catch {
                Issue.record(error)
            }
        }
        listen("commit")
        try add(1, on: connection)
        #expect(notes.all.count == 1000)
    }

    @Test func aListenerThatAListenerAddsHearsOfTheNextCommits() throws {
        var isFirst = true
        connection.didCommit { [notes, unowned connection] _ in
            notes.note("outer")
            if isFirst {
                connection.didCommit { [notes] _ in notes.note("inner") }
            }
            isFirst = false
        }
        try add(1, on: connection)
        #expect(notes.take() == ["outer"])
        try add(2, on: connection)
        #expect(notes.take() == ["outer", "inner"])
    }

    @Test func aListenerMayRemoveItselfAndOthers() throws {
        var listeners: [ChangeListener] = []
        let first = connection.didCommit { [notes] _ in
            notes.note("first")
            listeners.forEach { $0.end() }
        }
        let second = listen("second")
        listen("third")
        listeners = [first, second]
        try add(1, on: connection)
        #expect(notes.take() == ["first", "third: t"])
        try add(2, on: connection)
        #expect(notes.take() == ["third: t"])
    }

    @Test func theOnlyListenerMayRemoveItself() throws {
        var listener: ChangeListener?
        listener = connection.didCommit { [notes] _ in
            notes.note("called")
            listener?.end()
        }
        try connection.execute("INSERT INTO t VALUES(1); INSERT INTO t VALUES(2)")
        #expect(notes.all == ["called"])
    }

    /// What commits. A blob does so when it is released.
    enum Commit: CaseIterable {
        case statement, transaction, savepoint, blob
    }

    @Test(arguments: Commit.allCases)
    func aListenerCannotCloseTheConnection(commit: Commit) throws {
        try connection.run("INSERT INTO u VALUES(zeroblob(1))")
        connection.didCommit { [notes, unowned connection] _ in
            let error = sqliteError { try connection.close() }
            notes.note("\(error?.resultCode == .busy)")
        }
        switch commit {
        case .statement: try add(1, on: connection)
        case .transaction: try connection.transaction { try add(1, on: connection) }
        case .savepoint: try connection.savepoint { try add(1, on: connection) }
        case .blob:
            try connection.openBlob(table: "u", column: "x", rowID: 1).write([1], at: 0)
        }
        #expect(notes.all == ["true"])
        try add(2, on: connection)
        try connection.close()
    }

    // MARK: The middle of a transaction

    @Test func oneThatIsAddedInATransactionHearsOfIt() throws {
        try connection.transaction {
            try add(1, on: connection)
            listen("commit")
            try connection.run("INSERT INTO u VALUES(1)")
        }
        let told = notes.take()
        #expect(told == ["commit: u"] || told == ["commit: t u"])
        try add(2, on: connection)
        #expect(notes.all == ["commit: t"])
    }

    @Test func oneThatIsAddedBeforeTheCommitMissesNoTable() throws {
        try connection.execute("BEGIN; INSERT INTO t VALUES(1)")
        var told: [TableChanges] = []
        connection.didCommit { told.append($0) }
        try connection.execute("COMMIT")
        #expect(told.count == 1)
        #expect(told.first?.concerns("t") == true)
    }

    @Test func anotherOneThatIsAddedInATransactionHearsAllOfIt() throws {
        listen("first")
        try connection.transaction {
            try add(1, on: connection)
            listen("second")
        }
        #expect(notes.all == ["first: t", "second: t"])
    }

    @Test func oneThatIsAddedInATransactionThatIsRolledBackHearsNothingOfIt() throws {
        try connection.execute("BEGIN; INSERT INTO t VALUES(1)")
        listen("commit")
        try connection.execute("ROLLBACK")
        #expect(notes.take() == [])
        try connection.run("INSERT INTO u VALUES(1)")
        #expect(notes.all == ["commit: u"])
    }

    @Test func oneThatIsRemovedInATransactionHearsNothing() throws {
        let listener = listen("a")
        try connection.transaction {
            try add(1, on: connection)
            listener.end()
        }
        #expect(notes.all == [])
        listen("b")
        try connection.run("INSERT INTO u VALUES(1)")
        #expect(notes.all == ["b: u"])
    }

    @Test func oneThatIsAddedWhileAStatementRunsHearsOfTheNextCommits() throws {
        try connection.execute("INSERT INTO t VALUES(1), (2), (3)")
        try connection.forEachRow("SELECT x FROM t") { row in
            if try row.get(0) as Int == 2 {
                listen("commit")
            }
            try connection.run("INSERT INTO u VALUES(1)")
        }
        #expect(notes.all == ["commit: u", "commit: u"])
    }

    // MARK: Once

    @discardableResult
    private func listenOnce(_ name: String) -> ChangeListener {
        connection.didCommit(once: true) { [notes] changes in
            notes.note("\(name): \(changes.tables.sorted().joined(separator: " "))")
        }
    }

    @Test func aListenerForOneCommitIsCalledOnce() throws {
        listenOnce("once")
        listen("always")
        try connection.execute("INSERT INTO t VALUES(1); INSERT INTO u VALUES(1)")
        #expect(notes.all == ["once: t", "always: t", "always: u"])
    }

    @Test func whatIsRolledBackIsNotTheOneCommit() throws {
        listenOnce("once")
        expectThrows(TestError.self) {
            try connection.transaction {
                try connection.run("INSERT INTO t VALUES(1)")
                throw TestError(reason: "rolled back")
            }
        }
        _ = try connection.query("SELECT count(*) FROM t") as Int
        #expect(notes.all == [])
        try connection.transaction {
            try connection.execute("INSERT INTO t VALUES(1); INSERT INTO u VALUES(1)")
        }
        #expect(notes.take() == ["once: t u"])
        try connection.run("INSERT INTO t VALUES(2)")
        #expect(notes.all == [])
    }

    @Test func oneThatEndsBeforeIsNotCalled() throws {
        listenOnce("once").end()
        try connection.run("INSERT INTO t VALUES(1)")
        #expect(notes.all == [])
    }

    @Test func itHearsNothingOfWhatItWritesItselfAndMayListenAgain() throws {
        connection.didCommit(once: true) { [notes, unowned connection] _ in
            notes.note("first")
            connection.didCommit(once: true) { [notes] in notes.note("second \($0.tables)") }
            _ = try? connection.run("INSERT INTO u VALUES(1)")
        }
        try connection.run("INSERT INTO t VALUES(1)")
        try connection.run("INSERT INTO t VALUES(2)")
        #expect(notes.all == ["first", "second [\"u\"]"])
    }

    @Test func itsClosureIsReleasedAfterTheCall() throws {
        weak var kept: Keepsake?
        do {
            let keepsake = Keepsake()
            kept = keepsake
            connection.didCommit(once: true) { _ in withExtendedLifetime(keepsake) {} }
        }
        #expect(kept != nil)
        try connection.run("INSERT INTO t VALUES(1)")
        #expect(kept == nil)
    }

    @Test func theCountOfAStatementIsItsOwnAlthoughAListenerWrites() throws {
        connection.didCommit { [unowned connection] changes in
            if changes.concerns("t") {
                #expect(throws: Never.self) {
                    try connection.execute("INSERT INTO u VALUES(1), (2), (3)")
                }
            }
        }
        try #expect(connection.run("INSERT INTO t(rowid, x) VALUES(70, 1)") == 1)
        #expect(connection.lastInsertRowID == 70)
        try #expect(connection.run("UPDATE t SET x = 2") == 1)
        try #expect(connection.run("CREATE INDEX i ON t(x)") == 0)
        try expectRows(9, of: "u", on: connection)
    }
}

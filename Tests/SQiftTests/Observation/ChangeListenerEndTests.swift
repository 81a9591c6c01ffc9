import SQift
import SQiftTestSupport
import Testing

/// What is left when a listener is removed, or its connection is closed.
struct ChangeListenerEndTests {
    @Test func aListenerIsKeptUntilItIsRemovedOrTheConnectionEnds() throws {
        var listener: ChangeListener?
        try expectReleased { connection, keepsake in
            listener?.end()
            listener = keepsake.map { keepsake in
                connection.didCommit { _ in withExtendedLifetime(keepsake) {} }
            }
        }
    }

    @Test func aListenerThatIsReplacedWhileAStatementRunsHearsOfLaterOnes() throws {
        let connection = try Connection.withTable()
        var heard: [TableChanges] = []
        var listener = connection.didCommit { heard.append($0) }
        try connection.addFunction(named: "replace_listener") {
            [unowned connection] (number: Int) in
            listener.end()
            listener = connection.didCommit { heard.append($0) }
            return number
        }
        try connection.run("INSERT INTO t VALUES(replace_listener(1))")
        #expect(heard.allSatisfy { $0.concerns("t") })

        heard = []
        try connection.run("INSERT INTO t VALUES(2)")
        #expect(heard.map(\.tables) == [["t"]])
    }

    @Test func listenersComeAndGo() throws {
        let connection = try Connection.withTable()
        let notes = Notes<Int>()
        for round in 0..<50 {
            let listener = connection.didCommit { _ in notes.note(round) }
            try add(round, on: connection)
            listener.end()
            try add(round, on: connection)
        }
        #expect(notes.all == Array(0..<50))
    }

    @Test func afterCloseListenersAreNotCalledAndCanBeRemovedAndAdded() throws {
        let folder = try TemporaryFolder()
        let connection = try Connection.withTable(path: folder.path())
        let listener = connection.didCommit { _ in recordCall() }
        try connection.close()
        try folder.connection().execute("INSERT INTO t VALUES(1)")
        listener.end()
        let late = connection.didCommit { _ in recordCall() }
        late.end()
        expectSQLiteError { try add(1, on: connection) }
        try connection.close()
    }

    @Test func closingInATransactionReportsNoCommit() throws {
        let folder = try TemporaryFolder()
        let connection = try Connection.withTable(path: folder.path())
        let heard = connection.hearChanges()
        try connection.execute("BEGIN; INSERT INTO t VALUES(1)")
        try connection.close()
        heard.expect()
        try expectRows(0, on: folder.connection())
    }

    @Test func aConnectionThatIsReleasedInATransactionReportsNoCommit() throws {
        var heard = Notes<TableChanges>()
        try {
            let connection = try Connection.withTable()
            heard = connection.hearChanges()
            try connection.execute("BEGIN; INSERT INTO t VALUES(1)")
        }()
        heard.expect()
    }

    @Test func aFailedCloseLeavesTheListeners() throws {
        let connection = try Connection.withTable()
        let heard = connection.hearChanges()
        let statement = try connection.prepare("INSERT INTO t VALUES(1)")
        expectSQLiteError(.busy) { try connection.close() }
        try statement.run()
        heard.expect(.commit("t"))
    }
}

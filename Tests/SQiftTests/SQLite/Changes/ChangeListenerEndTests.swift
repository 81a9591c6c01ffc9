import CSQift
import Testing

@testable import SQift

/// What is left when a listener is removed, or its connection is closed.
@Suite(.timeLimit(.minutes(20))) struct ChangeListenerEndTests {
    @Test func aListenerIsKeptUntilItIsRemovedOrTheConnectionEnds() throws {
        var listener: ChangeListener?
        try expectReleased { connection, keepsake in
            listener.map { connection.removeListener($0) }
            listener = keepsake.map { keepsake in
                connection.didCommit { _ in withExtendedLifetime(keepsake) {} }
            }
        }
    }

    @Test func aRollbackListenerIsKeptUntilItIsRemovedOrTheConnectionEnds() throws {
        var listener: ChangeListener?
        try expectReleased { connection, keepsake in
            listener.map { connection.removeListener($0) }
            listener = keepsake.map { keepsake in
                connection.didRollback { withExtendedLifetime(keepsake) {} }
            }
        }
    }

    @Test func aListenerThatIsReplacedWhileAStatementRunsHearsOfLaterOnes() throws {
        let connection = try Connection.withTable()
        var heard: [TableChanges] = []
        var listener = connection.didCommit { heard.append($0) }
        try connection.addFunction(named: "replace_listener") {
            [unowned connection] (number: Int) in
            connection.removeListener(listener)
            listener = connection.didCommit { heard.append($0) }
            return number
        }
        try connection.run("INSERT INTO t VALUES(replace_listener(1))")
        #expect(heard.allSatisfy { $0.concerns("t") })

        heard = []
        try connection.run("INSERT INTO t VALUES(2)")
        #expect(heard.map(\.tables) == [["t"]])
    }

    @Test func theLastRemovalLeavesNothingInSQLite() throws {
        let connection = try Connection.withTable()
        try connection.execute(
            """
            CREATE TABLE log(a);
            CREATE TRIGGER note AFTER DELETE ON t BEGIN INSERT INTO log VALUES(1); END
            """
        )
        let commits = connection.didCommit { _ in recordCall() }
        let rollbacks = connection.didRollback { recordCall() }
        // A statement that can write to two tables: only SQLite's hook tells to which it does.
        try connection.run("DELETE FROM t")
        #expect(try hasUpdateHook(connection))
        connection.removeListener(commits)
        connection.removeListener(rollbacks)
        #expect(try !hasUpdateHook(connection))
        try connection.execute(
            "INSERT INTO t VALUES(1); BEGIN; DELETE FROM t; ROLLBACK; DELETE FROM t"
        )
    }

    /// SQLite returns the argument of the hook that it removes.
    private func hasUpdateHook(_ connection: Connection) throws -> Bool {
        try connection.withUnsafeHandle { handle in
            sqlite3_update_hook(handle, nil, nil) != nil
        }
    }

    @Test func listenersComeAndGo() throws {
        let connection = try Connection.withTable()
        let notes = Notes<Int>()
        for round in 0..<50 {
            let listener = connection.didCommit { _ in notes.note(round) }
            try add(round, on: connection)
            connection.removeListener(listener)
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
        connection.removeListener(listener)
        let late = connection.didCommit { _ in recordCall() }
        connection.didRollback { recordCall() }
        connection.removeListener(late)
        #expect(sqliteError { try add(1, on: connection) } != nil)
        try connection.close()
    }

    @Test func closingInATransactionReportsNoCommit() throws {
        let folder = try TemporaryFolder()
        let connection = try Connection.withTable(path: folder.path())
        let heard = connection.hearChanges()
        try connection.execute("BEGIN; INSERT INTO t VALUES(1)")
        try connection.close()
        #expect(!heard.all.contains { $0 != .rollback })
        try #expect(count("t", on: folder.connection()) == 0)
    }

    @Test func aConnectionThatIsReleasedInATransactionReportsNoCommit() throws {
        var heard = Notes<HeardChange>()
        try {
            let connection = try Connection.withTable()
            heard = connection.hearChanges()
            try connection.execute("BEGIN; INSERT INTO t VALUES(1)")
        }()
        #expect(!heard.all.contains { $0 != .rollback })
    }

    @Test func aFailedCloseLeavesTheListeners() throws {
        let connection = try Connection.withTable()
        let heard = connection.hearChanges()
        let statement = try connection.prepare("INSERT INTO t VALUES(1)")
        #expect(sqliteError { try connection.close() }?.resultCode == .busy)
        try statement.run()
        #expect(heard.all == [.commit("t")])
    }

    @Test func aListenerIsEqualToItselfOnly() throws {
        let connection = try Connection()
        let first = connection.didCommit { _ in }
        let second = connection.didCommit { _ in }
        let third = connection.didRollback {}
        #expect(Set([first, second, third, first]).count == 3)
    }
}

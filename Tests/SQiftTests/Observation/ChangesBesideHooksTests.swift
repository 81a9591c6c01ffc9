import CSQift
import SQift
import SQiftTestSupport
import Testing

/// Listeners beside the single hooks, the authorizer, functions written in Swift and statements
/// that are compiled again.
struct ChangesBesideHooksTests {
    private let connection: Connection
    private let notes = Notes<String>()

    init() throws {
        connection = try Connection()
        try connection.execute(
            """
            CREATE TABLE t(x);
            CREATE TABLE u(x);
            CREATE TABLE log(x);
            CREATE TABLE w(k PRIMARY KEY) WITHOUT ROWID;
            """
        )
    }

    // MARK: Hooks

    private func setHooks() {
        connection.updateHook { [notes] kind, database, table, rowID in
            notes.note("\(kind) \(database ?? "?").\(table ?? "?") \(rowID)")
        }
        connection.commitHook { [notes] in
            notes.note("commit hook")
            return false
        }
        connection.rollbackHook { [notes] in notes.note("rollback hook") }
    }

    private func removeHooks() {
        connection.updateHook(nil)
        connection.commitHook(nil)
        connection.rollbackHook(nil)
    }

    private func listen() -> ChangeListener {
        connection.didCommit { [notes] in notes.note("listener \($0.tables.sorted())") }
    }

    private static let writes = """
        INSERT INTO t VALUES(1); BEGIN; UPDATE t SET x = 2; ROLLBACK; INSERT INTO w VALUES(1)
        """
    private static let hooked = [
        "insert main.t 1", "commit hook", "update main.t 1", "rollback hook", "commit hook",
    ]
    private static let heard = ["listener [\"t\"]", "listener [\"w\"]"]

    @Test(arguments: [true, false])
    func hooksAndListenersAreCalledSideBySide(hooksAreFirst: Bool) throws {
        if hooksAreFirst {
            setHooks()
        }
        let listener = listen()
        if !hooksAreFirst {
            setHooks()
        }
        try connection.execute(Self.writes)
        let expected = [
            "insert main.t 1", "commit hook", "listener [\"t\"]",
            "update main.t 1", "rollback hook",
            "commit hook", "listener [\"w\"]",
        ]
        #expect(notes.take() == expected)
        _ = listener
    }

    @Test func hooksStayWhenTheListenersAreRemoved() throws {
        setHooks()
        listen().end()
        try connection.execute(Self.writes)
        #expect(notes.take() == Self.hooked)
    }

    @Test func listenersStayWhenTheHooksAreRemoved() throws {
        setHooks()
        _ = listen()
        removeHooks()
        try connection.execute(Self.writes)
        #expect(notes.take() == Self.heard)
    }

    // MARK: The user's authorizer

    @Test(arguments: [true, false])
    func aStatementThatTheAuthorizerDeniesIsNotReported(isFirst: Bool) throws {
        func authorize() throws {
            try connection.authorizer { action, first, _, _, _ in
                action == .insert && first == "t" ? .deny : .ok
            }
        }
        if isFirst {
            try authorize()
        }
        let heard = connection.hearChanges()
        if !isFirst {
            try authorize()
        }
        expectSQLiteError(.authorization) { try connection.run("INSERT INTO t VALUES(1)") }
        heard.expect()
        try connection.run("INSERT INTO u VALUES(1)")
        heard.expect(.commit("u"))

        try connection.authorizer(nil)
        try connection.run("INSERT INTO t VALUES(1)")
        #expect(heard.all == [.commit("t")])
    }

    @Test func theAuthorizerStaysWhenTheListenersAreRemoved() throws {
        try connection.authorizer { action, _, _, _, _ in action == .insert ? .deny : .ok }
        let listener = connection.didCommit { _ in }
        listener.end()
        expectSQLiteError(.authorization) { try connection.run("INSERT INTO t VALUES(1)") }
        try connection.authorizer(nil)
        try connection.run("INSERT INTO t VALUES(1)")
    }

    /// The rows are deleted one by one: `.ignore` means that of a DELETE.
    @Test func aDeleteThatTheAuthorizerIgnoresIsReportedAsItIsDone() throws {
        try connection.execute("INSERT INTO t VALUES(1), (2); INSERT INTO w VALUES(1), (2)")
        let heard = connection.hearChanges()
        try connection.authorizer { action, _, _, _, _ in action == .delete ? .ignore : .ok }
        try connection.execute("DELETE FROM t; DELETE FROM w")
        let (inT, inW) = (try count("t", on: connection), try count("w", on: connection))
        #expect(heard.all == (inT == 0 ? [.commit("t")] : []) + (inW == 0 ? [.commit("w")] : []))
    }

    @Test func anInsertThatTheAuthorizerIgnoresIsReportedAsItIsDone() throws {
        let heard = connection.hearChanges()
        try connection.authorizer { action, first, _, _, _ in
            action == .insert && first != "u" ? .ignore : .ok
        }
        try connection.execute("INSERT INTO t VALUES(1); INSERT INTO w VALUES(1)")
        try connection.run("INSERT INTO u VALUES(1)")
        try expectRows(0, on: connection)
        try expectRows(0, of: "w", on: connection)
        heard.expect(.commit("u"))
    }

    @Test func theAuthorizerIsAskedOnceForEachAction() throws {
        func actions(_ body: () throws -> Void) throws -> [String] {
            try connection.authorizer { [notes] action, first, second, _, _ in
                notes.note("\(action) \(first ?? "") \(second ?? "")")
                return .ok
            }
            try body()
            try connection.authorizer(nil)
            return notes.take()
        }
        let alone = try actions { try connection.execute("DELETE FROM t; INSERT INTO u VALUES(1)") }
        _ = connection.didCommit { _ in }
        let beside = try actions {
            try connection.execute("DELETE FROM t; INSERT INTO u VALUES(1)")
        }
        #expect(alone == beside)
        #expect(!alone.isEmpty)
    }

    // MARK: Functions

    @Test func whatAFunctionWritesIsReported() throws {
        try connection.addFunction(named: "logged") { [unowned connection] (value: Int) in
            try connection.run("INSERT INTO log VALUES(?)", value)
            return value
        }
        try connection.addFunction(named: "looked_up") { [unowned connection] (value: Int) in
            try connection.query("SELECT count(*) + ? FROM u", value) as Int
        }
        let heard = connection.hearChanges()
        for _ in 0..<2 {
            let _: Int = try connection.query("SELECT logged(1)")
            heard.expect(.commit("log"))
            try connection.run("INSERT INTO t VALUES(logged(2))")
            heard.expect(.commit("log", "t"))
            try connection.run("INSERT INTO w SELECT logged(3) WHERE false")
            heard.expect()
            try connection.run("INSERT INTO t VALUES(looked_up(4))")
            heard.expect(.commit("t"))
            try connection.run("REPLACE INTO w VALUES(logged(looked_up(5)))")
            heard.expect(.commit("log", "w"))
            try connection.run("UPDATE u SET x = logged(1) WHERE false")
            heard.expect()
        }
    }

    @Test func whatAFunctionInATriggerWritesIsReported() throws {
        try connection.addFunction(named: "logged") { [unowned connection] (value: Int) in
            try connection.run("INSERT INTO log VALUES(?)", value)
            return value
        }
        try connection.execute(
            "CREATE TRIGGER tr AFTER INSERT ON t BEGIN UPDATE u SET x = logged(new.x); END"
        )
        let heard = connection.hearChanges()
        try connection.run("INSERT INTO t VALUES(1)")
        heard.expect(.commit("t", "u"))
        try connection.execute("INSERT INTO u VALUES(1)")
        _ = heard.take()
        try connection.run("INSERT INTO t VALUES(1)")
        heard.expect(.commit("t", "u", "log"))
    }

    /// The function's own savepoint is undone, and the statement around it is kept.
    @Test func whatAFunctionUndoesIsNotReported() throws {
        try connection.addFunction(named: "undone") { [unowned connection] (value: Int) in
            connection.undoingSavepoint {
                try connection.run("INSERT INTO log VALUES(?)", value)
            }
            return value
        }
        let heard = connection.hearChanges()
        try connection.transaction {
            try connection.run("INSERT INTO u VALUES(1)")
            let _: Int = try connection.query("SELECT undone(1)")
        }
        heard.expect(.commit("u"))
    }

    // MARK: Statements that are compiled again

    @Test func aTriggerThatIsMadeAfterwardsIsReported() throws {
        let heard = connection.hearChanges()
        let insert = try connection.prepare("INSERT INTO w VALUES(?)")
        try connection.execute(
            "CREATE TRIGGER tr AFTER INSERT ON w BEGIN INSERT INTO log VALUES(new.k); END"
        )
        _ = heard.take()
        try insert.bind(1).run()
        heard.expect(.commit("w", "log"))
        try connection.execute("DROP TRIGGER tr")
        _ = heard.take()
        try insert.bind(2).run()
        heard.expect(.commit("w"))
    }

    @Test func theSchemaMayBeChangedByAnotherConnection() throws {
        let folder = try TemporaryFolder()
        let connection = try folder.connection()
        try connection.execute(
            "CREATE TABLE w(k PRIMARY KEY) WITHOUT ROWID; CREATE TABLE log(x); CREATE TABLE u(x)"
        )
        let heard = connection.hearChanges()
        let insert = try connection.prepare("INSERT INTO w VALUES(?)")
        let delete = try connection.prepare("DELETE FROM u")
        try insert.bind(1).run()
        _ = heard.take()

        let other = try folder.connection()
        try other.execute(
            "CREATE TRIGGER tr AFTER INSERT ON w BEGIN INSERT INTO log VALUES(new.k); END"
        )
        try insert.bind(2).run()
        heard.expect(.commit("w", "log"))

        try other.execute(
            "DROP TRIGGER tr; DROP TABLE u; CREATE TABLE U(k PRIMARY KEY) WITHOUT ROWID;"
                + "INSERT INTO u VALUES(1)"
        )
        try insert.bind(3).run()
        heard.expect(.commit("w"))
        try delete.run()
        heard.expect(.commit("U"))
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The update hook; the other two are in TransactionHooksTests.swift.
struct HooksTests {
    private let connection: Connection
    private let changes = Notes<String>()

    init() throws {
        connection = try Connection()
        try connection.execute("CREATE TABLE t(x UNIQUE)")
        hear(on: connection)
    }

    private func hear(on connection: Connection) {
        connection.updateHook { [changes] type, database, table, rowID in
            changes.note("\(type) \(database ?? "nil").\(table ?? "nil") \(rowID)")
        }
    }

    // MARK: What it hears

    @Test func changesAreToldInOrder() throws {
        try connection.run("INSERT INTO t VALUES('a'), ('b')")
        try connection.run("INSERT INTO t(rowid, x) VALUES(?, 'c')", Int64.max)
        try connection.run("UPDATE t SET x = 'd' WHERE x = 'b'")
        try connection.run("DELETE FROM t WHERE x = 'a'")
        let expected = [
            "insert main.t 1", "insert main.t 2", "insert main.t \(Int64.max)", "update main.t 2",
            "delete main.t 1",
        ]
        #expect(changes.take() == expected)
        let _: Int = try connection.query("SELECT count(*) FROM t")
        try connection.run("UPDATE t SET x = 1 WHERE x = 'nobody'")
        #expect(changes.take() == [])
    }

    @Test func typesDescribeThemselves() {
        let types: [Connection.UpdateHookType] = [.insert, .update, .delete]
        #expect(types.map(\.description) == ["insert", "update", "delete"])
    }

    /// What SQLite tells, and what it doesn't.
    enum Change: String, CaseIterable {
        case ofATrigger, ofARowThatReplaceDeletes, ofADeleteWithoutWhere, ofADeleteWhereTrue
        case ofADeleteOnATableWithATrigger, ofATableWithoutRowID

        var setup: SQL {
            switch self {
            case .ofATrigger:
                """
                CREATE TABLE log(x);
                CREATE TRIGGER logging AFTER INSERT ON t BEGIN
                    INSERT INTO log VALUES(new.x), (-new.x);
                END
                """
            case .ofARowThatReplaceDeletes: "INSERT INTO t VALUES('a')"
            case .ofADeleteWithoutWhere, .ofADeleteWhereTrue: "INSERT INTO t VALUES(1), (2)"
            case .ofADeleteOnATableWithATrigger:
                """
                CREATE TRIGGER g AFTER DELETE ON t BEGIN SELECT 1; END;
                INSERT INTO t VALUES(1), (2)
                """
            case .ofATableWithoutRowID: "CREATE TABLE w(id PRIMARY KEY, x) WITHOUT ROWID"
            }
        }

        var sql: SQL {
            switch self {
            case .ofATrigger: "INSERT INTO t VALUES(5)"
            case .ofARowThatReplaceDeletes: "REPLACE INTO t VALUES('a')"
            case .ofADeleteWithoutWhere, .ofADeleteOnATableWithATrigger: "DELETE FROM t"
            case .ofADeleteWhereTrue: "DELETE FROM t WHERE true"
            case .ofATableWithoutRowID:
                "INSERT INTO w VALUES(1, 1); UPDATE w SET x = 2; DELETE FROM w WHERE id = 1"
            }
        }

        var told: [String] {
            switch self {
            case .ofATrigger: ["insert main.t 1", "insert main.log 1", "insert main.log 2"]
            case .ofARowThatReplaceDeletes: ["insert main.t 2"]
            case .ofADeleteWithoutWhere, .ofATableWithoutRowID: []
            case .ofADeleteWhereTrue, .ofADeleteOnATableWithATrigger:
                ["delete main.t 1", "delete main.t 2"]
            }
        }

        /// How many rows `t` has afterwards.
        var count: Int {
            switch self {
            case .ofATrigger, .ofARowThatReplaceDeletes: 1
            default: 0
            }
        }
    }

    @Test(arguments: Change.allCases) func aChangeIsToldAsFarAsSQLiteTellsIt(change: Change) throws
    {
        try connection.execute(change.setup)
        _ = changes.take()
        try connection.execute(change.sql)
        #expect(changes.take() == change.told)
        try expectRows(change.count, on: connection)
    }

    @Test func foreignKeysActionsAreTold() throws {
        try connection.execute(
            """
            PRAGMA foreign_keys = ON;
            CREATE TABLE parents(id INTEGER PRIMARY KEY);
            CREATE TABLE children(parent REFERENCES parents ON DELETE CASCADE);
            CREATE TABLE orphans(parent REFERENCES parents ON DELETE SET NULL);
            INSERT INTO parents VALUES(7);
            INSERT INTO children VALUES(7), (7);
            INSERT INTO orphans VALUES(7)
            """
        )
        _ = changes.take()
        try connection.run("DELETE FROM parents WHERE id = 7")
        let told = changes.take()
        #expect(
            Set(told) == [
                "delete main.parents 7", "delete main.children 1", "delete main.children 2",
                "update main.orphans 1",
            ]
        )
        #expect(told.count == 4)
    }

    @Test func theDatabaseIsNamed() throws {
        try connection.attachDatabase(from: .inMemory, withName: "Ä b")
        try connection.execute("CREATE TEMP TABLE \"ä ö\"(x); CREATE TABLE \"Ä b\".u(x)")
        _ = changes.take()
        try connection.execute("INSERT INTO \"ä ö\" VALUES(1); INSERT INTO \"Ä b\".u VALUES(1)")
        #expect(changes.take() == ["insert temp.ä ö 1", "insert Ä b.u 1"])
    }

    @Test func readingInsideItIsAllowed() throws {
        let counts = Notes<Int>()
        connection.updateHook { [unowned connection] _, _, _, _ in
            counts.note((try? connection.query("SELECT 7")) ?? -1)
        }
        try connection.transaction { try connection.run("INSERT INTO t VALUES(1), (2)") }
        try connection.run("INSERT INTO t VALUES(3)")
        #expect(counts.take() == [7, 7, 7])
        try expectRows(3, on: connection)
    }

    @Test func whatIsUndoneLaterIsToldToo() throws {
        try connection.run("INSERT INTO t VALUES(1)")
        _ = changes.take()
        expectSQLiteError { try connection.run("INSERT INTO t VALUES(2), (1)") }
        #expect(changes.take() == ["insert main.t 2"])
        connection.undoing {
            try connection.run("INSERT INTO t VALUES(3)")
        }
        #expect(changes.take() == ["insert main.t 2"])
        try expectRows(1, on: connection)
    }

    // MARK: What it doesn't hear

    @Test func aDeleteThatAnAuthorizerIgnoresIsToldRowByRow() throws {
        try connection.run("INSERT INTO t VALUES(1), (2)")
        _ = changes.take()
        try connection.authorizer { action, _, _, _, _ in action == .delete ? .ignore : .ok }
        try connection.run("DELETE FROM t")
        #expect(changes.take() == ["delete main.t 1", "delete main.t 2"])
        try expectRows(0, on: connection)
    }

    @Test func rollingBackToASavepointIsNotTold() throws {
        let rollbacks = Notes<Bool>()
        connection.rollbackHook { rollbacks.note(true) }
        try connection.transaction {
            try connection.run("SAVEPOINT s")
            try connection.run("INSERT INTO t VALUES(1)")
            try connection.run("ROLLBACK TO s")
        }
        #expect(changes.take() == ["insert main.t 1"])
        #expect(rollbacks.take() == [])
        try expectRows(0, on: connection)
    }

    @Test func otherConnectionsAreNotTold() throws {
        let folder = try TemporaryFolder()
        let connection = try folder.connection()
        hear(on: connection)
        let before = try connection.dataVersion
        try folder.connection().execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)")
        #expect(changes.take() == [])
        try #expect(connection.dataVersion != before)
    }

    // MARK: Setting it

    @Test func itIsReplacedAndRemoved() throws {
        let others = Notes<Int64>()
        connection.updateHook { _, _, _, rowID in others.note(rowID) }
        try connection.run("INSERT INTO t VALUES(1)")
        connection.updateHook(nil)
        try connection.run("INSERT INTO t VALUES(2)")
        hear(on: connection)
        try connection.run("INSERT INTO t VALUES(3)")
        #expect(others.take() == [1])
        #expect(changes.take() == ["insert main.t 3"])
    }

    @Test func itMayReplaceAndRemoveItself() throws {
        let keepsake = Keepsake()
        let told = Notes<String>()
        connection.updateHook { [unowned connection] _, _, _, rowID in
            connection.updateHook { _, _, _, rowID in
                connection.updateHook(nil)
                withExtendedLifetime(keepsake) { told.note("second \(rowID)") }
            }
            withExtendedLifetime(keepsake) { told.note("first \(rowID)") }
        }
        try connection.run("INSERT INTO t VALUES(1), (2), (3)")
        try connection.run("INSERT INTO t VALUES(4)")
        #expect(told.take() == ["first 1", "second 2"])
    }

    @Test func closuresAreReleased() throws {
        try expectReleased { connection, keepsake in
            guard let keepsake else { return connection.updateHook(nil) }
            connection.updateHook { _, _, _, _ in withExtendedLifetime(keepsake) {} }
        }
    }

    @Test func afterCloseItDoesNothing() throws {
        weak var kept: Keepsake?
        try connection.close()
        do {
            let keepsake = Keepsake()
            kept = keepsake
            connection.updateHook { _, _, _, _ in withExtendedLifetime(keepsake) {} }
        }
        #expect(kept == nil)
        connection.updateHook(nil)
    }
}

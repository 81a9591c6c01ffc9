import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Which statement wants to do what, in which words.
struct AuthorizerActionTests {
    typealias Action = Connection.AuthorizerAction

    struct Case: CustomTestStringConvertible {
        let action: Action
        let sql: SQL
        var first: String?
        var second: String?
        var database: String?
        var trigger: String?

        init(
            _ action: Action,
            _ sql: SQL,
            _ first: String? = nil,
            _ second: String? = nil,
            in database: String? = nil,
            by trigger: String? = nil
        ) {
            (self.action, self.sql, self.first, self.second) = (action, sql, first, second)
            (self.database, self.trigger) = (database, trigger)
        }

        var testDescription: String { "\(action): \(sql)" }

        var asked: [String?] { [first, second, database, trigger] }
    }

    static let schema = """
        CREATE TABLE t(a, b);
        INSERT INTO t VALUES(1, 'one');
        CREATE INDEX i ON t(a);
        CREATE VIEW v AS SELECT a FROM t;
        CREATE TABLE log(x);
        CREATE TRIGGER g AFTER UPDATE OF b ON t BEGIN INSERT INTO log VALUES(new.b); END;
        CREATE TEMP TABLE tt(a);
        CREATE INDEX temp.ti ON tt(a);
        CREATE TEMP VIEW tv AS SELECT 1;
        CREATE TEMP TRIGGER tg AFTER INSERT ON tt BEGIN SELECT 1; END;
        ATTACH ':memory:' AS other;
        CREATE TABLE other.o(x)
        """

    static let cases: [Case] = [
        Case(.createIndex, "CREATE INDEX i2 ON t(b)", "i2", "t", in: "main"),
        Case(.createTable, "CREATE TABLE t2(x)", "t2", in: "main"),
        Case(.createTable, "CREATE TABLE other.t2(x)", "t2", in: "other"),
        Case(.createTempIndex, "CREATE INDEX temp.ti2 ON tt(a)", "ti2", "tt", in: "temp"),
        Case(.createTempTable, "CREATE TEMP TABLE tt2(x)", "tt2", in: "temp"),
        Case(
            .createTempTrigger,
            "CREATE TEMP TRIGGER tg2 AFTER INSERT ON tt BEGIN SELECT 1; END",
            "tg2",
            "tt",
            in: "temp"
        ),
        Case(.createTempView, "CREATE TEMP VIEW tv2 AS SELECT 1", "tv2", in: "temp"),
        Case(
            .createTrigger,
            "CREATE TRIGGER g2 AFTER INSERT ON t BEGIN SELECT 1; END",
            "g2",
            "t",
            in: "main"
        ),
        Case(.createView, "CREATE VIEW v2 AS SELECT 1", "v2", in: "main"),
        Case(.delete, "DELETE FROM t WHERE a = 1", "t", in: "main"),
        Case(.delete, "DELETE FROM other.o", "o", in: "other"),
        Case(.dropIndex, "DROP INDEX i", "i", "t", in: "main"),
        Case(.dropTable, "DROP TABLE t", "t", in: "main"),
        Case(.dropTempIndex, "DROP INDEX ti", "ti", "tt", in: "temp"),
        Case(.dropTempTable, "DROP TABLE tt", "tt", in: "temp"),
        Case(.dropTempTrigger, "DROP TRIGGER tg", "tg", "tt", in: "temp"),
        Case(.dropTempView, "DROP VIEW tv", "tv", in: "temp"),
        Case(.dropTrigger, "DROP TRIGGER g", "g", "t", in: "main"),
        Case(.dropView, "DROP VIEW v", "v", in: "main"),
        Case(.insert, "INSERT INTO t VALUES(2, 'two')", "t", in: "main"),
        Case(.insert, "UPDATE t SET b = 'new'", "log", in: "main", by: "g"),
        Case(.pragma, "PRAGMA user_version = 5", "user_version", "5"),
        Case(.pragma, "PRAGMA main.user_version", "user_version", in: "main"),
        Case(.read, "SELECT b FROM t", "t", "b", in: "main"),
        Case(.read, "SELECT a FROM v", "t", "a", in: "main", by: "v"),
        Case(.read, "SELECT count(*) FROM main.t", "t", "", in: "main"),
        Case(.select, "SELECT 1"),
        Case(.transaction, "BEGIN", "BEGIN"),
        Case(.transaction, "BEGIN IMMEDIATE", "BEGIN"),
        Case(.update, "UPDATE t SET b = 'new'", "t", "b", in: "main"),
        Case(.attach, "ATTACH 'file name' AS another", "file name"),
        Case(.detach, "DETACH other", "other"),
        Case(.alterTable, "ALTER TABLE t RENAME TO t3", "main", "t"),
        Case(.alterTable, "ALTER TABLE t ADD COLUMN c", "main", "t"),
        Case(.reindex, "REINDEX i", "i", in: "main"),
        Case(.analyze, "ANALYZE t", "t", in: "main"),
        Case(.function, "SELECT upper('x')", nil, "upper"),
        Case(.savepoint, "SAVEPOINT s", "BEGIN", "s"),
        Case(.recursive, numbers(to: 3), by: "numbers"),
    ]

    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute(Self.schema)
    }

    /// Everything that a change would show in.
    private func state() throws -> [String] {
        try connection.query(
            """
            SELECT 'main ' || type || name || coalesce(sql, '') FROM main.sqlite_master
            UNION ALL SELECT 'temp ' || type || name || coalesce(sql, '') FROM temp.sqlite_master
            UNION ALL SELECT 'other ' || type || name || coalesce(sql, '') FROM other.sqlite_master
            UNION ALL SELECT 'row ' || a || b FROM t
            UNION ALL SELECT 'log ' || x FROM log
            UNION ALL SELECT 'version ' || user_version FROM pragma_user_version
            UNION ALL SELECT 'database ' || name FROM pragma_database_list
            """
        )
    }

    @Test func theNumbersAreSQLites() {
        let numbers: [Int32] = [
            SQLITE_COPY, SQLITE_CREATE_INDEX, SQLITE_CREATE_TABLE, SQLITE_CREATE_TEMP_INDEX,
            SQLITE_CREATE_TEMP_TABLE,
            SQLITE_CREATE_TEMP_TRIGGER, SQLITE_CREATE_TEMP_VIEW, SQLITE_CREATE_TRIGGER,
            SQLITE_CREATE_VIEW,
            SQLITE_DELETE, SQLITE_DROP_INDEX, SQLITE_DROP_TABLE, SQLITE_DROP_TEMP_INDEX,
            SQLITE_DROP_TEMP_TABLE,
            SQLITE_DROP_TEMP_TRIGGER, SQLITE_DROP_TEMP_VIEW, SQLITE_DROP_TRIGGER, SQLITE_DROP_VIEW,
            SQLITE_INSERT,
            SQLITE_PRAGMA, SQLITE_READ, SQLITE_SELECT, SQLITE_TRANSACTION, SQLITE_UPDATE,
            SQLITE_ATTACH, SQLITE_DETACH,
            SQLITE_ALTER_TABLE, SQLITE_REINDEX, SQLITE_ANALYZE, SQLITE_CREATE_VTABLE,
            SQLITE_DROP_VTABLE,
            SQLITE_FUNCTION, SQLITE_SAVEPOINT, SQLITE_RECURSIVE,
        ]
        #expect(Action.allCases.map(\.rawValue) == numbers)
    }

    @Test func everyActionHasACase() {
        let missing = Set(Action.allCases).subtracting(Self.cases.map(\.action))
        #expect(missing == [.copy, .createVTable, .dropVTable])
    }

    @Test(arguments: cases)
    func anActionIsAskedAboutAndCanBeDenied(_ test: Case) throws {
        let before = try state()
        let asked = Notes<[String?]>()
        var result = Connection.AuthorizerResult.ok
        func ask() throws {
            try connection.authorizer { action, first, second, database, trigger in
                guard action == test.action else { return .ok }
                let words = [first, second, database, trigger]
                asked.note(words)
                return words == test.asked ? result : .ok
            }
        }
        result = .deny
        try ask()
        let error = sqliteError { try connection.run(test.sql) }
        #expect(asked.all.contains(test.asked), "asked: \(asked.all)")
        #expect(
            error?.resultCode == (test.action == .function ? .error : .authorization),
            "\(error.map(String.init(describing:)) ?? "")"
        )
        #expect(!connection.isInsideTransaction)
        try connection.authorizer(nil)
        try #expect(state() == before)

        result = .ok
        try ask()
        if test.action == .attach {
            _ = try connection.prepare(test.sql)
        } else {
            try connection.run(test.sql)
        }
    }

    @Test(arguments: ["COMMIT", "ROLLBACK"])
    func aTransactionsEndIsAskedAbout(operation: String) throws {
        try connection.authorizer { action, first, _, _, _ in
            action == .transaction && first == operation ? .deny : .ok
        }
        try connection.execute("BEGIN; DELETE FROM t")
        expectSQLiteError(extended: .authorization) { try connection.execute(operation) }
        #expect(connection.isInsideTransaction)
        try connection.authorizer(nil)
        try connection.execute(operation)
    }

    @Test(arguments: [("RELEASE s", "RELEASE"), ("ROLLBACK TO s", "ROLLBACK")])
    func aSavepointsEndIsAskedAbout(sql: String, operation: String) throws {
        try connection.authorizer { action, first, second, _, _ in
            action == .savepoint && first == operation && second == "s" ? .deny : .ok
        }
        try connection.execute("SAVEPOINT s")
        expectSQLiteError(extended: .authorization) { try connection.execute(sql) }
        try connection.authorizer(nil)
        try connection.execute("RELEASE s")
    }

    @Test(.enabled(if: Connection.hasCompileOption("ENABLE_FTS5")))
    func virtualTablesAreAskedAbout() throws {
        let asked = Notes<[String?]>()
        var result = Connection.AuthorizerResult.deny
        func ask() throws {
            try connection.authorizer { action, first, second, database, _ in
                guard action == .createVTable || action == .dropVTable else { return .ok }
                asked.note(["\(action)", first, second, database])
                return result
            }
        }
        try ask()
        let sql = "CREATE VIRTUAL TABLE f USING fts5(x)"
        expectSQLiteError(extended: .authorization) { try connection.run(sql) }
        #expect(asked.take() == [["createVTable", "f", "fts5", "main"]])
        result = .ok
        try ask()
        try connection.run(sql)
        _ = asked.take()
        result = .deny
        try ask()
        expectSQLiteError(extended: .authorization) { try connection.run("DROP TABLE f") }
        #expect(asked.take() == [["dropVTable", "f", "fts5", "main"]])
        try connection.authorizer(nil)
        try expectRows(0, of: "f", on: connection)
    }
}

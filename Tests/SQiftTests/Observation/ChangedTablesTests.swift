import SQift
import SQiftTestSupport
import Testing

/// The tables that one statement changes, however it is run.
struct ChangedTablesTests {
    // MARK: One table

    private static let one = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, x UNIQUE, y);
        CREATE TABLE other(id INTEGER PRIMARY KEY, x UNIQUE, y);
        CREATE TABLE empty(x);
        INSERT INTO t VALUES(1, 'a', 1), (2, 'b', 2);
        INSERT INTO other VALUES(11, 'k', 1);
        """

    static let rows = ChangeCase.all(
        one,
        [
            "INSERT INTO t VALUES(3, 'c', 3)": "t",
            "INSERT INTO t SELECT * FROM other": "t",
            "INSERT INTO t(y) VALUES(1), (2) RETURNING id": "t",
            "INSERT INTO empty DEFAULT VALUES": "empty",
            "WITH w AS (SELECT 8 AS i) INSERT INTO t(y) SELECT i FROM w": "t",
            "UPDATE t SET y = 9 WHERE id = 1": "t",
            "UPDATE t SET y = y": "t",
            "UPDATE t SET y = o.y FROM other AS o WHERE t.id = 1": "t",
            "UPDATE t SET id = id + 10 RETURNING id": "t",
            "UPDATE OR REPLACE t SET x = 'b' WHERE id = 1": "t",
            "UPDATE OR IGNORE t SET x = 'c'": "t",
            "DELETE FROM t WHERE id = 1": "t",
            "DELETE FROM t WHERE true": "t",
            "DELETE FROM t": "t",
            "DELETE FROM t RETURNING id": "t",
            "DELETE FROM t WHERE id IN (SELECT y FROM other)": "t",
            "REPLACE INTO t VALUES(3, 'c', 3)": "t",
            "REPLACE INTO t VALUES(1, 'b', 3)": "t",
            "INSERT OR IGNORE INTO t VALUES(1, 'a', 1), (4, 'd', 4)": "t",
            "INSERT INTO t VALUES(1, 'a', 5) ON CONFLICT(id) DO UPDATE SET y = excluded.y": "t",
            "INSERT INTO t VALUES(3, 'z', 5) ON CONFLICT DO NOTHING": "t",
        ]
    )

    @Test(arguments: rows, ChangeCase.Manner.allCases)
    func writingRowsChangesTheirTable(change: ChangeCase, manner: ChangeCase.Manner) throws {
        try change.check(manner)
    }

    static let nothing = ChangeCase.all(
        one,
        [
            "SELECT * FROM t": "",
            "UPDATE t SET y = 9 WHERE id = 99": "",
            "UPDATE empty SET x = 1 RETURNING x": "",
            "DELETE FROM t WHERE id = 99": "",
            "DELETE FROM empty": "",
            "INSERT INTO t SELECT * FROM other WHERE false": "",
            "INSERT OR IGNORE INTO t VALUES(1, 'a', 1)": "",
            "INSERT INTO t VALUES(1, 'a', 1) ON CONFLICT DO NOTHING": "",
            "INSERT INTO t VALUES(1, 'a', 1) ON CONFLICT(id) DO UPDATE SET y = 2 WHERE false": "",
            "EXPLAIN INSERT INTO t VALUES(3, 'c', 3)": "",
            "EXPLAIN QUERY PLAN DELETE FROM t": "",
        ]
    )

    @Test(arguments: nothing, ChangeCase.Manner.allCases)
    func whatWritesNoRowChangesNothing(change: ChangeCase, manner: ChangeCase.Manner) throws {
        try change.check(manner)
    }

    // MARK: Kinds of tables

    private static let kinds = """
        CREATE TABLE w(k PRIMARY KEY, v UNIQUE) WITHOUT ROWID;
        CREATE TABLE logged(k PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE log(x);
        CREATE TRIGGER log AFTER INSERT ON logged WHEN new.k > 0 BEGIN
            INSERT INTO log VALUES(new.k);
        END;
        INSERT INTO w VALUES(1, 'a'), (2, 'b');
        CREATE TABLE g(a, b AS (a * 2) STORED, c AS (a + 1));
        CREATE INDEX byC ON g(c);
        INSERT INTO g VALUES(1), (2);
        CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT);
        INSERT INTO counted VALUES(1);
        """

    static let kindsOfTables = ChangeCase.all(
        kinds,
        [
            "INSERT INTO w VALUES(3, 'c')": "w",
            "UPDATE w SET v = 'z' WHERE k = 1": "w",
            "UPDATE w SET k = 9 WHERE k = 1": "w",
            "DELETE FROM w WHERE k = 1": "w",
            "DELETE FROM w": "w",
            "REPLACE INTO w VALUES(1, 'b')": "w",
            "INSERT INTO w VALUES(1, 'q') ON CONFLICT(k) DO UPDATE SET v = 1": "w",
            "INSERT INTO w VALUES(1, 'q') ON CONFLICT DO NOTHING": "",
            "UPDATE w SET v = 'z' WHERE k = 99": "",
            "DELETE FROM w WHERE k = 99": "",
            "DELETE FROM logged": "",
            "INSERT INTO logged VALUES(1)": "logged, log",
            "INSERT INTO logged VALUES(0)": "logged",
            "INSERT INTO logged SELECT 1 WHERE false": "",
            "INSERT INTO g VALUES(3)": "g",
            "UPDATE g SET a = 5 WHERE b = 2": "g",
            "DELETE FROM g WHERE c = 2": "g",
            "INSERT INTO counted DEFAULT VALUES": "counted",
            "DELETE FROM counted": "counted",
            "UPDATE sqlite_sequence SET seq = 100": "",
        ]
    )

    @Test(arguments: kindsOfTables, ChangeCase.Manner.allCases)
    func tablesOfAllKindsAreHeardOf(change: ChangeCase, manner: ChangeCase.Manner) throws {
        try change.check(manner, within: ["log"])
    }

    // MARK: Names

    private static let names = """
        CREATE TABLE "Cars"(x);
        CREATE TABLE "two words"(x);
        CREATE TABLE "quo""te's"(x);
        CREATE TABLE "a.b"(x);
        CREATE TABLE "Straße"(x);
        CREATE TABLE "таблица 表"(x);
        CREATE TABLE "select"(x) ;
        CREATE TABLE WithoutRowID(k PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE Log(x);
        CREATE TRIGGER log AFTER INSERT ON cars BEGIN
            INSERT INTO LOG VALUES(new.x);
        END;
        """

    static let namedTables = ChangeCase.all(
        names,
        [
            "INSERT INTO CARS VALUES(1)": "Cars, Log",
            "INSERT INTO main.cars VALUES(1)": "Cars, Log",
            "INSERT INTO MAIN.[cArS] VALUES(1)": "Cars, Log",
            "INSERT INTO `Two Words` VALUES(1)": "two words",
            "INSERT INTO \"quo\"\"te's\" VALUES(1)": "quo\"te's",
            "INSERT INTO \"A.B\" VALUES(1)": "a.b",
            "INSERT INTO straße VALUES(1)": "Straße",
            "INSERT INTO \"таблица 表\" VALUES(1)": "таблица 表",
            "INSERT INTO \"SELECT\" VALUES(1)": "select",
            "INSERT INTO withoutrowid VALUES(1)": "WithoutRowID",
        ]
    )

    @Test(arguments: namedTables, ChangeCase.Manner.allCases)
    func namesAreSpelledAsInTheSchema(change: ChangeCase, manner: ChangeCase.Manner) throws {
        try change.check(manner)
    }
}

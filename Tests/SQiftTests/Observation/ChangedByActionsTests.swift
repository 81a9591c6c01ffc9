import SQiftTestSupport
import Testing

import SQift

/// The tables that a statement changes by foreign keys and triggers.
struct ChangedByActionsTests {
    // MARK: Foreign keys

    private static let family = """
        CREATE TABLE p(id INTEGER PRIMARY KEY, x);
        CREATE TABLE ch(
            id INTEGER PRIMARY KEY,
            p REFERENCES p(id) ON DELETE CASCADE ON UPDATE CASCADE
        );
        CREATE TABLE gc(id INTEGER PRIMARY KEY, ch REFERENCES ch(id) ON DELETE CASCADE);
        CREATE TABLE sn(ch REFERENCES ch(id) ON DELETE SET NULL);
        CREATE TABLE sd(p DEFAULT 3 REFERENCES p(id) ON DELETE SET DEFAULT);
        CREATE TABLE kept(p REFERENCES p(id) ON DELETE RESTRICT);
        CREATE TABLE tree(id INTEGER PRIMARY KEY, up REFERENCES tree(id) ON DELETE CASCADE);
        CREATE TABLE u(id INTEGER PRIMARY KEY);
        CREATE TABLE uw(u REFERENCES u(id) ON DELETE CASCADE, k, PRIMARY KEY(u, k)) WITHOUT ROWID;
        INSERT INTO p VALUES(1, 'a'), (2, 'b'), (3, 'c'), (4, 'd');
        INSERT INTO ch VALUES(1, 1), (2, 4);
        INSERT INTO gc VALUES(1, 1);
        INSERT INTO sn VALUES(1);
        INSERT INTO sd VALUES(1);
        INSERT INTO kept VALUES(3);
        INSERT INTO tree VALUES(1, NULL), (2, 1), (3, 2), (4, NULL);
        INSERT INTO u VALUES(1), (2);
        INSERT INTO uw VALUES(1, 1), (1, 2);
        """

    static let foreignKeys = [
        ChangeCase(family, "DELETE FROM p WHERE id = 1", "p", "ch", "gc", "sn", "sd"),
        ChangeCase(family, "DELETE FROM p WHERE id < 3 RETURNING id", "p", "ch", "gc", "sn", "sd"),
        ChangeCase(family, "DELETE FROM p WHERE id = 4", "p", "ch"),
        ChangeCase(family, "DELETE FROM p WHERE id = 2", "p"),
        ChangeCase(family, "DELETE FROM p WHERE id = 99"),
        ChangeCase(family, "DELETE FROM ch", "ch", "gc", "sn"),
        ChangeCase(family, "UPDATE p SET id = 40 WHERE id = 4", "p", "ch"),
        ChangeCase(family, "UPDATE p SET x = 'z' WHERE id = 4", "p"),
        ChangeCase(family, "UPDATE p SET id = 20 WHERE id = 2", "p"),
        ChangeCase(family, "REPLACE INTO p VALUES(1, 'z')", "p", "ch", "gc", "sn", "sd"),
        ChangeCase(family, "REPLACE INTO p VALUES(2, 'z')", "p"),
        ChangeCase(family, "REPLACE INTO p VALUES(9, 'z')", "p"),
        ChangeCase(family, "UPDATE OR REPLACE p SET id = 4 WHERE id = 2", "p", "ch"),
        ChangeCase(family, "INSERT OR REPLACE INTO ch VALUES(1, 2)", "ch", "gc", "sn"),
        ChangeCase(family, "DELETE FROM tree WHERE id = 1", "tree"),
        ChangeCase(family, "DELETE FROM u WHERE id = 1", "u", "uw"),
        ChangeCase(family, "DELETE FROM u WHERE id = 2", "u"),
        ChangeCase("PRAGMA foreign_keys = OFF; \(family)", "DELETE FROM p WHERE id = 1", "p"),
        ChangeCase("PRAGMA foreign_keys = OFF; \(family)", "DELETE FROM p", "p"),
    ]

    @Test(arguments: foreignKeys, ChangeCase.Manner.allCases)
    func foreignKeysChangeTheTablesWhoseRowsTheyWrite(
        change: ChangeCase,
        manner: ChangeCase.Manner
    ) throws {
        try change.check(manner, within: ["ch", "gc", "sn", "sd", "uw", "tree"])
    }

    // MARK: Triggers

    private static let triggers = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, x, y);
        CREATE TABLE log(x);
        CREATE TABLE deep(x);
        CREATE TABLE scratch(x);
        CREATE TABLE w(k PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE copies(x);
        CREATE TRIGGER inserted AFTER INSERT ON t WHEN new.x > 0 BEGIN
            INSERT INTO log VALUES(new.x);
        END;
        CREATE TRIGGER deepened AFTER INSERT ON log WHEN new.x > 10 BEGIN
            INSERT INTO deep VALUES(new.x);
        END;
        CREATE TRIGGER cleared BEFORE UPDATE OF x ON t BEGIN
            DELETE FROM scratch;
        END;
        CREATE TRIGGER updated AFTER UPDATE OF y ON t BEGIN
            INSERT OR IGNORE INTO w VALUES(new.y);
        END;
        CREATE TRIGGER deleted BEFORE DELETE ON t BEGIN
            UPDATE log SET x = x + 1 WHERE x = old.x;
            INSERT INTO copies SELECT * FROM scratch;
        END;
        CREATE VIEW v AS SELECT id, x FROM t;
        CREATE TRIGGER insteadOfInsert INSTEAD OF INSERT ON v BEGIN
            INSERT INTO log VALUES(new.x);
        END;
        CREATE TRIGGER insteadOfUpdate INSTEAD OF UPDATE ON v WHEN new.x > 0 BEGIN
            UPDATE t SET y = new.x WHERE id = new.id;
        END;
        CREATE TRIGGER insteadOfDelete INSTEAD OF DELETE ON v BEGIN
            SELECT old.id;
        END;
        CREATE TABLE one(x);
        CREATE TABLE two(x);
        CREATE TRIGGER emptied AFTER DELETE ON one BEGIN
            DELETE FROM two;
        END;
        CREATE TABLE three(k PRIMARY KEY) WITHOUT ROWID;
        CREATE TRIGGER emptiedThree AFTER INSERT ON one BEGIN
            DELETE FROM three;
        END;
        INSERT INTO t VALUES(1, -1, 1), (2, -2, 2);
        INSERT INTO scratch VALUES(1), (2);
        INSERT INTO w VALUES(1);
        INSERT INTO one VALUES(1), (2);
        INSERT INTO two VALUES(1), (2);
        INSERT INTO three VALUES(1), (2);
        """

    private static let emptyScratch = triggers + "DELETE FROM scratch;"

    static let byTriggers = [
        ChangeCase(triggers, "INSERT INTO t VALUES(3, 5, 1)", "t", "log"),
        ChangeCase(triggers, "INSERT INTO t VALUES(3, 50, 1)", "t", "log", "deep"),
        ChangeCase(triggers, "INSERT INTO t VALUES(3, -5, 1)", "t"),
        ChangeCase(triggers, "INSERT INTO t SELECT 3, 50, 1 WHERE false"),
        ChangeCase(triggers, "UPDATE t SET x = -9 WHERE id = 1", "t", "scratch"),
        ChangeCase(triggers, "UPDATE t SET x = -9 WHERE id = 99"),
        ChangeCase(emptyScratch, "UPDATE t SET x = -9 WHERE id = 1", "t"),
        ChangeCase(triggers, "UPDATE t SET y = 7 WHERE id = 1", "t", "w"),
        ChangeCase(triggers, "UPDATE t SET y = 1 WHERE id = 1", "t"),
        ChangeCase(triggers, "DELETE FROM t WHERE id = 1", "t", "copies"),
        ChangeCase(emptyScratch, "DELETE FROM t", "t"),
        ChangeCase(triggers, "REPLACE INTO t VALUES(1, 3, 3)", "t", "log"),
        ChangeCase(
            triggers + "PRAGMA recursive_triggers = ON",
            "REPLACE INTO t VALUES(1, -3, 3)",
            "t",
            "copies"
        ),
        ChangeCase(triggers, "INSERT INTO v VALUES(9, 5)", "log"),
        ChangeCase(triggers, "INSERT INTO v VALUES(9, 50)", "log", "deep"),
        ChangeCase(triggers, "UPDATE v SET x = 7 WHERE id = 1", "t", "w"),
        ChangeCase(triggers, "UPDATE v SET x = -7"),
        ChangeCase(triggers, "DELETE FROM v"),
        ChangeCase(triggers, "DELETE FROM one", "one", "two"),
        ChangeCase(triggers, "DELETE FROM one WHERE x = 1", "one", "two"),
        ChangeCase(triggers + "DELETE FROM two;", "DELETE FROM one", "one"),
        ChangeCase(triggers, "INSERT INTO one VALUES(9)", "one", "three"),
        ChangeCase(triggers + "DELETE FROM three;", "INSERT INTO one VALUES(9)", "one"),
    ]

    @Test(arguments: byTriggers, ChangeCase.Manner.allCases)
    func triggersChangeTheTablesThatTheyWrite(
        change: ChangeCase,
        manner: ChangeCase.Manner
    ) throws {
        let reach: Set = ["log", "deep", "scratch", "w", "copies", "t", "v", "two", "three"]
        try change.check(manner, within: reach)
    }

    @Test(arguments: [
        "INSERT INTO t VALUES(3, 50, 1), (3, 50, 1)",
        "INSERT OR ROLLBACK INTO t VALUES(3, 50, 1), (3, 50, 1)",
        "UPDATE t SET x = -1, y = json('broken')",
    ])
    func aFailedStatementOfItsOwnWithTriggersIsNotReported(sql: String) throws {
        let connection = try Connection()
        try connection.execute(Self.triggers)
        let heard = connection.hearChanges()
        #expect(sqliteError { try connection.run(sql) } != nil)
        #expect(heard.take() == [])
        try connection.run("INSERT INTO copies VALUES(1)")
        #expect(heard.all == [.commit("copies")])
    }

    @Test(arguments: [1, -1])
    func theTablesOfTriggersThatDoNothingAreReportedAtWorst(value: Int) throws {
        let connection = try Connection()
        try connection.execute(
            """
            CREATE TABLE w(k PRIMARY KEY) WITHOUT ROWID;
            CREATE TABLE positive(k PRIMARY KEY) WITHOUT ROWID;
            CREATE TABLE negative(x);
            CREATE TRIGGER positive AFTER INSERT ON w WHEN new.k > 0 BEGIN
                INSERT INTO positive VALUES(new.k);
            END;
            CREATE TRIGGER negative AFTER INSERT ON w WHEN new.k < 0 BEGIN
                INSERT INTO negative VALUES(new.k);
            END
            """
        )
        let heard = connection.hearChanges()
        try connection.run("INSERT INTO w VALUES(?)", value)
        let tables = try #require(heard.take().first).tables
        let written: Set = value > 0 ? ["w", "positive"] : ["w", "negative"]
        #expect(tables.isSuperset(of: written))
        #expect(tables.subtracting(written).isSubset(of: ["positive", "negative"]))

        try connection.run("INSERT OR IGNORE INTO w VALUES(?)", value)
        #expect(heard.all == [])
    }
}

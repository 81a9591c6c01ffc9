import SQift
import SQiftTestSupport
import Testing

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

    static let foreignKeys =
        ChangeCase.all(
            family,
            [
                "DELETE FROM p WHERE id = 1": "p, ch, gc, sn, sd",
                "DELETE FROM p WHERE id < 3 RETURNING id": "p, ch, gc, sn, sd",
                "DELETE FROM p WHERE id = 4": "p, ch",
                "DELETE FROM p WHERE id = 2": "p",
                "DELETE FROM p WHERE id = 99": "",
                "DELETE FROM ch": "ch, gc, sn",
                "UPDATE p SET id = 40 WHERE id = 4": "p, ch",
                "UPDATE p SET x = 'z' WHERE id = 4": "p",
                "UPDATE p SET id = 20 WHERE id = 2": "p",
                "REPLACE INTO p VALUES(1, 'z')": "p, ch, gc, sn, sd",
                "REPLACE INTO p VALUES(2, 'z')": "p",
                "REPLACE INTO p VALUES(9, 'z')": "p",
                "UPDATE OR REPLACE p SET id = 4 WHERE id = 2": "p, ch",
                "INSERT OR REPLACE INTO ch VALUES(1, 2)": "ch, gc, sn",
                "DELETE FROM tree WHERE id = 1": "tree",
                "DELETE FROM u WHERE id = 1": "u, uw",
                "DELETE FROM u WHERE id = 2": "u",
            ]
        )
        + ChangeCase.all(
            "PRAGMA foreign_keys = OFF; \(family)",
            [
                "DELETE FROM p WHERE id = 1": "p",
                "DELETE FROM p": "p",
            ]
        )

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

    static let byTriggers =
        ChangeCase.all(
            triggers,
            [
                "INSERT INTO t VALUES(3, 5, 1)": "t, log",
                "INSERT INTO t VALUES(3, 50, 1)": "t, log, deep",
                "INSERT INTO t VALUES(3, -5, 1)": "t",
                "INSERT INTO t SELECT 3, 50, 1 WHERE false": "",
                "UPDATE t SET x = -9 WHERE id = 1": "t, scratch",
                "UPDATE t SET x = -9 WHERE id = 99": "",
                "UPDATE t SET y = 7 WHERE id = 1": "t, w",
                "UPDATE t SET y = 1 WHERE id = 1": "t",
                "DELETE FROM t WHERE id = 1": "t, copies",
                "REPLACE INTO t VALUES(1, 3, 3)": "t, log",
                "INSERT INTO v VALUES(9, 5)": "log",
                "INSERT INTO v VALUES(9, 50)": "log, deep",
                "UPDATE v SET x = 7 WHERE id = 1": "t, w",
                "UPDATE v SET x = -7": "",
                "DELETE FROM v": "",
                "DELETE FROM one": "one, two",
                "DELETE FROM one WHERE x = 1": "one, two",
                "INSERT INTO one VALUES(9)": "one, three",
            ]
        )
        + ChangeCase.all(
            emptyScratch,
            [
                "UPDATE t SET x = -9 WHERE id = 1": "t",
                "DELETE FROM t": "t",
            ]
        )
        + ChangeCase.all(
            triggers + "PRAGMA recursive_triggers = ON",
            [
                "REPLACE INTO t VALUES(1, -3, 3)": "t, copies"
            ]
        )
        + ChangeCase.all(
            triggers + "DELETE FROM two;",
            [
                "DELETE FROM one": "one"
            ]
        )
        + ChangeCase.all(
            triggers + "DELETE FROM three;",
            [
                "INSERT INTO one VALUES(9)": "one"
            ]
        )

    @Test(arguments: byTriggers, ChangeCase.Manner.allCases)
    func triggersChangeTheTablesThatTheyWrite(
        change: ChangeCase,
        manner: ChangeCase.Manner
    ) throws {
        let reach: Set = ["log", "deep", "scratch", "w", "copies", "t", "v", "two", "three"]
        try change.check(manner, within: reach)
    }
}

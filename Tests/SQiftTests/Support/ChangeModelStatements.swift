import SQift

/// The tables of `ChangeModel`, and what is done with them. `?1` is a small number, and `?2` one
/// that was never used before: whatever is written differs from what was there.
package enum ChangeModelStatements {
    package struct Operation: Sendable {
        package let sql: String
        /// The tables that it can write to.
        package let reach: Set<String>

    }

    /// Stands for the schema among the tables.
    package static let schemaName = "(schema)"

    package static let hasFullText = Connection.hasCompileOption("ENABLE_FTS5")
    package static let hasRTree = Connection.hasCompileOption("ENABLE_RTREE")

    /// What another connection does to the schema.
    package static let schemaChangesOfOthers = [
        "CREATE TRIGGER IF NOT EXISTS others AFTER INSERT ON plain BEGIN DELETE FROM scratch; END",
        "DROP TRIGGER IF EXISTS others",
        "CREATE INDEX IF NOT EXISTS othersIndex ON logged(n)",
        "DROP INDEX IF EXISTS othersIndex",
        "CREATE VIEW IF NOT EXISTS othersView AS SELECT 1",
        "DROP VIEW IF EXISTS othersView",
    ]

    package static let schema = """
        PRAGMA foreign_keys = ON;
        PRAGMA synchronous = OFF;
        CREATE TABLE aux.at(id INTEGER PRIMARY KEY, n UNIQUE);
        CREATE TABLE aux.aw(id PRIMARY KEY, n) WITHOUT ROWID;
        CREATE TRIGGER aux.atInsert AFTER INSERT ON at WHEN new.id > 2 BEGIN
            REPLACE INTO aw VALUES(new.id, new.n);
        END;
        CREATE TABLE plain(id INTEGER PRIMARY KEY, n, u UNIQUE);
        CREATE TABLE copies(id INTEGER PRIMARY KEY, n, u UNIQUE);
        CREATE TABLE g(n, b AS (n * 2) STORED, c AS (n + 1));
        CREATE INDEX byC ON g(c);
        CREATE TABLE w(id PRIMARY KEY, n) WITHOUT ROWID;
        CREATE TABLE log(n);
        CREATE TABLE scratch(n);
        CREATE TABLE marks(id PRIMARY KEY, n) WITHOUT ROWID;
        CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT, n);

        CREATE TABLE logged(id INTEGER PRIMARY KEY, n);
        CREATE TRIGGER loggedInsert AFTER INSERT ON logged WHEN new.id % 2 BEGIN
            INSERT INTO log VALUES(new.n);
        END;
        CREATE TRIGGER loggedUpdate AFTER UPDATE ON logged BEGIN
            DELETE FROM scratch;
        END;
        CREATE TRIGGER loggedDelete BEFORE DELETE ON logged BEGIN
            INSERT OR REPLACE INTO marks VALUES(old.id, old.n);
        END;
        CREATE TABLE wlogged(id PRIMARY KEY, n) WITHOUT ROWID;
        CREATE TRIGGER wloggedOdd AFTER INSERT ON wlogged WHEN new.id % 2 BEGIN
            REPLACE INTO marks VALUES(new.id, new.n);
        END;
        CREATE TRIGGER wloggedEven AFTER INSERT ON wlogged WHEN new.id % 2 = 0 BEGIN
            INSERT INTO log VALUES(new.n);
        END;
        CREATE VIEW v AS SELECT id, n FROM logged;
        CREATE TRIGGER viewInsert INSTEAD OF INSERT ON v WHEN new.id > 2 BEGIN
            UPDATE logged SET n = new.n WHERE id = new.id;
        END;

        CREATE TABLE p(id INTEGER PRIMARY KEY, n);
        CREATE TABLE ch(id INTEGER PRIMARY KEY, n,
            p REFERENCES p(id) ON DELETE CASCADE ON UPDATE CASCADE);
        CREATE TABLE gc(n, ch REFERENCES ch(id) ON DELETE SET NULL);
        CREATE TABLE refs(n, p REFERENCES p(id) DEFERRABLE INITIALLY DEFERRED);
        """

    package static let fullTextSchema = """
        CREATE VIRTUAL TABLE docs USING fts5(n);
        CREATE TABLE notes(id INTEGER PRIMARY KEY, n);
        CREATE VIRTUAL TABLE search USING fts5(n, content = 'notes', content_rowid = 'id');
        CREATE TRIGGER ai AFTER INSERT ON notes BEGIN
            INSERT INTO search(rowid, n) VALUES(new.id, new.n);
        END;
        CREATE TRIGGER ad AFTER DELETE ON notes BEGIN
            INSERT INTO search(search, rowid, n) VALUES('delete', old.id, old.n);
        END;
        CREATE TRIGGER au AFTER UPDATE ON notes BEGIN
            INSERT INTO search(search, rowid, n) VALUES('delete', old.id, old.n);
            INSERT INTO search(rowid, n) VALUES(new.id, new.n);
        END;
        """

    /// Expressions for the content of each table, which are compared.
    package static let contents: [(table: String, sql: String)] = {
        func content(_ table: String, _ columns: String...) -> (String, String) {
            let values = columns.map { "quote(\($0))" }.joined(separator: " || ',' || ")
            return (table, "(SELECT group_concat(\(values), ' ') FROM \(table))")
        }
        let fullText = [
            ("docs", content("docs_content", "id", "c0").1), content("notes", "id", "n"),
        ]
        return [
            content("plain", "id", "n", "u"), content("copies", "id", "n", "u"),
            content("g", "n", "b"), content("w", "id", "n"), content("log", "n"),
            content("scratch", "n"), content("marks", "id", "n"), content("counted", "id", "n"),
            content("logged", "id", "n"), content("wlogged", "id", "n"), content("p", "id", "n"),
            content("aux.at", "id", "n"), content("aux.aw", "id", "n"),
            content("ch", "id", "n", "p"), content("gc", "n", "ch"), content("refs", "n", "p"),
            (schemaName, "(SELECT schema_version || '' FROM pragma_schema_version)"),
        ] + (hasFullText ? fullText : []) + (hasRTree ? [content("boxes", "id", "a", "b")] : [])
    }()

    /// Statements, and the tables that each can write to, with commas between them.
    private static func operations(_ all: KeyValuePairs<String, String>) -> [Operation] {
        all.map { sql, reach in Operation(sql: sql, reach: Set(list(reach))) }
    }

    package static let all: [Operation] =
        operations([
            "INSERT INTO plain VALUES(?1, ?2, ?2)": "plain, log, scratch",
            "INSERT INTO plain VALUES(?1, ?2, ?1) RETURNING id": "plain, log, scratch",
            "REPLACE INTO plain VALUES(?1, ?2, ?1 % 3)": "plain, log, scratch",
            "UPDATE plain SET n = ?2 WHERE id > ?1": "plain",
            "UPDATE OR REPLACE plain SET n = ?2, u = ?1 WHERE id = 1": "plain",
            "DELETE FROM plain WHERE id = ?1": "plain",
            "DELETE FROM plain": "plain",
            "INSERT INTO plain VALUES(?1, ?2, ?2) ON CONFLICT(id) DO UPDATE SET n = ?2":
                "plain, log, scratch",
            "INSERT OR IGNORE INTO plain VALUES(?1, ?2, ?2)": "plain, log, scratch",
            "INSERT INTO plain VALUES(7, ?2, ?2), (7, ?2, 0)": "plain, log, scratch",
            "INSERT OR FAIL INTO plain VALUES(8, ?2, ?2), (8, ?2, 0)": "plain, log, scratch",
            "INSERT OR ROLLBACK INTO plain VALUES(?1, ?2, ?2)": "plain, log, scratch",
            "INSERT INTO copies SELECT * FROM plain": "copies",
            "DELETE FROM copies": "copies",
            "INSERT INTO g VALUES(?2)": "g",
            "UPDATE g SET n = ?2 WHERE rowid = ?1": "g",
            "DELETE FROM g": "g",
            "INSERT INTO w VALUES(?1, ?2)": "w",
            "REPLACE INTO w VALUES(?1, ?2)": "w",
            "INSERT INTO w VALUES(7, ?2), (7, ?2)": "w",
            "UPDATE w SET n = ?2 WHERE id = ?1": "w",
            "DELETE FROM w WHERE id < ?1": "w",
            "DELETE FROM w": "w",
            "DELETE FROM log": "log",
            "DELETE FROM marks": "marks",
            "INSERT INTO scratch VALUES(?2), (?2)": "scratch",
            "INSERT INTO counted(n) VALUES(?2)": "counted",
            "DELETE FROM counted": "counted",
            "INSERT INTO logged VALUES(?1, ?2)": "logged, log",
            "REPLACE INTO logged VALUES(?1, ?2)": "logged, log, marks",
            "INSERT INTO logged VALUES(7, ?2), (7, ?2)": "logged, log",
            "UPDATE logged SET n = ?2 WHERE id = ?1": "logged, scratch",
            "DELETE FROM logged WHERE id = ?1": "logged, marks",
            "DELETE FROM logged": "logged, marks",
            "INSERT INTO v VALUES(?1, ?2)": "logged, scratch, v",
            "INSERT INTO wlogged VALUES(?1, ?2)": "wlogged, marks, log",
            "REPLACE INTO wlogged VALUES(?1, ?2)": "wlogged, marks, log",
            "DELETE FROM wlogged WHERE id <> ?1": "wlogged",
            "INSERT INTO p VALUES(?1, ?2)": "p",
            "REPLACE INTO p VALUES(?1, ?2)": "p, ch, gc",
            "UPDATE p SET id = ?1, n = ?2 WHERE id = ?1 % 4": "p, ch",
            "DELETE FROM p WHERE id = ?1": "p, ch, gc",
            "DELETE FROM p": "p, ch, gc",
            "INSERT INTO ch VALUES(?1, ?2, ?1)": "ch",
            "INSERT INTO ch SELECT NULL, ?2, id FROM p": "ch",
            "DELETE FROM ch WHERE id = ?1": "ch, gc",
            "INSERT INTO gc SELECT ?2, id FROM ch": "gc",
            "DELETE FROM gc": "gc",
            "INSERT INTO refs VALUES(?2, ?1)": "refs",
            "INSERT INTO refs SELECT ?2, id FROM p": "refs",
            "DELETE FROM refs": "refs",
            "SELECT write_log(?2)": "log",
            "INSERT INTO plain(n) VALUES(write_log(?2))": "plain, log, scratch",
            "SELECT count(*) FROM plain, w, p WHERE plain.id = w.id": "",
            "EXPLAIN DELETE FROM plain": "",
            // It holds too few columns for the comparison to read it in another order.
            "CREATE INDEX IF NOT EXISTS byN ON plain(n)": "plain, (schema)",
            "DROP INDEX IF EXISTS byN": "plain, (schema)",
            "CREATE TRIGGER IF NOT EXISTS extra AFTER INSERT ON plain "
                + "BEGIN INSERT INTO log VALUES(new.n); END": "plain, (schema)",
            "DROP TRIGGER IF EXISTS extra": "plain, (schema)",
            "CREATE TABLE IF NOT EXISTS spare AS SELECT * FROM g": "spare, (schema)",
            "DROP TABLE IF EXISTS spare": "spare, (schema)",
            "INSERT INTO missing VALUES(?1)": "",
        ]) + more + (hasFullText ? fullText : []) + (hasRTree ? boxes : [])

    private static let more = operations([
        "UPDATE OR FAIL plain SET u = id % 2, n = ?2": "plain",
        "UPDATE OR IGNORE plain SET u = ?1 % 2, n = ?2": "plain",
        "INSERT OR FAIL INTO logged VALUES(7, ?2), (9, ?2), (7, ?2)": "logged, log",
        "INSERT OR IGNORE INTO logged VALUES(?1, ?2), (9, ?2)": "logged, log",
        "INSERT OR FAIL INTO w VALUES(?1, ?2), (8, ?2)": "w",
        "INSERT INTO at VALUES(?1, ?2)": "aux.at, aux.aw",
        "REPLACE INTO aux.at VALUES(?1, ?2)": "aux.at, aux.aw",
        "INSERT OR FAIL INTO at VALUES(?1, ?2), (9, ?2)": "aux.at, aux.aw",
        "UPDATE at SET n = ?2 WHERE id = ?1": "aux.at",
        "DELETE FROM aux.at": "aux.at",
        "DELETE FROM aw WHERE id > ?1 RETURNING id": "aux.aw",
        "INSERT INTO plain(n) SELECT n FROM at": "plain, log, scratch",
    ])

    private static let boxes = operations([
        "INSERT INTO boxes VALUES(?1, ?2, ?2)": "boxes",
        "REPLACE INTO boxes VALUES(?1, ?2, ?2), (9, ?2, ?2)": "boxes",
        "UPDATE boxes SET a = ?2, b = ?2 WHERE id = ?1": "boxes",
        "DELETE FROM boxes WHERE id = ?1": "boxes",
        "SELECT count(*) FROM boxes WHERE a < ?2": "",
    ])

    private static let fullText = operations([
        "INSERT INTO docs VALUES(?2)": "docs",
        "INSERT INTO docs SELECT n FROM plain": "docs",
        "UPDATE docs SET n = ?2 WHERE rowid = ?1": "docs",
        "DELETE FROM docs WHERE rowid = ?1": "docs",
        "DELETE FROM docs": "docs",
        "SELECT count(*) FROM docs WHERE docs MATCH ?2": "",
        "INSERT INTO notes VALUES(?1, ?2)": "notes, search",
        "REPLACE INTO notes VALUES(?1, ?2)": "notes, search",
        "UPDATE notes SET n = ?2 WHERE id = ?1": "notes, search",
        "DELETE FROM notes WHERE id > ?1": "notes, search",
        "SELECT count(*) FROM search WHERE search MATCH 'x' || ?2": "",
    ])
}

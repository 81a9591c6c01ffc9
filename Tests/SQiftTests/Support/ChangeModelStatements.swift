import SQift

/// The tables of `ChangeModel`, and what is done with them. `?1` is a small number, and `?2` one
/// that was never used before: whatever is written differs from what was there.
package enum ChangeModelStatements {
    package struct Operation: Sendable {
        package let sql: String
        /// The tables that it can write to.
        package let reach: Set<String>

        package init(_ sql: String, _ reach: String...) {
            self.sql = sql
            self.reach = Set(reach)
        }
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

    package static let all: [Operation] =
        [
            Operation("INSERT INTO plain VALUES(?1, ?2, ?2)", "plain", "log", "scratch"),
            Operation(
                "INSERT INTO plain VALUES(?1, ?2, ?1) RETURNING id",
                "plain",
                "log",
                "scratch"
            ),
            Operation("REPLACE INTO plain VALUES(?1, ?2, ?1 % 3)", "plain", "log", "scratch"),
            Operation("UPDATE plain SET n = ?2 WHERE id > ?1", "plain"),
            Operation("UPDATE OR REPLACE plain SET n = ?2, u = ?1 WHERE id = 1", "plain"),
            Operation("DELETE FROM plain WHERE id = ?1", "plain"),
            Operation("DELETE FROM plain", "plain"),
            Operation(
                "INSERT INTO plain VALUES(?1, ?2, ?2) ON CONFLICT(id) DO UPDATE SET n = ?2",
                "plain",
                "log",
                "scratch"
            ),
            Operation("INSERT OR IGNORE INTO plain VALUES(?1, ?2, ?2)", "plain", "log", "scratch"),
            Operation("INSERT INTO plain VALUES(7, ?2, ?2), (7, ?2, 0)", "plain", "log", "scratch"),
            Operation(
                "INSERT OR FAIL INTO plain VALUES(8, ?2, ?2), (8, ?2, 0)",
                "plain",
                "log",
                "scratch"
            ),
            Operation(
                "INSERT OR ROLLBACK INTO plain VALUES(?1, ?2, ?2)",
                "plain",
                "log",
                "scratch"
            ),
            Operation("INSERT INTO copies SELECT * FROM plain", "copies"),
            Operation("DELETE FROM copies", "copies"),
            Operation("INSERT INTO g VALUES(?2)", "g"),
            Operation("UPDATE g SET n = ?2 WHERE rowid = ?1", "g"),
            Operation("DELETE FROM g", "g"),
            Operation("INSERT INTO w VALUES(?1, ?2)", "w"),
            Operation("REPLACE INTO w VALUES(?1, ?2)", "w"),
            Operation("INSERT INTO w VALUES(7, ?2), (7, ?2)", "w"),
            Operation("UPDATE w SET n = ?2 WHERE id = ?1", "w"),
            Operation("DELETE FROM w WHERE id < ?1", "w"),
            Operation("DELETE FROM w", "w"),
            Operation("DELETE FROM log", "log"),
            Operation("DELETE FROM marks", "marks"),
            Operation("INSERT INTO scratch VALUES(?2), (?2)", "scratch"),
            Operation("INSERT INTO counted(n) VALUES(?2)", "counted"),
            Operation("DELETE FROM counted", "counted"),
            Operation("INSERT INTO logged VALUES(?1, ?2)", "logged", "log"),
            Operation("REPLACE INTO logged VALUES(?1, ?2)", "logged", "log", "marks"),
            Operation("INSERT INTO logged VALUES(7, ?2), (7, ?2)", "logged", "log"),
            Operation("UPDATE logged SET n = ?2 WHERE id = ?1", "logged", "scratch"),
            Operation("DELETE FROM logged WHERE id = ?1", "logged", "marks"),
            Operation("DELETE FROM logged", "logged", "marks"),
            Operation("INSERT INTO v VALUES(?1, ?2)", "logged", "scratch", "v"),
            Operation("INSERT INTO wlogged VALUES(?1, ?2)", "wlogged", "marks", "log"),
            Operation("REPLACE INTO wlogged VALUES(?1, ?2)", "wlogged", "marks", "log"),
            Operation("DELETE FROM wlogged WHERE id <> ?1", "wlogged"),
            Operation("INSERT INTO p VALUES(?1, ?2)", "p"),
            Operation("REPLACE INTO p VALUES(?1, ?2)", "p", "ch", "gc"),
            Operation("UPDATE p SET id = ?1, n = ?2 WHERE id = ?1 % 4", "p", "ch"),
            Operation("DELETE FROM p WHERE id = ?1", "p", "ch", "gc"),
            Operation("DELETE FROM p", "p", "ch", "gc"),
            Operation("INSERT INTO ch VALUES(?1, ?2, ?1)", "ch"),
            Operation("INSERT INTO ch SELECT NULL, ?2, id FROM p", "ch"),
            Operation("DELETE FROM ch WHERE id = ?1", "ch", "gc"),
            Operation("INSERT INTO gc SELECT ?2, id FROM ch", "gc"),
            Operation("DELETE FROM gc", "gc"),
            Operation("INSERT INTO refs VALUES(?2, ?1)", "refs"),
            Operation("INSERT INTO refs SELECT ?2, id FROM p", "refs"),
            Operation("DELETE FROM refs", "refs"),
            Operation("SELECT write_log(?2)", "log"),
            Operation("INSERT INTO plain(n) VALUES(write_log(?2))", "plain", "log", "scratch"),
            Operation("SELECT count(*) FROM plain, w, p WHERE plain.id = w.id"),
            Operation("EXPLAIN DELETE FROM plain"),
            // It holds too few columns for the comparison to read it in another order.
            Operation("CREATE INDEX IF NOT EXISTS byN ON plain(n)", "plain", schemaName),
            Operation("DROP INDEX IF EXISTS byN", "plain", schemaName),
            Operation(
                "CREATE TRIGGER IF NOT EXISTS extra AFTER INSERT ON plain "
                    + "BEGIN INSERT INTO log VALUES(new.n); END",
                "plain",
                schemaName
            ),
            Operation("DROP TRIGGER IF EXISTS extra", "plain", schemaName),
            Operation("CREATE TABLE IF NOT EXISTS spare AS SELECT * FROM g", "spare", schemaName),
            Operation("DROP TABLE IF EXISTS spare", "spare", schemaName),
            Operation("INSERT INTO missing VALUES(?1)"),
        ]
        + more + (hasFullText ? fullText : []) + (hasRTree ? boxes : [])

    private static let more = [
        Operation("UPDATE OR FAIL plain SET u = id % 2, n = ?2", "plain"),
        Operation("UPDATE OR IGNORE plain SET u = ?1 % 2, n = ?2", "plain"),
        Operation("INSERT OR FAIL INTO logged VALUES(7, ?2), (9, ?2), (7, ?2)", "logged", "log"),
        Operation("INSERT OR IGNORE INTO logged VALUES(?1, ?2), (9, ?2)", "logged", "log"),
        Operation("INSERT OR FAIL INTO w VALUES(?1, ?2), (8, ?2)", "w"),
        Operation("INSERT INTO at VALUES(?1, ?2)", "aux.at", "aux.aw"),
        Operation("REPLACE INTO aux.at VALUES(?1, ?2)", "aux.at", "aux.aw"),
        Operation("INSERT OR FAIL INTO at VALUES(?1, ?2), (9, ?2)", "aux.at", "aux.aw"),
        Operation("UPDATE at SET n = ?2 WHERE id = ?1", "aux.at"),
        Operation("DELETE FROM aux.at", "aux.at"),
        Operation("DELETE FROM aw WHERE id > ?1 RETURNING id", "aux.aw"),
        Operation("INSERT INTO plain(n) SELECT n FROM at", "plain", "log", "scratch"),
    ]

    private static let boxes = [
        Operation("INSERT INTO boxes VALUES(?1, ?2, ?2)", "boxes"),
        Operation("REPLACE INTO boxes VALUES(?1, ?2, ?2), (9, ?2, ?2)", "boxes"),
        Operation("UPDATE boxes SET a = ?2, b = ?2 WHERE id = ?1", "boxes"),
        Operation("DELETE FROM boxes WHERE id = ?1", "boxes"),
        Operation("SELECT count(*) FROM boxes WHERE a < ?2"),
    ]

    private static let fullText = [
        Operation("INSERT INTO docs VALUES(?2)", "docs"),
        Operation("INSERT INTO docs SELECT n FROM plain", "docs"),
        Operation("UPDATE docs SET n = ?2 WHERE rowid = ?1", "docs"),
        Operation("DELETE FROM docs WHERE rowid = ?1", "docs"),
        Operation("DELETE FROM docs", "docs"),
        Operation("SELECT count(*) FROM docs WHERE docs MATCH ?2"),
        Operation("INSERT INTO notes VALUES(?1, ?2)", "notes", "search"),
        Operation("REPLACE INTO notes VALUES(?1, ?2)", "notes", "search"),
        Operation("UPDATE notes SET n = ?2 WHERE id = ?1", "notes", "search"),
        Operation("DELETE FROM notes WHERE id > ?1", "notes", "search"),
        Operation("SELECT count(*) FROM search WHERE search MATCH 'x' || ?2"),
    ]
}

import SQift
import SQiftTestSupport
import Testing

/// Changes of virtual tables: the table is reported, and its shadow tables aren't.
struct ChangedVirtualTablesTests {
    private static let hasFullText = Connection.hasCompileOption("ENABLE_FTS5")
    private static let hasRTree = Connection.hasCompileOption("ENABLE_RTREE")

    // MARK: Full-text indexes

    private static let fullText = """
        CREATE VIRTUAL TABLE f USING fts5(a, b);
        INSERT INTO f(rowid, a, b) VALUES(1, 'one two', 'three'), (2, 'four', 'five');
        CREATE TABLE notes(id INTEGER PRIMARY KEY, body, stars);
        CREATE VIRTUAL TABLE search USING fts5(body, content='notes', content_rowid='id');
        CREATE TRIGGER ai AFTER INSERT ON notes BEGIN
            INSERT INTO search(rowid, body) VALUES(new.id, new.body);
        END;
        CREATE TRIGGER ad AFTER DELETE ON notes BEGIN
            INSERT INTO search(search, rowid, body) VALUES('delete', old.id, old.body);
        END;
        CREATE TRIGGER au AFTER UPDATE OF body ON notes BEGIN
            INSERT INTO search(search, rowid, body) VALUES('delete', old.id, old.body);
            INSERT INTO search(rowid, body) VALUES(new.id, new.body);
        END;
        INSERT INTO notes VALUES(1, 'alpha beta', 1), (2, 'gamma', 2);
        CREATE VIRTUAL TABLE bare USING fts5(x, content='');
        CREATE TABLE plain(x);
        """

    static let fullTextCases = ChangeCase.all(
        fullText,
        [
            "INSERT INTO f VALUES('six', 'seven')": "f",
            "INSERT INTO f SELECT body, 'x' FROM notes": "f",
            "UPDATE F SET a = 'changed' WHERE rowid = 1": "f",
            "UPDATE f SET a = 'changed' WHERE f MATCH 'one'": "f",
            "DELETE FROM f WHERE rowid = 1": "f",
            "DELETE FROM f": "f",
            "REPLACE INTO f(rowid, a) VALUES(1, 'again')": "f",
            "INSERT INTO bare(rowid, x) VALUES(1, 'text')": "bare",
            "INSERT INTO search(search) VALUES('rebuild')": "search",
            "DELETE FROM f WHERE rowid = 99": "",
            "UPDATE f SET a = 'z' WHERE f MATCH 'nothing'": "",
            "INSERT INTO f SELECT body, 'x' FROM notes WHERE false": "",
            "SELECT * FROM f WHERE f MATCH 'one'": "",
            "INSERT INTO notes VALUES(3, 'delta', 3)": "notes, search",
            "UPDATE notes SET body = 'x' WHERE id = 1": "notes, search",
            "UPDATE notes SET stars = 5": "notes",
            "DELETE FROM notes WHERE id = 1": "notes, search",
            "DELETE FROM notes": "notes, search",
            "DELETE FROM notes WHERE id = 99": "",
            "INSERT INTO plain SELECT a FROM f WHERE f MATCH 'one'": "plain",
        ]
    )

    @Test(.enabled(if: hasFullText), arguments: fullTextCases, ChangeCase.Manner.allCases)
    func fullTextIndexesAreReportedWithoutTheirShadowTables(
        change: ChangeCase,
        manner: ChangeCase.Manner
    ) throws {
        try change.check(manner)
    }

    /// What a query of an index that was written to in the same transaction does to its shadow
    /// tables doesn't count for another table.
    @Test(.enabled(if: hasFullText))
    func queriesOfAnIndexInTheTransactionThatWroteItChangeNothing() throws {
        let connection = try Connection()
        try connection.execute(Self.fullText)
        let heard = connection.hearChanges()
        try connection.transaction {
            try connection.run("INSERT INTO f VALUES('six', 'seven')")
            let _: Int = try connection.query("SELECT count(*) FROM f WHERE f MATCH 'six'")
            let text = "SELECT a FROM f WHERE f MATCH 'six'"
            try connection.run("INSERT INTO plain SELECT stars FROM notes WHERE body IN (\(text))")
        }
        heard.expect(.commit("f"))
    }

    // MARK: R-trees

    private static let spatial = """
        CREATE VIRTUAL TABLE boxes USING rtree(id, minX, maxX);
        CREATE TABLE places(id INTEGER PRIMARY KEY, x);
        CREATE TRIGGER placed AFTER INSERT ON places BEGIN
            INSERT INTO boxes VALUES(new.id, new.x, new.x + 1);
        END;
        INSERT INTO places VALUES(1, 10), (2, 20);
        """

    static let spatialCases = ChangeCase.all(
        spatial,
        [
            "INSERT INTO boxes VALUES(9, 1, 2)": "boxes",
            "UPDATE boxes SET minX = 0 WHERE id = 1": "boxes",
            "DELETE FROM boxes WHERE maxX > 15": "boxes",
            "DELETE FROM boxes": "boxes",
            "DELETE FROM boxes WHERE id = 99": "",
            "INSERT INTO places VALUES(3, 30)": "places, boxes",
            "DELETE FROM places": "places",
        ]
    )

    @Test(.enabled(if: hasRTree), arguments: spatialCases, ChangeCase.Manner.allCases)
    func rTreesAreReportedWithoutTheirShadowTables(
        change: ChangeCase,
        manner: ChangeCase.Manner
    ) throws {
        try change.check(manner)
    }
}

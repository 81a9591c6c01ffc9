import SQiftTestSupport
import Testing

import SQift

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

    static let fullTextCases = [
        ChangeCase(fullText, "INSERT INTO f VALUES('six', 'seven')", "f"),
        ChangeCase(fullText, "INSERT INTO f SELECT body, 'x' FROM notes", "f"),
        ChangeCase(fullText, "UPDATE F SET a = 'changed' WHERE rowid = 1", "f"),
        ChangeCase(fullText, "UPDATE f SET a = 'changed' WHERE f MATCH 'one'", "f"),
        ChangeCase(fullText, "DELETE FROM f WHERE rowid = 1", "f"),
        ChangeCase(fullText, "DELETE FROM f", "f"),
        ChangeCase(fullText, "REPLACE INTO f(rowid, a) VALUES(1, 'again')", "f"),
        ChangeCase(fullText, "INSERT INTO bare(rowid, x) VALUES(1, 'text')", "bare"),
        ChangeCase(fullText, "INSERT INTO search(search) VALUES('rebuild')", "search"),
        ChangeCase(fullText, "DELETE FROM f WHERE rowid = 99"),
        ChangeCase(fullText, "UPDATE f SET a = 'z' WHERE f MATCH 'nothing'"),
        ChangeCase(fullText, "INSERT INTO f SELECT body, 'x' FROM notes WHERE false"),
        ChangeCase(fullText, "SELECT * FROM f WHERE f MATCH 'one'"),
        ChangeCase(fullText, "INSERT INTO notes VALUES(3, 'delta', 3)", "notes", "search"),
        ChangeCase(fullText, "UPDATE notes SET body = 'x' WHERE id = 1", "notes", "search"),
        ChangeCase(fullText, "UPDATE notes SET stars = 5", "notes"),
        ChangeCase(fullText, "DELETE FROM notes WHERE id = 1", "notes", "search"),
        ChangeCase(fullText, "DELETE FROM notes", "notes", "search"),
        ChangeCase(fullText, "DELETE FROM notes WHERE id = 99"),
        ChangeCase(fullText, "INSERT INTO plain SELECT a FROM f WHERE f MATCH 'one'", "plain"),
    ]

    @Test(.enabled(if: hasFullText), arguments: fullTextCases, ChangeCase.Manner.allCases)
    func fullTextIndexesAreReportedWithoutTheirShadowTables(
        change: ChangeCase,
        manner: ChangeCase.Manner
    ) throws {
        try change.check(manner)
    }

    /// FTS5 prepares its own statements at its first use, and keeps them.
    @Test(.enabled(if: hasFullText))
    func aFullTextIndexIsReportedAtEachWrite() throws {
        let connection = try Connection()
        try connection.execute(Self.fullText)
        let heard = connection.hearChanges()
        for _ in 0..<3 {
            try connection.run("INSERT INTO f VALUES('again', 'and again')")
            try connection.run("INSERT INTO notes(body) VALUES('again')")
            try connection.run("INSERT INTO plain VALUES(1)")
            #expect(heard.take() == [.commit("f"), .commit("notes", "search"), .commit("plain")])
        }
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
        #expect(heard.all == [.commit("f")])
    }

    /// A failed statement has written nothing to `plain`.
    @Test(.enabled(if: hasFullText))
    func anIndexThatIsUndoneBySavepointIsNotReported() throws {
        let connection = try Connection()
        try connection.execute(Self.fullText)
        let heard = connection.hearChanges()
        try connection.transaction {
            try connection.run("INSERT INTO plain VALUES(1)")
            expectThrows(TestError.self) {
                try connection.savepoint {
                    try connection.run("INSERT INTO f VALUES('six', 'seven')")
                    try connection.run("DELETE FROM notes")
                    throw TestError()
                }
            }
            let found: Int = try connection.query("SELECT count(*) FROM f WHERE f MATCH 'six'")
            #expect(found == 0)
        }
        #expect(heard.all == [.commit("plain")])
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

    static let spatialCases = [
        ChangeCase(spatial, "INSERT INTO boxes VALUES(9, 1, 2)", "boxes"),
        ChangeCase(spatial, "UPDATE boxes SET minX = 0 WHERE id = 1", "boxes"),
        ChangeCase(spatial, "DELETE FROM boxes WHERE maxX > 15", "boxes"),
        ChangeCase(spatial, "DELETE FROM boxes", "boxes"),
        ChangeCase(spatial, "DELETE FROM boxes WHERE id = 99"),
        ChangeCase(spatial, "INSERT INTO places VALUES(3, 30)", "places", "boxes"),
        ChangeCase(spatial, "DELETE FROM places", "places"),
    ]

    @Test(.enabled(if: hasRTree), arguments: spatialCases, ChangeCase.Manner.allCases)
    func rTreesAreReportedWithoutTheirShadowTables(
        change: ChangeCase,
        manner: ChangeCase.Manner
    ) throws {
        try change.check(manner)
    }
}

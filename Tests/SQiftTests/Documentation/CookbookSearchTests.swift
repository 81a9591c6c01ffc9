import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The blocks of Docs/Cookbook.md about full-text search.
@Suite(
    .enabled(if: Capability.fts5, "this SQLite has no FTS5")
)
struct CookbookSearchTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute(
            """
            CREATE TABLE notes(id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL);
            CREATE VIRTUAL TABLE notes_index USING fts5(
                title, body, content = 'notes', content_rowid = 'id',
                tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
            );
            CREATE TRIGGER notes_added AFTER INSERT ON notes BEGIN
                INSERT INTO notes_index(rowid, title, body) VALUES(new.id, new.title, new.body);
            END;
            CREATE TRIGGER notes_removed AFTER DELETE ON notes BEGIN
                INSERT INTO notes_index(notes_index, rowid, title, body)
                VALUES('delete', old.id, old.title, old.body);
            END;
            CREATE TRIGGER notes_changed AFTER UPDATE ON notes BEGIN
                INSERT INTO notes_index(notes_index, rowid, title, body)
                VALUES('delete', old.id, old.title, old.body);
                INSERT INTO notes_index(rowid, title, body) VALUES(new.id, new.title, new.body);
            END
            """
        )
        try connection.execute(
            """
            INSERT INTO notes(title, body) VALUES
                ('Weather', 'The rain in Spain, and "more" of it: a naïve C++ model'),
                ('Rain', 'Nothing else.'),
                ('Trains', 'A brain on a train.')
            """
        )
    }

    /// Each word of the text in quotation marks, and a star behind the last: the user may still be
    /// typing it. Nil if there is no word.
    func searchExpression(for text: String) -> String? {
        let words = text.split { $0.isWhitespace || $0 == "\0" }
        guard !words.isEmpty else { return nil }
        let quoted = words.map { "\"" + $0.replacingOccurrences(of: "\"", with: "\"\"") + "\"" }
        return quoted.joined(separator: " ") + "*"
    }

    private func search(_ text: String) throws -> [(String, String)] {
        guard let expression = searchExpression(for: text) else { return [] }
        let sql = """
            SELECT notes.title, snippet(notes_index, 1, '[', ']', '…', 5)
            FROM notes_index JOIN notes ON notes.id = notes_index.rowid
            WHERE notes_index MATCH ? ORDER BY bm25(notes_index, 10, 1) LIMIT 20
            """
        let found = try connection.query(sql, expression, as: (String, String).self)
        return found
    }

    /// The trap that the recipe tells.
    @Test(arguments: [false, true])
    func aReplacedNoteIsFoundByItsOldWordsWithoutThePragma(isOn: Bool) throws {
        try connection.run("PRAGMA recursive_triggers = \(isOn)")
        let replacing = "INSERT OR REPLACE INTO notes(id, title, body) VALUES(3, 'New', 'words')"
        try connection.run(replacing)
        func ids(_ words: String) throws -> [Int] {
            try connection.query("SELECT rowid FROM notes_index WHERE notes_index MATCH ?", words)
        }
        #expect(try ids("words") == [3])
        #expect(try ids("brain") == (isOn ? [] : [3]))
        try connection.run(
            """
            INSERT INTO notes(id, title, body) VALUES(1, 'Wind', 'gusts')
            ON CONFLICT(id) DO UPDATE SET title = excluded.title, body = excluded.body
            """
        )
        #expect(try ids("Spain") == [])
        #expect(try ids("gusts") == [1])
    }

    @Test func theBestHitComesFirstWithItsSurroundings() throws {
        let found = try search("rai")
        #expect(found.map(\.0) == ["Rain", "Weather"])
        #expect(found.last?.1 == "The [rain] in Spain, and…")
        #expect(try search("SPAIN naive").map(\.0) == ["Weather"])
        #expect(try search("rain brain").isEmpty)
    }

    @Test(arguments: [
        "\"", "'", "don't", "c++", "a:b", "title:", "rain AND", "NOT", "NEAR(", "(", "*", "^rain",
        "-rain", "rain\0fall", "\"more\"", "{x} : y", "🌧️", "…", "rain -",
    ])
    func noTextIsASyntaxError(text: String) throws {
        _ = try search(text)
    }

    @Test(arguments: ["don't", "c++", "rain AND", "\"rain\0fall\""])
    func unquotedTextCanBeASyntaxError(text: String) throws {
        let error = expectThrows(SQLiteError.self) {
            try connection.run("SELECT 1 FROM notes_index WHERE notes_index MATCH ?", text)
        }
        expect(error, .error)
    }

    @Test(arguments: [("porter unicode61", "run", "He was running."), ("trigram", "ell", "Hello")])
    func otherTokenizersFindOtherWords(tokenizer: String, text: String, body: String) throws {
        try connection.execute(
            "CREATE VIRTUAL TABLE other USING fts5(body, tokenize = '\(tokenizer)')"
        )
        try connection.run("INSERT INTO other VALUES(?)", body)
        let query = "SELECT body FROM other WHERE other MATCH ?"
        let expression = try #require(searchExpression(for: text))
        #expect(try connection.query(query, expression) as [String] == [body])
        #expect(try connection.query(query, "\"xyz\"") as [String] == [])
    }

    @Test func operatorsAreWords() throws {
        #expect(try search("\"more\" c++").map(\.0) == ["Weather"])
        #expect(try search("Weather NOT rain").isEmpty)
        #expect(searchExpression(for: " \n\0") == nil)
        #expect(searchExpression(for: "rain \"in") == "\"rain\" \"\"\"in\"*")
    }

    @Test func theIndexFollowsTheTable() throws {
        try connection.run("UPDATE notes SET body = 'sun' WHERE title = 'Rain'")
        try connection.run("DELETE FROM notes WHERE title = 'Weather'")
        #expect(try search("nothing").isEmpty)
        #expect(try search("sun").map(\.0) == ["Rain"])
        #expect(try search("spain").isEmpty)

        try connection.execute("DROP TRIGGER notes_added; INSERT INTO notes VALUES(9, 'Fog', '')")
        #expect(try search("fog").isEmpty)
        try connection.run("INSERT INTO notes_index(notes_index) VALUES('rebuild')")
        #expect(try search("fog").map(\.0) == ["Fog"])
    }
}

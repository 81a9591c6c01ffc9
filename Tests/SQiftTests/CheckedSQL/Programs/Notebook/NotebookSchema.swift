import SQift

extension Notebook {
    static let migrations = [
        Migration(
            "entries",
            sql: """
                CREATE TABLE notebooks(id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE);
                CREATE TABLE entries(
                    id INTEGER PRIMARY KEY,
                    notebook INTEGER NOT NULL REFERENCES notebooks(id),
                    title TEXT NOT NULL,
                    body TEXT NOT NULL DEFAULT '',
                    written_at TEXT NOT NULL,
                    mood INTEGER,
                    attributes TEXT NOT NULL DEFAULT '{}' CHECK(json_valid(attributes))
                )
                """
        ),
        Migration(
            "search",
            sql: """
                CREATE VIRTUAL TABLE entry_index USING fts5(
                    title, body, content='entries', content_rowid='id'
                );
                CREATE TRIGGER entries_inserted AFTER INSERT ON entries BEGIN
                    INSERT INTO entry_index(rowid, title, body)
                    VALUES(new.id, new.title, new.body);
                END;
                CREATE TRIGGER entries_deleted AFTER DELETE ON entries BEGIN
                    INSERT INTO entry_index(entry_index, rowid, title, body)
                    VALUES('delete', old.id, old.title, old.body);
                END
                """
        ),
        Migration(
            "people",
            sql: """
                CREATE TABLE people(
                    id INTEGER PRIMARY KEY,
                    name TEXT NOT NULL UNIQUE,
                    birthday TEXT
                );
                CREATE TABLE mentions(
                    entry INTEGER NOT NULL REFERENCES entries(id) ON DELETE CASCADE,
                    person INTEGER NOT NULL REFERENCES people(id),
                    PRIMARY KEY(entry, person)
                );
                CREATE VIEW entry_people AS
                SELECT mentions.entry AS entry, people.name AS person
                FROM mentions JOIN people ON people.id = mentions.person
                """
        ),
        Migration("places") { connection in
            try connection.run("ALTER TABLE entries ADD COLUMN place TEXT")
            try connection.run(
                "UPDATE entries SET place = json_extract(attributes, '$.place')"
            )
            try connection.run(
                """
                CREATE VIEW month_summaries AS
                SELECT substr(written_at, 1, 7) AS month, count(*) AS entry_count, avg(mood) AS mood
                FROM entries GROUP BY substr(written_at, 1, 7)
                """
            )
        },
    ]
}

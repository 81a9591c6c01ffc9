import SQift
import SQiftTestSupport

extension MusicLibrary {
    /// What the first version had, and what came later.
    static let migrations = firstMigrations + laterMigrations

    private static let artists = Migration(
        "01-artists",
        sql: """
            CREATE TABLE artists(
                id INTEGER PRIMARY KEY,
                name TEXT NOT NULL UNIQUE COLLATE WITHOUT_ARTICLE,
                country TEXT
            )
            """
    )

    private static let firstMigrations = [
        artists,
        Migration(
            "02-albums",
            sql: """
                CREATE TABLE albums(
                    id INTEGER PRIMARY KEY,
                    artist INTEGER NOT NULL REFERENCES artists(id),
                    title TEXT NOT NULL,
                    year INTEGER,
                    price INTEGER NOT NULL CHECK(price >= 0),
                    tags TEXT NOT NULL DEFAULT '[]'
                );
                CREATE INDEX albums_by_artist ON albums(artist, year)
                """
        ),
        Migration(
            "03-tracks",
            sql: """
                CREATE TABLE tracks(
                    id INTEGER PRIMARY KEY,
                    album INTEGER NOT NULL REFERENCES albums(id) ON DELETE CASCADE,
                    position INTEGER NOT NULL,
                    title TEXT NOT NULL,
                    length INTEGER NOT NULL,
                    composer TEXT,
                    UNIQUE(album, position)
                )
                """
        ),
        Migration(
            "04-plays",
            sql: """
                CREATE TABLE plays(
                    track INTEGER NOT NULL REFERENCES tracks(id) ON DELETE CASCADE,
                    moment REAL NOT NULL,
                    listener TEXT NOT NULL,
                    skipped INTEGER NOT NULL DEFAULT 0
                );
                CREATE INDEX plays_by_track ON plays(track, moment)
                """
        ),
    ]

    private static let laterMigrations = [
        Migration(
            "05-playlists",
            sql: """
                CREATE TABLE playlists(
                    id INTEGER PRIMARY KEY,
                    name TEXT NOT NULL UNIQUE,
                    remark TEXT
                );
                CREATE TABLE entries(
                    playlist INTEGER NOT NULL REFERENCES playlists(id) ON DELETE CASCADE,
                    position INTEGER NOT NULL,
                    track INTEGER NOT NULL REFERENCES tracks(id) ON DELETE CASCADE,
                    PRIMARY KEY(playlist, position)
                ) WITHOUT ROWID
                """
        ),
        Migration(
            "06-search",
            sql: """
                CREATE VIRTUAL TABLE track_index USING fts5(
                    title, composer, content = 'tracks', content_rowid = 'id'
                );
                CREATE TRIGGER tracks_added AFTER INSERT ON tracks BEGIN
                    INSERT INTO track_index(rowid, title, composer)
                    VALUES(new.id, new.title, new.composer);
                END;
                CREATE TRIGGER tracks_removed AFTER DELETE ON tracks BEGIN
                    INSERT INTO track_index(track_index, rowid, title, composer)
                    VALUES('delete', old.id, old.title, old.composer);
                END;
                CREATE TRIGGER tracks_changed AFTER UPDATE OF title, composer ON tracks BEGIN
                    INSERT INTO track_index(track_index, rowid, title, composer)
                    VALUES('delete', old.id, old.title, old.composer);
                    INSERT INTO track_index(rowid, title, composer)
                    VALUES(new.id, new.title, new.composer);
                END
                """
        ),
        Migration("07-ratings") { connection in
            try connection.execute("ALTER TABLE albums ADD COLUMN stars INTEGER")
            try connection.run("UPDATE albums SET stars = 3 WHERE price > ?", 2_000)
        },
        Migration(
            "08-words",
            sql: """
                ALTER TABLE plays RENAME COLUMN moment TO played_at;
                CREATE VIEW favourites AS
                    SELECT tracks.id, tracks.title, count(*) AS plays
                    FROM tracks JOIN plays ON plays.track = tracks.id
                    WHERE skipped = 0
                    GROUP BY tracks.id
                    HAVING count(*) > 1
                """
        ),
        Migration("09-playlists-have-owners") { connection in
            let columns = """
                id INTEGER PRIMARY KEY,
                name TEXT NOT NULL,
                remark TEXT,
                owner TEXT NOT NULL DEFAULT 'everybody',
                UNIQUE(owner, name)
                """
            try connection.rebuildTable("playlists", columns: columns) { old, new in
                try connection.run(
                    "INSERT INTO \(new)(id, name, remark) SELECT id, name, remark FROM \(old)"
                )
            }
        },
    ]
}

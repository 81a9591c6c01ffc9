import SQift

/// The tables of a podcast player, in the steps in which they came.
enum PodcastSchema {
    static let migrations: [Migration] = [
        Migration(
            "1",
            sql: """
                CREATE TABLE podcasts(
                    id INTEGER PRIMARY KEY,
                    uuid TEXT NOT NULL UNIQUE,
                    title TEXT NOT NULL,
                    author TEXT,
                    added_at REAL NOT NULL,
                    is_subscribed INTEGER NOT NULL DEFAULT 1,
                    sort_order INTEGER NOT NULL DEFAULT 0
                );
                CREATE TABLE episodes(
                    id INTEGER PRIMARY KEY,
                    uuid TEXT NOT NULL UNIQUE,
                    podcast_id INTEGER NOT NULL REFERENCES podcasts(id),
                    title TEXT NOT NULL,
                    published_at REAL,
                    duration REAL NOT NULL DEFAULT 0,
                    played_up_to REAL NOT NULL DEFAULT 0,
                    playing_status INTEGER NOT NULL DEFAULT 0
                )
                """
        ),
        Migration("2") { connection in
            try connection.run("ALTER TABLE episodes ADD COLUMN file_size INTEGER")
            try connection.run(
                "ALTER TABLE episodes ADD COLUMN is_starred INTEGER NOT NULL DEFAULT 0"
            )
            try connection.run(
                "CREATE INDEX episodes_by_podcast ON episodes(podcast_id, published_at)"
            )
        },
        Migration(
            "3",
            sql: """
                CREATE TABLE folders(
                    uuid TEXT NOT NULL PRIMARY KEY,
                    name TEXT NOT NULL,
                    color INTEGER NOT NULL DEFAULT 0
                );
                ALTER TABLE podcasts ADD COLUMN folder_uuid TEXT REFERENCES folders(uuid)
                """
        ),
        Migration(
            "4",
            sql: """
                CREATE TABLE up_next(
                    position INTEGER NOT NULL,
                    episode_uuid TEXT NOT NULL UNIQUE,
                    title TEXT NOT NULL
                );
                CREATE TABLE settings(
                    name TEXT NOT NULL,
                    value TEXT,
                    modified_at REAL NOT NULL,
                    UNIQUE(name)
                )
                """
        ),
        Migration("5") { connection in
            try connection.execute(
                """
                UPDATE episodes SET playing_status = 2 WHERE played_up_to >= duration;
                DELETE FROM up_next WHERE episode_uuid NOT IN (SELECT uuid FROM episodes)
                """
            )
        },
    ]
}

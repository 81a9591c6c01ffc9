import SQift

extension JobQueue {
    /// Add to the end. Never change one that was released.
    ///
    /// `STRICT` needs SQLite 3.37. Without it, a `Date` in `due_at` would be text, which is greater
    /// than every number, so the job would never be due.
    static let migrations = [
        Migration(
            "2026-11-01-jobs",
            sql: """
                CREATE TABLE jobs(
                    id INTEGER PRIMARY KEY,
                    kind TEXT NOT NULL,
                    payload TEXT NOT NULL CHECK(json_valid(payload)),
                    due_at INTEGER NOT NULL,
                    lease TEXT,
                    attempts INTEGER NOT NULL DEFAULT 0,
                    last_error TEXT,
                    dead_at INTEGER
                ) STRICT;
                -- Dead jobs pile up. A claim never meets them, since they aren't in its index.
                CREATE INDEX jobs_by_due_time ON jobs(due_at) WHERE dead_at IS NULL;
                CREATE INDEX dead_jobs ON jobs(dead_at) WHERE dead_at IS NOT NULL
                """
        ),
        // The view has the payload's values without JSON's keys, quotation marks and escapes. A
        // claim changes no column of the index, so it costs nothing there.
        Migration(
            "2026-11-08-search",
            sql: """
                CREATE VIEW job_words AS
                SELECT
                    id,
                    kind,
                    (SELECT group_concat(value, ' ') FROM json_each(payload)) AS payload,
                    last_error
                FROM jobs;
                CREATE VIRTUAL TABLE jobs_index USING fts5(kind, payload, last_error);
                CREATE TRIGGER job_added AFTER INSERT ON jobs BEGIN
                    INSERT INTO jobs_index(rowid, kind, payload, last_error)
                    SELECT id, kind, payload, last_error FROM job_words WHERE id = new.id;
                END;
                CREATE TRIGGER job_removed AFTER DELETE ON jobs BEGIN
                    DELETE FROM jobs_index WHERE rowid = old.id;
                END;
                CREATE TRIGGER job_changed AFTER UPDATE OF kind, payload, last_error ON jobs BEGIN
                    DELETE FROM jobs_index WHERE rowid = old.id;
                    INSERT INTO jobs_index(rowid, kind, payload, last_error)
                    SELECT id, kind, payload, last_error FROM job_words WHERE id = new.id;
                END;
                INSERT INTO jobs_index(rowid, kind, payload, last_error)
                SELECT id, kind, payload, last_error FROM job_words
                """
        ),
    ]
}

import Foundation
import SQift

/// Mends what older versions of the player have left behind.
struct PodcastCleanUp {
    let queue: Database

    /// Versions before the fourth step made this table when they first needed it.
    func ensureSettings() throws {
        try queue.write { db in
            try db.run(
                """
                CREATE TABLE IF NOT EXISTS settings(
                    name TEXT NOT NULL,
                    value TEXT,
                    modified_at REAL NOT NULL,
                    UNIQUE(name)
                )
                """
            )
        }
    }

    func set(_ name: String, to value: String?) throws {
        try queue.write { db in
            try db.run(
                """
                INSERT INTO settings(name, value, modified_at) VALUES(:name, :value, :modified)
                ON CONFLICT(name) DO UPDATE SET value = :value, modified_at = :modified
                """,
                ["name": name, "value": value, "modified": Date().timeIntervalSince1970]
            )
        }
    }

    func value(of name: String) throws -> String? {
        try queue.read { db in
            try db.query("SELECT value FROM settings WHERE name = ?", [name])
        }
    }

    func removeOrphans() throws -> Int {
        try queue.write { db in
            try db.run("DROP INDEX IF EXISTS episodes_by_date")
            _ = try? db.run("DELETE FROM legacy_downloads")
            return try db.run(
                "DELETE FROM episodes WHERE podcast_id NOT IN (SELECT p.id FROM podcasts p)"
            )
        }
    }

    func markOldAsPlayed(before date: Double, exceptIn podcasts: [Int64]) throws {
        let marks = podcasts.map { _ in "?" }.joined(separator: ", ")
        let values: [(any Bindable)?] = [date] + podcasts
        try queue.write { db in
            try db.run(
                """
                UPDATE episodes SET playing_status = 2
                WHERE published_at < ? AND podcast_id NOT IN (\(marks))
                """,
                values
            )
        }
    }

    func compact() throws {
        try queue.writeWithoutTransaction { db in
            try db.run("VACUUM")
            try db.run("PRAGMA optimize")
        }
    }
}

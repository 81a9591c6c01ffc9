import Foundation
import SQift

/// Old entries are kept in another file, which is attached to each connection.
extension Notebook {
    private static let archiveTable = "archive.entries"

    func prepareArchive() throws {
        try database.write { connection in
            try connection.run(
                """
                CREATE TABLE IF NOT EXISTS archive.entries(
                    id INTEGER PRIMARY KEY,
                    title TEXT NOT NULL,
                    body TEXT NOT NULL,
                    written_at TEXT NOT NULL,
                    archived_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
                )
                """
            )
        }
    }

    func archive(before day: String) throws -> Int {
        try database.write { connection in
            try connection.run(
                """
                INSERT INTO archive.entries(id, title, body, written_at)
                SELECT id, title, body, written_at FROM main.entries WHERE written_at < ?
                """,
                day
            )
            try connection.run(
                "DELETE FROM mentions WHERE entry IN (SELECT id FROM \(Self.archiveTable))"
            )
            return try connection.run("DELETE FROM entries WHERE written_at < ?", day)
        }
    }

    func archivedTitles() throws -> [String] {
        try database.read { connection in
            try connection.query("SELECT title FROM \(Self.archiveTable) ORDER BY archived_at")
        }
    }

    func totalCount() throws -> Int {
        try database.read { connection in
            let now: Int = try connection.query("SELECT count(*) FROM entries")
            let before: Int = try connection.query("SELECT count(*) FROM archive.entries")
            return now + before
        }
    }

    func entry(_ id: Int64) throws -> Entry? {
        try database.read { connection in
            try connection.query(
                "SELECT id, title, body, written_at, mood, attributes FROM entries WHERE id = ?",
                id
            )
        }
    }

    func rename(_ entry: Int64, to title: String) throws {
        try database.write { connection in
            let statement = try connection.prepare("UPDATE entries SET title = ?1 WHERE id = ?2")
            try statement.bind(title, entry).run()
        }
    }
}

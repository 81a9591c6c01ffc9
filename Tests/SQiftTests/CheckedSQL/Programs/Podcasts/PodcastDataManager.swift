import Foundation
import SQift

struct PodcastRecord: ExpressibleByRow {
    let id: Int64
    let uuid: String
    let title: String
    let author: String?
    let addedAt: UnixDate
    let isSubscribed: Bool

    init(row: Row) throws {
        id = try row.get("id")
        uuid = try row.get("uuid")
        title = try row.get("title")
        author = try row.get("author")
        addedAt = try row.get("added_at")
        isSubscribed = try row.get("is_subscribed")
    }
}

/// What is known of podcasts and their folders.
final class PodcastDataManager: Sendable {
    static let podcastTable = "podcasts"
    static let folderTable = "folders"
    static let episodeTable = "episodes"

    private let queue: Database

    init(queue: Database) {
        self.queue = queue
    }

    // MARK: Podcasts

    func findPodcast(uuid: String) throws -> PodcastRecord? {
        try queue.read { db in
            try db.query("SELECT * FROM \(Self.podcastTable) WHERE uuid = ?", [uuid])
        }
    }

    func allPodcasts(includeUnsubscribed: Bool) throws -> [PodcastRecord] {
        if includeUnsubscribed {
            return try loadMultiple("SELECT * FROM \(Self.podcastTable) ORDER BY sort_order", [])
        }
        return try queue.read { db in
            try db.query(
                """
                SELECT id, uuid, title, author, added_at, is_subscribed
                FROM \(PodcastDataManager.podcastTable)
                WHERE is_subscribed = 1
                ORDER BY sort_order ASC, lower(title)
                """
            )
        }
    }

    func save(uuid: String, title: String, author: String?) throws {
        try queue.write { db in
            let values: [(any Bindable)?] = [uuid, title, author, UnixDate(Date())]
            try db.run(
                """
                INSERT INTO \(Self.podcastTable)(uuid, title, author, added_at)
                VALUES(?, ?, ?, ?)
                ON CONFLICT(uuid) DO UPDATE SET title = excluded.title, author = excluded.author
                """,
                values
            )
        }
    }

    func setSubscribed(_ isSubscribed: Bool, uuid: String) throws {
        try queue.write { db in
            try db.run(
                "UPDATE \(Self.podcastTable) SET is_subscribed = ?, sort_order = ? WHERE uuid = ?",
                [isSubscribed, 0, uuid]
            )
        }
    }

    func delete(uuid: String) throws {
        try queue.write { db in
            try db.run(
                """
                DELETE FROM episodes
                WHERE podcast_id IN (SELECT id FROM podcasts WHERE uuid = ?)
                """,
                uuid
            )
            try db.run("DELETE FROM podcasts WHERE uuid = ?", uuid)
        }
    }

    // MARK: Folders

    func addFolder(name: String, color: Int) throws -> String {
        let uuid = UUID().uuidString
        try queue.write { db in
            try db.run("INSERT INTO folders(uuid, name, color) VALUES(?, ?, ?)", uuid, name, color)
        }
        return uuid
    }

    func move(podcast: PodcastRecord, toFolder folder: String?) throws {
        let change = "UPDATE podcasts SET folder_uuid = ? WHERE id = ?"
        try queue.write { db in
            try db.run(change, folder, podcast.id)
        }
    }

    func folderSizes() throws -> [String: Int] {
        try queue.read { db in
            try db.query(
                """
                SELECT f.name, count(p.id)
                FROM \(Self.folderTable) f JOIN \(Self.podcastTable) p ON p.folder_uuid = f.uuid
                GROUP BY f.name
                HAVING count(p.id) > 0
                """
            )
        }
    }

    func emptyFolders() throws -> [String] {
        let query = """
            SELECT folders.name FROM folders
            LEFT JOIN podcasts ON podcasts.folder_uuid = folders.uuid
            WHERE podcasts.id IS NULL
            ORDER BY folders.color
            """
        return try queue.read { db in
            try db.query(query)
        }
    }

    func latestDates() throws -> [(podcast: String, date: Double)] {
        var result: [(podcast: String, date: Double)] = []
        try queue.read { db in
            try db.forEachRow(
                """
                SELECT p.title AS podcast_title, ifnull(max(e.published_at), 0) AS latest
                FROM \(Self.podcastTable) p, \(Self.episodeTable) e
                WHERE e.podcast_id = p.id
                GROUP BY p.uuid
                ORDER BY latest DESC
                """
            ) { row in
                result.append((try row.get("podcast_title"), try row.get("latest")))
            }
        }
        return result
    }

    // MARK: Helpers

    private func loadMultiple(
        _ sql: String,
        _ values: [(any Bindable)?]
    ) throws -> [PodcastRecord] {
        try queue.read { db in
            try db.query(sql, values)
        }
    }
}

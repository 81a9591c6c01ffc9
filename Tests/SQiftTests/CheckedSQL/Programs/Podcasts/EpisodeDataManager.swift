import Foundation
import SQift

struct EpisodeRecord: Decodable, ExpressibleByRow {
    static let columnNamesAreSnakeCase = true

    let id: Int64
    let uuid: String
    let title: String
    let duration: Double
    let playedUpTo: Double
    let fileSize: Int?
}

/// What is known of episodes, and the list of those that are played next.
final class EpisodeDataManager: Sendable {
    private enum Table {
        static let episodes = "episodes"
        static let upNext = "up_next"
    }

    private let queue: Database

    init(queue: Database) {
        self.queue = queue
    }

    // MARK: Reading

    func findEpisode(uuid: String) throws -> EpisodeRecord? {
        try self.queue.read { db in
            try db.query("SELECT * FROM \(Table.episodes) WHERE uuid = ? LIMIT 1", uuid)
        }
    }

    func unplayed(in podcast: Int64, limit: Int) throws -> [EpisodeRecord] {
        try queue.executeRead { db in
            try db.query(
                """
                SELECT id, uuid, title, duration, played_up_to, file_size
                FROM \(Table.episodes)
                WHERE podcast_id = ? AND playing_status != 2
                ORDER BY published_at DESC, id
                LIMIT ?
                """,
                [podcast, limit]
            )
        }
    }

    func countOfStarred() throws -> Int {
        try queue.read { db in
            try db.query("SELECT count(*) FROM \(Table.episodes) WHERE is_starred = ?", true)
        }
    }

    func secondsListened(since date: Double) throws -> Double? {
        try queue.read { db in
            let sum: Double? = try db.query(
                "SELECT total(played_up_to) FROM episodes WHERE published_at > ?",
                date
            )
            return sum
        }
    }

    func titles(longerThan seconds: Double) throws -> [(String, Double)] {
        try queue.read { db in
            try db.query(
                "SELECT title, duration FROM episodes WHERE duration > ? ORDER BY duration",
                seconds,
                as: (String, Double).self
            )
        }
    }

    func sizes(ofPodcast uuid: String) throws -> [String: Int] {
        var sizes: [String: Int] = [:]
        try queue.read { db in
            try db.forEachRow(
                """
                SELECT e.uuid, coalesce(e.file_size, 0)
                FROM episodes e INNER JOIN podcasts p ON p.id = e.podcast_id
                WHERE p.uuid = ?
                """,
                uuid
            ) { row in
                let episode: String = try row.get(0)
                sizes[episode] = try row.get(1)
            }
        }
        return sizes
    }

    // MARK: Writing

    func add(_ titles: [(uuid: String, title: String)], to podcast: Int64) throws {
        try queue.write { db in
            let statement = try db.prepare(
                "INSERT INTO episodes(uuid, podcast_id, title, duration) VALUES(?, ?, ?, ?)"
            )
            for (uuid, title) in titles {
                try statement.bind(uuid, podcast, title, 0.5).run()
            }
        }
    }

    func saveProgress(_ seconds: Double, of episode: EpisodeRecord) throws {
        try queue.write { db in
            try db.run(
                "UPDATE episodes SET played_up_to = ?, playing_status = ? WHERE id = ?",
                seconds,
                seconds >= episode.duration ? 2 : 1,
                episode.id
            )
        }
    }

    func star(_ uuid: String) throws {
        try queue.executeWrite { db in
            try db.run(
                "UPDATE episodes SET is_starred = :starred WHERE uuid = :uuid",
                ["starred": true, "uuid": uuid]
            )
        }
    }

    // MARK: Up next

    func playNext(_ episode: EpisodeRecord) throws {
        try queue.write { db in
            try db.run("UPDATE \(Table.upNext) SET position = position + 1")
            try db.run(
                """
                INSERT OR REPLACE INTO \(Table.upNext)(position, episode_uuid, title)
                VALUES(?, ?, ?)
                """,
                [0, episode.uuid, episode.title]
            )
        }
    }

    func upNext() throws -> [String] {
        try queue.read { db in
            try db.query("SELECT episode_uuid FROM \(Table.upNext) ORDER BY position")
        }
    }
}

import SQift
import SQiftTestSupport

extension MusicLibrary {
    struct Play: Encodable {
        let track: Int64
        let playedAt: Double
        let listener: String
        let skipped: Bool
    }

    struct Listening: Decodable, ExpressibleByRow, Equatable {
        static let columnNamesAreSnakeCase = true

        let track: Int64
        let playedAt: Double
        let listener: String
        let skipped: Bool
    }

    struct Favourite: Decodable, ExpressibleByRow, Equatable {
        let title: String
        let plays: Int
    }

    struct Habit: ExpressibleByRow, Equatable {
        let listener: String
        let playCount: Int
        let skipCount: Int
        let lastTitle: String

        init(row: Row) throws {
            listener = try row.get("listener")
            playCount = try row.get("play_count")
            skipCount = try row.get("skip_count")
            lastTitle = try row.get("last_title")
        }
    }

    func note(_ plays: [Play]) async throws {
        try await database.write { connection in
            for play in plays {
                try connection.run(
                    """
                    INSERT INTO plays(track, played_at, listener, skipped)
                    VALUES(:track, :playedAt, :listener, :skipped)
                    """,
                    encoding: play
                )
            }
        }
    }

    func latestPlays(atMost count: Int) async throws -> [Listening] {
        try await database.read { connection in
            try connection.query(
                "SELECT track, played_at, listener, skipped FROM plays ORDER BY 2 DESC LIMIT ?",
                count
            )
        }
    }

    func favourites() async throws -> [Favourite] {
        try await database.read { connection in
            try connection.query("SELECT title, plays FROM favourites ORDER BY plays DESC, title")
        }
    }

    func habits() async throws -> [Habit] {
        try await database.read { connection in
            try connection.query(
                """
                WITH numbered AS (
                    SELECT listener, track, skipped,
                        row_number() OVER (
                            PARTITION BY listener ORDER BY played_at DESC
                        ) AS number
                    FROM plays
                )
                SELECT listener, count(*) AS play_count, sum(skipped) AS skip_count,
                    max(CASE WHEN number = 1 THEN tracks.title END) AS last_title
                FROM numbered JOIN tracks ON tracks.id = numbered.track
                GROUP BY listener ORDER BY listener
                """
            )
        }
    }

    /// The seconds that each artist was heard.
    func secondsByArtist(since moment: Double) async throws -> [String: Int] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT artists.name, sum(tracks.length)
                FROM plays
                JOIN tracks ON tracks.id = plays.track
                JOIN albums ON albums.id = tracks.album
                JOIN artists ON artists.id = albums.artist
                WHERE plays.played_at >= ? AND plays.skipped = 0
                GROUP BY artists.id
                """,
                moment
            )
        }
    }

    /// The tracks that nobody has heard.
    func unheardTitles() async throws -> [String] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT tracks.title FROM tracks LEFT JOIN plays ON plays.track = tracks.id
                WHERE plays.track IS NULL
                ORDER BY tracks.album, tracks.position
                """
            )
        }
    }

    func playCount() async throws -> Int {
        try await database.read { try $0.query("SELECT count(*) FROM plays WHERE skipped = 0") }
    }

    func lastPlay(of track: Int64) async throws -> Double? {
        try await database.read { connection in
            try connection.query("SELECT max(played_at) FROM plays WHERE track = ?", track)
        }
    }

    // MARK: The archive

    /// Moves what was played before a moment into a file of its own. Returns how much that was.
    func archivePlays(before moment: Double, in path: String) throws -> Int {
        try database.writeWithoutTransaction { connection in
            try connection.attachDatabase(from: .onDisk(path), withName: "archive")
            defer { try? connection.detachDatabase(named: "archive") }
            try connection.execute(
                "CREATE TABLE IF NOT EXISTS archive.old_plays(track, moment, listener)"
            )
            return try connection.transaction {
                try connection.run(
                    """
                    INSERT INTO archive.old_plays(track, moment, listener)
                    SELECT track, played_at, listener FROM plays WHERE played_at < ?
                    """,
                    moment
                )
                try connection.run("DELETE FROM plays WHERE played_at < ?", moment)
                return try connection.query("SELECT count(*) FROM archive.old_plays")
            }
        }
    }
}

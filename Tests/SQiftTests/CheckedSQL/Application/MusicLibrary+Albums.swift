import SQift
import SQiftTestSupport

extension MusicLibrary {
    struct Artist: Decodable, ExpressibleByRow, Equatable {
        let id: Int64
        let name: String
        let country: String?
    }

    struct NewAlbum: Encodable {
        let artist: Int64
        let title: String
        let year: Int?
        let price: Int
        let tags: [String]
    }

    struct Album: Decodable, ExpressibleByRow, Equatable {
        let id: Int64
        let title: String
        let year: Int?
        let price: Int
        let tags: [String]
        let stars: Int?
    }

    struct Track: ExpressibleByRow, Equatable {
        let position: Int
        let title: String
        let composer: String?
        let duration: String

        init(row: Row) throws {
            position = try row.get("position")
            title = try row.get("title")
            composer = try row.get("composer")
            duration = try row.get("duration")
        }
    }

    struct Credit: Decodable, ExpressibleByRow, Equatable {
        let album: String
        let year: Int?
        let stars: Int?
        let composer: String?
    }

    struct Line: Decodable, ExpressibleByRow, Equatable {
        let album: Int64
        let position: Int
        let title: String
        let composer: String?
        let length: Int
    }

    // MARK: Writing

    /// Adds an artist, or finds the one with this name.
    func artist(named name: String, country: String? = nil) async throws -> Artist {
        try await database.write { connection in
            try connection.query(
                """
                INSERT INTO artists(name, country) VALUES(?, ?)
                ON CONFLICT(name) DO UPDATE SET country = ifnull(excluded.country, country)
                RETURNING id, name, country
                """,
                name,
                country
            )
        }
    }

    /// Adds an album with its tracks, which are titles and seconds.
    func add(_ album: NewAlbum, tracks: [(title: String, seconds: Int)]) async throws -> Int64 {
        try await database.write { connection in
            let id: Int64 = try connection.query(
                """
                INSERT INTO albums(artist, title, year, price, tags)
                VALUES(:artist, :title, :year, :price, :tags)
                RETURNING id
                """,
                encoding: album
            )
            let statement = try connection.prepare(
                "INSERT INTO tracks(album, position, title, length) VALUES(?, ?, ?, ?)"
            )
            for (index, track) in tracks.enumerated() {
                try statement.bind(id, index + 1, track.title, track.seconds).run()
            }
            return id
        }
    }

    func setComposer(_ composer: String, ofTracksNamed title: String) async throws -> Int {
        try await database.write { connection in
            try connection.run(
                "UPDATE tracks SET composer = :composer WHERE title = :title",
                ["composer": composer, "title": title]
            )
        }
    }

    func rate(_ album: Int64, stars: Int?) async throws {
        try await database.write { connection in
            try connection.run("UPDATE albums SET stars = ?2 WHERE id = ?1", album, stars)
        }
    }

    func addTag(_ tag: String, to album: Int64) async throws {
        try await database.write { connection in
            try connection.run(
                "UPDATE albums SET tags = json_insert(tags, '$[#]', ?) WHERE id = ?",
                tag,
                album
            )
        }
    }

    func removeAlbums(before year: Int) async throws -> [String] {
        try await database.write { connection in
            let titles: [String] = try connection.query(
                "DELETE FROM albums WHERE year < ? RETURNING title",
                year
            )
            try connection.execute(
                """
                DELETE FROM artists WHERE id NOT IN (SELECT artist FROM albums);
                DELETE FROM playlists WHERE id NOT IN (SELECT playlist FROM entries)
                """
            )
            return titles
        }
    }

    // MARK: Reading

    func albums(by artist: String) async throws -> [Album] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT albums.id, title, year, price, tags, stars
                FROM albums JOIN artists ON artists.id = albums.artist
                WHERE artists.name = ?
                ORDER BY year, title
                """,
                artist
            )
        }
    }

    func album(_ id: Int64) async throws -> Album? {
        try await database.read { connection in
            try connection.query("SELECT * FROM albums WHERE id = ?", id)
        }
    }

    func tracks(of album: Int64) async throws -> [Track] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT position, title, composer, duration(length) AS duration
                FROM tracks WHERE album = ? ORDER BY position
                """,
                album
            )
        }
    }

    /// The tracks of all albums that are longer than some seconds.
    func lines(longerThan seconds: Int) async throws -> [Line] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT album, position, title, composer, length FROM tracks
                WHERE id IN (SELECT id FROM tracks AS others WHERE others.length > ?)
                ORDER BY album, position
                """,
                seconds
            )
        }
    }

    func credits(ofTracksNamed title: String) async throws -> [Credit] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT albums.title AS album, albums.year, albums.stars, tracks.composer
                FROM tracks JOIN albums ON albums.id = tracks.album
                WHERE tracks.title = ?
                """,
                title
            )
        }
    }

    /// The titles of the albums with a tag, by their numbers.
    func albums(tagged tag: String) async throws -> [Int64: String] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT albums.id, albums.title FROM albums, json_each(albums.tags) AS tag
                WHERE tag.value = ?
                """,
                tag
            )
        }
    }

    /// How many albums there are of each year.
    func yearCounts() async throws -> [(year: Int, count: Int)] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT year, count(*) FROM albums
                WHERE year IS NOT NULL GROUP BY year ORDER BY year
                """,
                as: (Int, Int).self
            ).map { (year: $0, count: $1) }
        }
    }
}

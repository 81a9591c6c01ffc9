import SQift
import SQiftTestSupport

extension MusicLibrary {
    struct Hit: Equatable {
        let title: String
        let artist: String
        let extract: String
    }

    struct Playlist: ExpressibleByRow, Equatable {
        let name: String
        let owner: String
        let trackCount: Int
        let remark: String?

        init(row: Row) throws {
            name = try row.get("name")
            owner = try row.get("owner")
            trackCount = try row.get("track_count")
            remark = try row.get("remark")
        }
    }

    struct Entry: Decodable, ExpressibleByRow, Equatable {
        let position: Int
        let track: Int64
    }

    struct Remark: Decodable, ExpressibleByRow, Equatable {
        let name: String
        let owner: String
        let remark: String?
    }

    private static let playlistColumns = "playlists.name, playlists.owner, playlists.remark"

    func addPlaylist(named name: String, of owner: String, tracks: [Int64]) async throws {
        try await database.write { connection in
            try connection.run("INSERT INTO playlists(name, owner) VALUES(?, ?)", name, owner)
            let playlist = connection.lastInsertRowID
            for (index, track) in tracks.enumerated() {
                try connection.run(
                    "INSERT INTO entries(playlist, position, track) VALUES(?, ?, ?)",
                    [playlist, index + 1, track]
                )
            }
        }
    }

    func remark(_ text: String?, on name: String) async throws -> Bool {
        try await database.write { connection in
            try connection.run("UPDATE playlists SET remark = ? WHERE name = ?", text, name) > 0
        }
    }

    func entries() async throws -> [Entry] {
        try await database.read { connection in
            try connection.query("SELECT position, track FROM entries ORDER BY playlist, position")
        }
    }

    func remarks() async throws -> [Remark] {
        try await database.read { connection in
            try connection.query("SELECT name, owner, remark FROM playlists ORDER BY id")
        }
    }

    func playlists() async throws -> [Playlist] {
        try await database.read { connection in
            try connection.query(
                "SELECT \(Self.playlistColumns), count(entries.track) AS track_count "
                    + "FROM playlists LEFT JOIN entries ON entries.playlist = playlists.id "
                    + "GROUP BY playlists.id ORDER BY playlists.name"
            )
        }
    }

    /// The titles of a playlist, numbered and with the names of the artists.
    func lines(ofPlaylist name: String) async throws -> [String] {
        try await database.read { connection in
            var lines: [String] = []
            try connection.forEachRow(
                """
                SELECT entries.position, tracks.title, artists.name AS artist
                FROM playlists
                JOIN entries ON entries.playlist = playlists.id
                JOIN tracks ON tracks.id = entries.track
                JOIN albums ON albums.id = tracks.album
                JOIN artists ON artists.id = albums.artist
                WHERE playlists.name = ?
                ORDER BY entries.position
                """,
                name
            ) { row in
                let position: Int = try row.get("position")
                let title: String = try row.get("title")
                lines.append("\(position) \(title) (\(try row.get("artist") as String))")
            }
            return lines
        }
    }

    /// What has the words of an expression, the best first.
    func search(_ expression: String) async throws -> [Hit] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT tracks.title, artists.name, snippet(track_index, 0, '[', ']', '…', 5)
                FROM track_index
                JOIN tracks ON tracks.id = track_index.rowid
                JOIN albums ON albums.id = tracks.album
                JOIN artists ON artists.id = albums.artist
                WHERE track_index MATCH ?
                ORDER BY bm25(track_index), tracks.title
                LIMIT 20
                """,
                expression
            ) { row in
                Hit(title: try row.get(0), artist: try row.get("name"), extract: try row.get(2))
            }
        }
    }

    /// The playlists of an owner, one name after the other.
    func names(of owner: String) async throws -> [String] {
        try await database.read { connection in
            let cursor = try connection.cursor(
                "SELECT name FROM playlists WHERE owner = ? ORDER BY upper(name)",
                owner
            )
            var names: [String] = []
            while let name = try cursor.next(as: String.self) {
                names.append(name)
            }
            return names
        }
    }

    /// The mean price of an album in whole cents, and the artists' names as a list.
    func overview() async throws -> (meanPrice: Int?, artists: String) {
        try await database.read { connection in
            let sql = "SELECT CAST(avg(price) AS INTEGER) FROM albums"
            let price: Int? = try connection.query(sql)
            let names = try connection.query(
                "SELECT name, country FROM artists ORDER BY name COLLATE WITHOUT_ARTICLE",
                as: (String, String?).self
            )
            let list = names.map { name, country in country.map { "\(name) (\($0))" } ?? name }
            return (meanPrice: price, artists: list.joined(separator: ", "))
        }
    }

    /// What is written on the shelf: the albums with their years and stars, and who wrote them.
    func labels() async throws -> [String] {
        try await database.read { connection in
            let albums = try connection.query(
                "SELECT title, year, stars FROM albums ORDER BY id",
                as: (String, Int?, Int?).self
            )
            let tracks = try connection.query(
                "SELECT title, composer FROM tracks ORDER BY album, position",
                as: (String, String?).self
            )
            let titles = albums.map { "\($0), \($1 ?? 0): \($2 ?? 0)" }
            return titles + tracks.map { title, composer in "\(title) by \(composer ?? "?")" }
        }
    }
}

import Foundation
import SQiftTestSupport
import Testing

/// The application whose SQL is checked works. So what is said of it is said of true code.
@Suite(
    .enabled(if: Capability.fts5, "this SQLite has no FTS5")
)
struct MusicLibraryTests {
    private let folder: TemporaryFolder
    private let library: MusicLibrary

    init() throws {
        folder = try TemporaryFolder()
        library = try MusicLibrary(path: folder.path())
    }

    /// Two albums, of which the second has a year and a composer.
    private func addAlbums() async throws -> (first: Int64, second: Int64) {
        let clash = try await library.artist(named: "The Clash", country: "GB")
        let beatles = try await library.artist(named: "The Beatles")
        let first = try await library.add(
            .init(artist: clash.id, title: "Demo", year: nil, price: 0, tags: ["punk"]),
            tracks: [("Overture", 61), ("Finale", 125)]
        )
        let second = try await library.add(
            .init(artist: beatles.id, title: "Help!", year: 1965, price: 1_299, tags: []),
            tracks: [("Help!", 139), ("Yesterday", 125)]
        )
        return (first, second)
    }

    @Test func everyMigrationHasRun() throws {
        #expect(try library.history().count == MusicLibrary.migrations.count)
        #expect(try library.history().last == "09-playlists-have-owners")
    }

    @Test func albumsAreAddedChangedAndRead() async throws {
        let (first, second) = try await addAlbums()
        try await library.rate(second, stars: 5)
        try await library.addTag("british", to: second)
        #expect(try await library.setComposer("McCartney", ofTracksNamed: "Yesterday") == 1)

        let again = try await library.artist(named: "The Beatles", country: "GB")
        #expect(again.country == "GB")
        let album = try #require(try await library.album(second))
        #expect(album.tags == ["british"])
        #expect(album.stars == 5)
        #expect(try await library.albums(by: "The Beatles") == [album])
        #expect(try await library.albums(tagged: "punk") == [first: "Demo"])
        #expect(try await library.yearCounts().map(\.year) == [1965])

        let tracks = try await library.tracks(of: second)
        #expect(tracks.map(\.duration) == ["2:19", "2:05"])
        #expect(tracks.map(\.composer) == [nil, "McCartney"])
        #expect(try await library.labels().first == "Demo, 0: 0")
        let lines = try await library.lines(longerThan: 125)
        #expect(
            lines
                == [second].map {
                    .init(album: $0, position: 1, title: "Help!", composer: nil, length: 139)
                }
        )
        #expect(try await library.credits(ofTracksNamed: "Help!").map(\.year) == [1965])
        let overview = try await library.overview()
        #expect(overview.meanPrice == 649)
        #expect(overview.artists == "The Beatles (GB), The Clash (GB)")

        #expect(try await library.removeAlbums(before: 1970) == ["Help!"])
        #expect(try await library.album(second) == nil)
    }

    @Test func playsAreCountedAndArchived() async throws {
        _ = try await addAlbums()
        try await library.note([
            .init(track: 1, playedAt: 10, listener: "Ann", skipped: false),
            .init(track: 1, playedAt: 20, listener: "Ben", skipped: false),
            .init(track: 3, playedAt: 30, listener: "Ann", skipped: true),
        ])
        let latest = try await library.latestPlays(atMost: 1)
        #expect(latest == [.init(track: 3, playedAt: 30, listener: "Ann", skipped: true)])
        #expect(try await library.favourites().map(\.title) == ["Overture"])
        #expect(try await library.habits().map(\.lastTitle) == ["Help!", "Overture"])
        #expect(try await library.habits().map(\.skipCount) == [1, 0])
        #expect(try await library.secondsByArtist(since: 15) == ["The Clash": 61])
        #expect(try await library.unheardTitles() == ["Finale", "Yesterday"])
        #expect(try await library.lastPlay(of: 1) == 20)

        #expect(try library.archivePlays(before: 25, in: folder.path("archive.sqlite")) == 2)
        #expect(try await library.playCount() == 0)
        #expect(try await library.lastPlay(of: 1) == nil)
    }

    @Test func playlistsAreFilledAndSearched() async throws {
        _ = try await addAlbums()
        try await library.addPlaylist(named: "Mornings", of: "Ann", tracks: [4, 1])
        #expect(try await library.remark("loud", on: "Mornings"))
        let playlist = try #require(try await library.playlists().first)
        #expect(playlist.trackCount == 2)
        #expect(playlist.remark == "loud")
        #expect(playlist.owner == "Ann")
        #expect(try await library.names(of: "Ann") == ["Mornings"])
        #expect(try await library.entries().map(\.track) == [4, 1])
        #expect(try await library.remarks().map(\.remark) == ["loud"])
        let lines = try await library.lines(ofPlaylist: "Mornings")
        #expect(lines == ["1 Yesterday (The Beatles)", "2 Overture (The Clash)"])

        let hit = try #require(try await library.search("yesterday").first)
        #expect(hit.artist == "The Beatles")
        #expect(hit.extract == "[Yesterday]")
    }
}

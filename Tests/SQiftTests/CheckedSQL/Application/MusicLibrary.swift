import SQift
import SQiftTestSupport

/// An application whose SQL is checked: albums and their tracks, what was played, playlists, a search
/// and an archive in a file of its own.
struct MusicLibrary: Sendable {
    let database: Database

    init(path: String) throws {
        database = try Database(path: path)
        database.prepareConnections { connection in
            try connection.addFunction(named: "duration") { (seconds: Int) in
                "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
            }
            try connection.addCollation(named: "WITHOUT_ARTICLE") { left, right in
                Self.sortingName(left).compare(Self.sortingName(right))
            }
        }
        try database.writeWithoutTransaction { connection in
            try Migrator(connection: connection, migrations: Self.migrations).run()
        }
    }

    /// `The Clash` is found under C.
    private static func sortingName(_ name: String) -> String {
        name.hasPrefix("The ") ? String(name.dropFirst(4)) : name
    }

    /// The names of the migrations that have run.
    func history() throws -> [String] {
        try database.read { try $0.query("SELECT name FROM sqift_migrations ORDER BY rowid") }
    }
}

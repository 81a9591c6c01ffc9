import Foundation
import SQift
import SQiftTestSupport
import Testing

private struct Player: Codable, ExpressibleByRow {
    var id: Int64?
    var name: String
    var score: Int?

    mutating func insert(on connection: Connection) throws {
        let sql = "INSERT INTO players(name, score) VALUES(:name, :score) RETURNING id"
        id = try connection.query(sql, encoding: self)
    }
}

private struct Sample: Codable, ExpressibleByRow {
    let id: Int
    let text: String
}

/// SQift's blocks in the pairs of Docs/FromGRDB.md, FromSQLiteSwift.md, FromFMDB.md and
/// FromWCDB.md. What stands for the other library there isn't compiled.
struct ComingFromPairsTests {
    private let folder: TemporaryFolder
    private let path: String
    private let database: Database
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        database = try Database(path: path)
        try database.write { connection in
            try connection.execute(
                """
                CREATE TABLE players(id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER);
                INSERT INTO players VALUES(1, 'Ada', 5), (2, 'Bob', 7), (3, 'Cid', NULL)
                """
            )
        }
        connection = try Connection(path: path)
    }

    private func names() throws -> [String] {
        try connection.query("SELECT name FROM players ORDER BY id")
    }

    @Test func writing() throws {
        var player = Player(name: "Eva", score: 1)

        try database.write { connection in
            let count = try connection.run("UPDATE players SET score = ? WHERE id = ?", 10, 1)
            try connection.run("DELETE FROM players WHERE id = :id", ["id": 2])
            try player.insert(on: connection)  // as below
            print(count, connection.lastInsertRowID)
        }

        #expect(player.id == 4)
        #expect(try names() == ["Ada", "Cid", "Eva"])
    }

    @Test func reading() throws {
        let score: Int? = try connection.query("SELECT score FROM players WHERE id = ?", 3)
        let names: [String] = try connection.query("SELECT name FROM players ORDER BY id")
        let rows: [Row] = try connection.query("SELECT * FROM players")
        let player: Player? = try connection.query("SELECT * FROM players WHERE id = ?", 1)
        let players: [Player] = try connection.query("SELECT * FROM players WHERE score > 0")

        #expect(score == nil)
        #expect(names == ["Ada", "Bob", "Cid"])
        #expect(rows.count == 3)
        #expect(player?.name == "Ada")
        #expect(players.map(\.id) == [1, 2])
    }

    @Test func transactions() async throws {
        struct Refused: Error {}
        let isAllowed = false

        try await database.write { connection in
            try connection.run("DELETE FROM players WHERE id = ?", 1)
            try? connection.savepoint {
                try connection.run("DELETE FROM players")
                guard isAllowed else { throw Refused() }
            }
        }

        #expect(try names() == ["Bob", "Cid"])
    }

    @Test func migrating() throws {
        let migrations = [Migration("2026-01-clubs", sql: "CREATE TABLE clubs(name TEXT)")]
        try database.writeWithoutTransaction { connection in
            try Migrator(connection: connection, migrations: migrations).run()
        }

        #expect(try connection.tableExists("clubs"))
    }

    @Test func statements() throws {
        let insert = try connection.prepare("INSERT INTO players(name, score) VALUES(?, ?)")
        for name in ["Fay", "Gus"] {
            try insert.bind(name, 0).run()
        }
        print(connection.lastInsertRowID)
        let count: Int = try connection.query("SELECT count(*) FROM players")

        #expect(count == 5)
    }

    @Test func rows() throws {
        try connection.forEachRow("SELECT name, score FROM players") { row in
            let name: String = try row.get("name")
            let score: Int? = try row.get("score")
            print(name, score ?? 0)
        }
    }

    @Test func queues() throws {
        let queue = ConnectionQueue(connection: try Connection(path: path))
        try queue.execute { connection in
            try connection.run("UPDATE players SET score = ? WHERE name = ?", 5, "Ada")
            try connection.forEachRow("SELECT name, score FROM players") { row in
                let name: String = try row.get("name")
                let score: Int? = try row.get("score")
                print(name, score ?? 0)
            }
        }
    }

    @Test func objects() throws {
        try database.write { connection in
            try connection.execute("CREATE TABLE samples(id INTEGER PRIMARY KEY, text TEXT)")
        }
        let samples = [Sample(id: 1, text: "a"), Sample(id: 10, text: "b")]

        try database.write { connection in
            let insert = try connection.prepare("INSERT OR REPLACE INTO samples VALUES(:id, :text)")
            for sample in samples {
                try insert.bind(encoding: sample).run()
            }
            try connection.run("DELETE FROM samples WHERE id > ?", 9)
        }
        let all: [Sample] = try database.read { try $0.query("SELECT * FROM samples") }

        #expect(all.map(\.text) == ["a"])
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

private struct Player: Codable, ExpressibleByRow {
    static let columnNamesAreSnakeCase = true

    var id: Int64?
    var name: String
    var score = 0
    var teamID: Int64?

    mutating func insert(on connection: Connection) throws {
        let sql = """
            INSERT INTO players(name, score, team_id) VALUES(:name, :score, :teamID)
            RETURNING id
            """
        id = try connection.query(sql, encoding: self)
    }
}

private struct Team: Decodable, ExpressibleByRow {
    let id: Int64
    let name: String
}

/// The blocks of Docs/FromGRDB.md about GRDB, and its table's calls.
struct ComingFromGRDBTests {
    private let folder: TemporaryFolder
    private let path: String
    private let database: Database

    private static let schema = """
        CREATE TABLE teams(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE players(
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, score INTEGER,
            team_id INTEGER REFERENCES teams
        );
        INSERT INTO teams VALUES(1, 'red'), (2, 'blue');
        INSERT INTO players VALUES(1, 'Ada', 5, 1), (2, 'Bob', 7, 2), (3, 'Cid', NULL, NULL)
        """

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        database = try Database(path: path)
        try database.write { try $0.execute(Self.schema) }
    }

    @Test func aRecordIsATypeWithFunctions() throws {
        var player = Player(name: "Eva")
        try database.write { connection in
            try player.insert(on: connection)
        }

        #expect(player.id == 4)
        let score: Int = try database.read { connection in
            try connection.query("SELECT score FROM players WHERE id = ?", player.id)
        }
        #expect(score == 0)
    }

    @Test func anAssociationIsTwoQueries() throws {
        func scores(on connection: Connection) throws -> [String: [String]] {
            let teams: [Team] = try connection.query("SELECT id, name FROM teams ORDER BY name")
            let players: [Player] = try connection.query(
                "SELECT * FROM players WHERE team_id IN (SELECT value FROM json_each(?))",
                ArrayBinding(elements: teams.map(\.id))
            )
            let playersByTeam = Dictionary(grouping: players, by: \.teamID)
            return Dictionary(
                uniqueKeysWithValues: teams.map { team in
                    (team.name, (playersByTeam[team.id] ?? []).map(\.name))
                }
            )
        }

        try database.write { try $0.run("UPDATE players SET score = 0 WHERE score IS NULL") }
        #expect(try database.read(scores) == ["red": ["Ada"], "blue": ["Bob"]])
    }

    @Test func anObservationIsALoop() async throws {
        func follow(_ database: Database, _ show: ([String]) throws -> Void) async throws {
            let values = database.values { connection in
                try connection.query("SELECT name FROM players ORDER BY name") as [String]
            }
            for try await names in values.removingDuplicates() {
                try show(names)
            }
        }

        var shown: [[String]] = []
        try await follow(database) { names in
            shown.append(names)
            if shown.count == 1 {
                try database.write { try $0.run("DELETE FROM players WHERE id > 1") }
            } else {
                try database.close()
            }
        }
        #expect(shown == [["Ada", "Bob", "Cid"], ["Ada"]])
    }

    // MARK: The table

    @Test func opening() throws {
        let own = try Database(path: path)
        let tests = try Database.inMemory()
        var configuration = Database.Configuration()
        configuration.accessMode = .readOnly()
        configuration.busyTimeout = 2
        configuration.maximumReaderCount = 4
        let readOnly = try Database(path: path, configuration: configuration)
        database.prepareConnections { connection in
            try connection.addFunction(named: "twice") { (number: Int) in 2 * number }
        }

        #expect(try own.read { try $0.tableExists("players") })
        #expect(try !tests.read { try $0.tableExists("players") })
        #expect(try database.read { try $0.query("SELECT twice(2)") as Int } == 4)
        let error = expectThrows(SQLiteError.self) {
            try readOnly.write { try $0.run("DELETE FROM players") }
        }
        #expect(error?.resultCode == .readOnly)
    }

    @Test func writing() throws {
        let connection = try Connection()
        try connection.execute(Self.schema)
        let script = "DELETE FROM players WHERE id = 3; UPDATE players SET score = 0"

        let count = try connection.run("UPDATE players SET score = ? WHERE id = ?", 10, 1)
        try connection.run("DELETE FROM players WHERE id = :id", ["id": 2])
        let sql = "INSERT INTO players(name) VALUES(:name)"
        try connection.run(sql, encoding: Player(name: "Eva"))
        let rowID = connection.lastInsertRowID
        let id: Int = try connection.query(sql + " RETURNING id", ["name": "Fay"])
        try connection.execute(script)
        let statement = try connection.prepare("SELECT count(*) FROM players WHERE score = ?")

        #expect(count == 1)
        #expect(rowID == 4)
        #expect(id == 5)
        #expect(try statement.bind(0).query() as Int == 3)
    }

    @Test func reading() throws {
        let connection = try Connection()
        try connection.execute(Self.schema)

        let count: Int = try connection.query("SELECT count(*) FROM players")
        let score: Int? = try connection.query("SELECT score FROM players WHERE id = ?", 3)
        let names: [String] = try connection.query("SELECT name FROM players ORDER BY id")
        let different = Set(try connection.query("SELECT name FROM players") as [String])
        let row = try connection.query("SELECT * FROM players WHERE id = ?", 1)
        let rows: [Row] = try connection.query("SELECT * FROM players")
        let player: Player? = try connection.query("SELECT * FROM players WHERE id = ?", 1)
        let players: [Player] = try connection.query("SELECT * FROM players WHERE score > 0")
        let cursor = try connection.cursor("SELECT name FROM players")
        var lengths = 0
        while let row = try cursor.next() {
            let name: String = try row.get("name")
            lengths += name.count
        }
        let pairs = try connection.query("SELECT name, score FROM players", as: (String, Int?).self)
        let teams =
            try connection.query(
                """
                SELECT players.name, teams.id, teams.name
                FROM players LEFT JOIN teams ON teams.id = players.team_id ORDER BY players.id
                """
            ) { row in
                try row.slice(1..<3).map(Team.init(row:))?.name
            } as [String?]

        #expect(count == 3)
        #expect(score == nil)
        #expect(names == ["Ada", "Bob", "Cid"])
        #expect(different == ["Ada", "Bob", "Cid"])
        #expect(try row?.get("name") == "Ada")
        #expect(rows.count == 3)
        #expect(player?.teamID == 1)
        #expect(players.map(\.id) == [1, 2])
        #expect(lengths == 9)
        #expect(pairs.map { $0.1 } == [5, 7, nil])
        #expect(teams == ["red", "blue", nil])
    }

    @Test func transactionsAndThreads() async throws {
        struct Refusal: Error {}

        try await database.write { connection in
            try connection.run("DELETE FROM players WHERE id = 1")
            try? connection.savepoint {
                try connection.run("DELETE FROM players")
                throw Refusal()
            }
        }
        try await database.writeWithoutTransaction { connection in
            try connection.execute("VACUUM")
            try connection.transaction {
                try connection.run("DELETE FROM players WHERE id = 2")
            }
        }
        let snapshot = try await database.snapshot()
        try await database.write { try $0.run("DELETE FROM players") }
        let names: [String] = try await snapshot.read { try $0.query("SELECT name FROM players") }
        let count: Int = try await database.read { try $0.query("SELECT count(*) FROM players") }

        #expect(names == ["Cid"])
        #expect(count == 0)
        try snapshot.close()
    }

    @Test func migrationsObservationAndBackup() async throws {
        let backupPath = folder.path("backup.sqlite")
        let compactPath = folder.path("compact.sqlite")
        let heard = SharedCount()

        let migrations = [
            Migration("2026-01-clubs", sql: "CREATE TABLE clubs(name TEXT)"),
            Migration("2026-02-keys", sql: "DELETE FROM clubs", options: .enforcingForeignKeys),
        ]
        let isUpToDate = try await database.writeWithoutTransaction { connection in
            let migrator = Migrator(connection: connection, migrations: migrations)
            try migrator.run(upTo: "2026-01-clubs")
            try migrator.run()
            let drift = try migrator.schemaDrift()
            #expect(drift.map(\.description) == ["new table players", "new table teams"])
            return try migrator.pending().isEmpty
        }
        let changes = database.changes(in: ["players"])
        try await database.writeWithoutTransaction { connection in
            let listener = connection.didCommit { changes in
                heard.add(changes.concerns("players") ? 1 : 0)
            }
            defer { listener.end() }
            try connection.run("DELETE FROM players WHERE id = 1")
            try connection.vacuum(into: .onDisk(compactPath))
        }
        var iterator = changes.makeAsyncIterator()
        let first = await iterator.next()
        try await database.backup(to: .onDisk(backupPath))

        #expect(isUpToDate)
        #expect(first?.tables == ["players"])
        #expect(heard.value == 1)
        for copy in [backupPath, compactPath] {
            let count: Int = try Connection(path: copy).query("SELECT count(*) FROM players")
            #expect(count == 2)
        }
    }

    @Test func theRest() throws {
        let connection = try Connection()
        try connection.execute(Self.schema)
        let table = "players"

        try connection.addFunction(named: "initial") { (name: String) in String(name.prefix(1)) }
        try connection.addCollation(named: "NUMERIC") { $0.compare($1, options: .numeric) }
        var traced: [SQL] = []
        connection.trace { sql in
            traced.append(sql)
        }
        let initial: String = try connection.query("SELECT initial(name) FROM players")
        let columns = try connection.columns(in: "players").map(\.name)
        let error = expectThrows(SQLiteError.self) {
            try connection.run("INSERT INTO players(name) VALUES('Ada')")
        }
        let count: Int = try connection.query(
            "SELECT count(*) FROM \(table.sqift.quotedIdentifier)"
        )
        connection.interruptHandle.interrupt()

        #expect(initial == "A")
        #expect(traced.first == "SELECT initial(name) FROM players")
        #expect(columns == ["id", "name", "score", "team_id"])
        #expect(error?.extendedResultCode == .constraintUnique)
        #expect(count == 3)
    }
}

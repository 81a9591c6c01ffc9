import Foundation
import SQift
import SQiftTestSupport
import Testing

private struct Badge: Decodable, Equatable {
    let name: String
    let wonAt: Date
}

private struct Player: Decodable, ExpressibleByRow {
    static var jsonDecoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        return decoder
    }

    /// For `encoding:`. Without it, dates in JSON would be written as seconds since 2001.
    static var jsonEncoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .millisecondsSince1970
        return encoder
    }

    let id: UUID
    let name: String
    let joinedAt: Date
    let badges: [Badge]
}

/// The section of Docs/FromGRDB.md about databases that GRDB made: its table of migrations, and
/// its forms of values.
struct ComingFromGRDBSchemaTests {
    private let folder: TemporaryFolder
    private let database: Database
    private let id = UUID()
    private let date = Date(timeIntervalSince1970: 1_769_860_800.25)  // 2026-01-31 12:00:00.250

    private static let createPlayer = (
        name: "createPlayer",
        sql: """
        CREATE TABLE "player" ("id" BLOB PRIMARY KEY NOT NULL, "name" TEXT NOT NULL,
        "joinedAt" DATETIME NOT NULL, "badges" TEXT NOT NULL)
        """
    )
    private static let addTeam = (
        name: "addTeam",
        sql: "ALTER TABLE player ADD COLUMN team TEXT"
    )

    init() throws {
        folder = try TemporaryFolder()
        database = try folder.open()
    }

    /// Makes what GRDB leaves after these migrations, with one player.
    private func makeDatabase(after migrations: [(name: String, sql: SQL)]) throws {
        try database.write { connection in
            try connection.execute(
                "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)"
            )
            for (name, sql) in migrations {
                try connection.execute(sql)
                try connection.run("INSERT INTO grdb_migrations (identifier) VALUES (?)", name)
            }
            let badges = #"[{"name":"gold","wonAt":1769860800250}]"#
            try connection.run(
                """
                INSERT INTO "player" ("id", "name", "joinedAt", "badges")
                VALUES (?, 'Ada', '2026-01-31 12:00:00.250', ?)
                """,
                withUnsafeBytes(of: id.uuid) { Data($0) },
                badges
            )
        }
    }

    @Test func valuesAreReadAsTheyAre() throws {
        try makeDatabase(after: [Self.createPlayer])

        let players: [Player] = try database.read { connection in
            try connection.query("SELECT * FROM player ORDER BY joinedAt")
        }

        #expect(players.map(\.id) == [id])
        #expect(players.map(\.joinedAt) == [date])
        #expect(players.first?.badges == [Badge(name: "gold", wonAt: date)])
    }

    @Test func valuesAreComparedAndWrittenInTheirForm() throws {
        try makeDatabase(after: [Self.createPlayer])

        try database.write { connection in
            let names: [String] = try connection.query(
                "SELECT name FROM player WHERE joinedAt >= replace(?, 'T', ' ')",
                date
            )
            try connection.run(
                "UPDATE player SET joinedAt = replace(?, 'T', ' ') WHERE id = ?",
                date + 1,
                withUnsafeBytes(of: id.uuid) { Data($0) }
            )
            #expect(names == ["Ada"])
        }

        try database.read { connection in
            let joinedAt: String = try connection.query("SELECT joinedAt FROM player")
            #expect(joinedAt == "2026-01-31 12:00:01.250")
            // The trap: a text isn't those bytes, and "T" is greater than a space.
            let sameID: Int = try connection.query("SELECT count(*) FROM player WHERE id = ?", id)
            #expect(sameID == 0)
            let noon = date.addingTimeInterval(-60)
            let later: Int = try connection.query(
                "SELECT count(*) FROM player WHERE joinedAt >= ?",
                noon
            )
            #expect(later == 0)
        }
    }

    // MARK: Migrations

    /// A migration that the database may have from GRDB, under the same name.
    func takenOver(_ name: String, sql: SQL) -> Migration {
        Migration(name) { connection in
            let hasRun: Bool =
                try connection.tableExists("grdb_migrations")
                && connection.query("SELECT ? IN (SELECT identifier FROM grdb_migrations)", name)
            if !hasRun {
                try connection.execute(sql)
            }
        }
    }

    private func migrate() throws -> [String] {
        let createPlayer = Self.createPlayer.sql
        let backupPath = folder.path("before.sqlite")

        let migrations = [
            takenOver("createPlayer", sql: createPlayer),
            takenOver("addTeam", sql: "ALTER TABLE player ADD COLUMN team TEXT"),
            Migration(
                "2026-02-dates",
                sql: "UPDATE player SET joinedAt = strftime('%Y-%m-%dT%H:%M:%f', joinedAt)"
            ),
        ]
        try database.writeWithoutTransaction { connection in
            let migrator = Migrator(connection: connection, migrations: migrations)
            try migrator.run(backupTo: .onDisk(backupPath))
        }

        return try database.writeWithoutTransaction { connection in
            let migrator = Migrator(connection: connection, migrations: migrations)
            #expect(try migrator.pending() == [])
            #expect(try migrator.unknown() == [])
            #expect(try migrator.run().migrations == [])
            return try migrator.applied()
        }
    }

    private static let all = ["createPlayer", "addTeam", "2026-02-dates"]

    @Test func aDatabaseWithAllMigrationsOfGRDBGoesOn() throws {
        try makeDatabase(after: [Self.createPlayer, Self.addTeam])

        #expect(try migrate() == Self.all)

        try database.read { connection in
            let joinedAt: String = try connection.query("SELECT joinedAt FROM player")
            #expect(joinedAt == "2026-01-31T12:00:00.250")
            let found: Int = try connection.query(
                "SELECT count(*) FROM player WHERE joinedAt = ?",
                date
            )
            #expect(found == 1)
            let old: [String] = try connection.query(
                "SELECT identifier FROM grdb_migrations ORDER BY rowid"
            )
            #expect(old == ["createPlayer", "addTeam"])
        }
        // The backup is of before.
        let backup = try Connection(path: folder.path("before.sqlite"))
        let joinedAt: String = try backup.query("SELECT joinedAt FROM player")
        #expect(joinedAt == "2026-01-31 12:00:00.250")
        #expect(try !backup.tableExists("sqift_migrations"))
    }

    @Test func anOlderDatabaseOfGRDBGetsWhatItLacks() throws {
        try makeDatabase(after: [Self.createPlayer])

        #expect(try migrate() == Self.all)

        let columns = try database.read { try $0.columns(in: "player").map(\.name) }
        #expect(columns == ["id", "name", "joinedAt", "badges", "team"])
        #expect(try database.read { try $0.query("SELECT name FROM player") } == "Ada")
    }

    @Test func aNewDatabaseRunsAllMigrations() throws {
        #expect(try migrate() == Self.all)

        let columns = try database.read { try $0.columns(in: "player").map(\.name) }
        #expect(columns == ["id", "name", "joinedAt", "badges", "team"])
        #expect(try !database.read { try $0.tableExists("grdb_migrations") })
    }

    @Test func namesOfGRDBAreNotSQifts() throws {
        try makeDatabase(after: [Self.createPlayer])
        let plain = [Migration("createPlayer", sql: Self.createPlayer.sql)]

        let error = expectThrows(MigratorError.self) {
            try database.writeWithoutTransaction { connection in
                try Migrator(connection: connection, migrations: plain).run()
            }
        }

        #expect(error?.migration == "createPlayer")
        #expect(error?.message.contains("already exists") == true)
    }
}

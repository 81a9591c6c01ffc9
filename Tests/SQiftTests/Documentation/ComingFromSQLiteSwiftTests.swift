import Foundation
import SQift
import SQiftTestSupport
import Testing

private enum PlayerOrder: String {
    case byName = "name"
    case byScore = "score DESC, name"
}

private func players(
    team: String?,
    order: PlayerOrder,
    on connection: Connection
) throws -> [String] {
    let sql = """
        SELECT name FROM players
        WHERE (:team IS NULL OR team = :team) AND score >= :score
        ORDER BY \(order.rawValue)
        """
    return try connection.query(sql, ["team": team, "score": 1])
}

/// The blocks of Docs/FromSQLiteSwift.md about SQLite.swift, and its table's calls.
struct ComingFromSQLiteSwiftTests {
    private let folder: TemporaryFolder
    private let path: String
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        connection = try Connection(path: path)
        try connection.execute(
            """
            CREATE TABLE players(id INTEGER PRIMARY KEY, name TEXT, team TEXT, score INTEGER);
            INSERT INTO players VALUES
                (1, 'Ada', 'red', 5), (2, 'Bob', 'blue', 7), (3, 'Cid', 'red', 5), (4, 'Dan', NULL, 0)
            """
        )
    }

    @Test func aFilterMayBeAbsent() throws {
        let all = try players(team: nil, order: .byScore, on: connection)
        let red = try players(team: "red", order: .byName, on: connection)

        #expect(all == ["Bob", "Ada", "Cid"])
        #expect(red == ["Ada", "Cid"])
        // The trap.
        try connection.execute("CREATE INDEX players_by_team ON players(team)")
        func plan(_ condition: SQL) throws -> String {
            let sql = "EXPLAIN QUERY PLAN SELECT name FROM players WHERE \(condition)"
            let row = try connection.query(sql, ["team": "red"])
            return try row?.get("detail") ?? ""
        }
        #expect(try plan(":team IS NULL OR team = :team").hasPrefix("SCAN"))
        #expect(try plan("team = :team").hasPrefix("SEARCH"))
    }

    @Test func openingAndWriting() throws {
        try connection.close()

        let connection = try Connection(path: path)
        let memory = try Connection()
        let temporary = try Connection(storageLocation: .temporary)
        var configuration = Connection.Configuration()
        configuration.readOnly = true
        let readOnly = try Connection(path: path, configuration: configuration)
        try memory.execute("CREATE TABLE t(x)")
        try temporary.execute("CREATE TABLE t(x)")
        let count = try connection.run("UPDATE players SET score = ? WHERE id = ?", 1, 4)
        let sql = "INSERT INTO players(name, team) VALUES(?, ?)"
        try connection.run(sql, "Eva", nil)
        let id = connection.lastInsertRowID
        let statement = try connection.prepare(sql)
        for name in ["Fay", "Gus"] {
            try statement.bind(name, "red").run()
        }

        #expect(count == 1)
        #expect(id == 5)
        #expect(connection.changes == 1)
        #expect(connection.totalChanges == 4)
        #expect(readOnly.readOnly)
        #expect(try readOnly.query("SELECT count(*) FROM players") as Int == 7)
    }

    @Test func reading() throws {
        let sql = "SELECT name, score FROM players ORDER BY id"
        var printed: [String] = []

        let count: Int = try connection.query("SELECT count(*) FROM players")
        try connection.forEachRow("SELECT name FROM players") { row in
            let name: String = try row.get("name")
            printed.append(name)
        }
        let pairs = try connection.query(sql, as: (String, Int).self)
        let cursor = try connection.cursor(sql)
        let first = try cursor.next(as: String.self)
        cursor.close()
        let row = try connection.query(sql + " LIMIT 1")
        let value = try row?.bindingValue(at: 0)

        #expect(count == 4)
        #expect(printed == ["Ada", "Bob", "Cid", "Dan"])
        #expect(pairs.map { $0.1 } == [5, 7, 5, 0])
        #expect(first == "Ada")
        #expect(value == .text("Ada"))
    }

    @Test func theRest() throws {
        let target = try Connection()
        let otherPath = folder.path("other.sqlite")
        let updates = SharedCount()

        try connection.busyHandler(.timeout(5))
        try connection.busyHandler(.custom { count in count < 3 })
        try connection.transaction(transactionType: .immediate) {
            try connection.savepoint {
                try connection.run("UPDATE players SET score = 2 WHERE id = 4")
            }
        }
        let version: Int = try connection.query("PRAGMA user_version")
        try connection.execute("PRAGMA user_version = 3")
        try connection.addFunction(named: "twice") { (number: Int) in 2 * number }
        connection.updateHook { type, database, table, rowID in
            updates.add(1)
        }
        try connection.run("UPDATE players SET score = twice(score) WHERE id = 4")
        try connection.attachDatabase(from: .onDisk(otherPath), withName: "other")
        try connection.execute("VACUUM")
        try connection.backup(to: target)
        let backup = try Backup(from: connection, to: target)
        while try backup.step(pages: 100) {}
        try backup.finish()

        #expect(version == 0)
        #expect(updates.value == 1)
        #expect(try target.query("SELECT score FROM players WHERE id = 4") as Int == 4)
        #expect(try target.query("PRAGMA user_version") as Int == 3)
    }
}

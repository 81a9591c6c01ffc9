import Foundation
import SQift
import SQiftTestSupport
import Testing

private struct Sample: Codable, ExpressibleByRow, Equatable {
    var id: Int
    var text: String?
}

/// The blocks of Docs/FromWCDB.md about WCDB, rusqlite and better-sqlite3, and their tables'
/// calls.
struct ComingFromWCDBTests {
    private let folder: TemporaryFolder
    private let path: String
    private let database: Database

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        database = try Database(path: path)
        try database.write { connection in
            try connection.execute("CREATE TABLE samples(id INTEGER PRIMARY KEY, text TEXT)")
        }
    }

    @Test func objectsAreInsertedByOneStatement() throws {
        func insert(_ samples: [Sample]) throws {
            try database.write { connection in
                let insert = try connection.prepare(
                    "INSERT OR REPLACE INTO samples VALUES(:id, :text)"
                )
                for sample in samples {
                    try insert.bind(encoding: sample).run()
                }
            }
        }
        let samples = [Sample(id: 1, text: "a"), Sample(id: 2, text: nil)]

        try insert([Sample(id: 1, text: "old")])
        try insert(samples)

        let read: [Sample] = try database.read { connection in
            try connection.query("SELECT * FROM samples ORDER BY id")
        }
        #expect(read == samples)
    }

    @Test func theTable() async throws {
        let profiled = SharedCount()
        var configuration = Database.Configuration()
        configuration.writerConnectionPreparation = { connection in
            try connection.execute("PRAGMA secure_delete = ON")
        }
        let database = try Database(path: path, configuration: configuration)
        let id: Int = try await database.write { connection in
            try connection.query("INSERT INTO samples(text) VALUES(?) RETURNING id", "a")
        }
        let sample: Sample? = try await database.read { connection in
            try connection.query("SELECT * FROM samples WHERE id = ?", 1)
        }
        let texts: [String?] = try await database.read { connection in
            try connection.query("SELECT text FROM samples")
        }
        let ids = [1, 7]
        let listed: [Int] = try await database.read { connection in
            try connection.query(
                "SELECT id FROM samples WHERE id IN (SELECT value FROM json_each(?))",
                ArrayBinding(elements: ids)
            )
        }
        try await database.write { connection in
            try connection.run("UPDATE samples SET text = ? WHERE id > ?", "b", 0)
            try connection.run("DELETE FROM samples WHERE id > ?", 9)
        }
        database.prepareConnections { connection in
            let profiles = Connection.TraceEvent.profileMask
            connection.traceEvent(mask: profiles, expandsSQL: false) { event in
                profiled.add(1)
            }
        }
        let result = try await database.checkpoint(mode: .truncate)
        let problems = try await database.read { try $0.integrityCheck() }
        database.releaseMemory()
        try await database.close()

        #expect(profiled.value > 0)
        #expect(id == 1)
        #expect(sample == Sample(id: 1, text: "a"))
        #expect(texts == ["a"])
        #expect(listed == [1])
        #expect(result.isComplete)
        #expect(problems == [])
    }

    // MARK: rusqlite and better-sqlite3

    @Test func theTableOfOtherLanguages() async throws {
        let copyPath = folder.path("copy.sqlite")
        let connection = try Connection()
        let schema =
            "CREATE TABLE samples(id INTEGER PRIMARY KEY, text TEXT); PRAGMA user_version = 2"

        try connection.execute(schema)
        let insert = try connection.prepare("INSERT INTO samples(text) VALUES(?)")
        try insert.bind("a").run()
        let count = try connection.run("UPDATE samples SET text = ?", "b")
        let text: String? = try connection.query("SELECT text FROM samples WHERE id = ?", 9)
        let exists: Bool = try connection.query(
            "SELECT EXISTS(SELECT 1 FROM samples WHERE id = ?)",
            1
        )
        let pairs = try connection.query("SELECT id, text FROM samples", as: (Int, String).self)
        let mode: String = try connection.query("PRAGMA journal_mode = WAL")
        let left = try connection.transaction {
            try connection.run("DELETE FROM samples")
            return try connection.query("SELECT count(*) FROM samples") as Int
        }
        try connection.run("INSERT INTO samples(text) VALUES(?)", ZeroBlob(count: 100))
        let blob = try connection.openBlob(table: "samples", column: "text", rowID: 1)
        let blobSize = blob.count
        try blob.close()
        connection.progressHandler { false }
        try await database.backup(to: .onDisk(copyPath))

        #expect(count == 1)
        #expect(text == nil)
        #expect(exists)
        #expect(pairs.map { $0.1 } == ["b"])
        #expect(mode == "memory")
        #expect(left == 0)
        #expect(blobSize == 100)
        #expect(FileManager.default.fileExists(atPath: copyPath))
    }

    @Test(
        .enabled(
            if: Capability.serialization,
            "SQLite was built without serialize and deserialize"
        )
    )
    func aDatabaseAsBytes() throws {
        let connection = try Connection(path: path)

        let image = try connection.serialize()
        let copy = try Connection(image: image)

        #expect(try copy.tableExists("samples"))
    }
}

import Foundation
import SQift

/// A diary with a search, and an archive in a file of its own.
final class Notebook: Sendable {
    struct Entry: Decodable, ExpressibleByRow {
        enum CodingKeys: String, CodingKey {
            case id, title, body, mood, attributes
            case date = "written_at"
        }

        let id: Int64
        let title: String
        let body: String
        let date: String
        let mood: Int?
        let attributes: [String: String]
    }

    struct Draft: Encodable {
        let notebook: Int64
        let title: String
        let body: String
        let date: String
        let attributes: [String: String]
    }

    let database: Database

    init(path: String, archive: String) throws {
        database = try Database(path: path)
        try database.writeWithoutTransaction { connection in
            try Migrator(connection: connection, migrations: Self.migrations).run()
        }
        database.prepareConnections { connection in
            try connection.attachDatabase(from: .onDisk(archive), withName: "archive")
        }
    }

    func add(_ draft: Draft) throws -> Int64 {
        try database.write { connection in
            try connection.query(
                """
                INSERT INTO entries(notebook, title, body, written_at, attributes)
                VALUES(:notebook, :title, :body, :date, :attributes)
                RETURNING id
                """,
                encoding: draft
            )
        }
    }

    func notebook(named title: String) throws -> Int64 {
        try database.write { connection in
            try connection.run(
                "INSERT INTO notebooks(title) VALUES(?) ON CONFLICT(title) DO NOTHING",
                title
            )
            return try connection.query("SELECT id FROM notebooks WHERE title = ?", title)
        }
    }

    func entries(in notebook: Int64, from day: String) throws -> [Entry] {
        try database.read { connection in
            try connection.query(
                """
                SELECT id, title, body, written_at, mood, attributes
                FROM entries
                WHERE notebook = ? AND date(written_at) >= date(?)
                ORDER BY written_at DESC
                """,
                notebook,
                day
            )
        }
    }

    func setMood(_ mood: Int?, of entry: Entry) throws {
        try database.write { connection in
            try connection.run("UPDATE entries SET mood = ? WHERE id = ?", mood, entry.id)
        }
    }

    func setAttribute(_ name: String, to value: String, of entry: Int64) throws {
        try database.write { connection in
            try connection.run(
                """
                UPDATE entries SET attributes = json_set(attributes, '$.' || :name, :value)
                WHERE id = :entry
                """,
                ["name": name, "value": value, "entry": entry]
            )
        }
    }

    func attributeNames() throws -> [String] {
        try database.read { connection in
            try connection.query(
                """
                SELECT DISTINCT j.key FROM entries e, json_each(e.attributes) j
                WHERE j.type = 'text'
                ORDER BY j.key
                """
            )
        }
    }
}

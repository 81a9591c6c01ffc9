import Foundation
import SQift

struct Voyage: Decodable, ExpressibleByRow, Identifiable, Sendable {
    static let columnNamesAreSnakeCase = true

    let id: UUID
    let name: String
    let startDate: String
    let endDate: String?
    let budget: Int
}

struct NewVoyage: Encodable, Sendable {
    let id: UUID
    let name: String
    let start: String
    let end: String?
    let budget: Int
}

/// What the list of voyages shows.
@MainActor final class VoyageListModel {
    private(set) var voyages: [Voyage] = []
    private(set) var names: [String] = []
    private(set) var nights: [String: Int] = [:]
    private(set) var total = 0
    private(set) var next: Voyage?

    let store: VoyageStore

    init(store: VoyageStore) {
        self.store = store
    }

    func load() async throws {
        voyages = try await store.database.read { connection in
            try connection.query(
                """
                SELECT id, name, start_date, end_date, budget
                FROM voyages ORDER BY start_date DESC
                """
            )
        }
        names = try await store.database.read { try $0.query("SELECT name FROM voyages") }
        total = try await store.database.read { connection in
            try connection.query("SELECT sum(budget) FROM voyages WHERE end_date IS NULL") ?? 0
        }
    }

    func loadNights() throws {
        try store.database.read { connection in
            nights = try connection.query(
                """
                SELECT v.name, sum(s.nights) AS nights
                FROM voyages v JOIN stops s ON s.voyage = v.id
                GROUP BY v.name
                HAVING sum(s.nights) > 0
                ORDER BY v.start_date
                """
            )
            next = try connection.query(
                "SELECT * FROM voyages WHERE start_date > date('now') ORDER BY start_date LIMIT 1"
            )
        }
    }

    func add(_ voyage: NewVoyage) async throws {
        try await store.database.write { connection in
            try connection.run(
                """
                INSERT INTO voyages(id, name, start_date, end_date, budget)
                VALUES(:id, :name, :start, :end, :budget)
                """,
                encoding: voyage
            )
        }
        try await load()
    }

    func rename(_ id: UUID, to name: String) async throws {
        try await store.database.write { connection in
            try connection.run("UPDATE voyages SET name = ? WHERE id = ?", name, id)
        }
    }

    func end(_ id: UUID, on day: Date, budget: Int) async throws {
        try await store.database.write { connection in
            try connection.run(
                """
                UPDATE voyages SET end_date = :day, budget = max(budget, :budget)
                WHERE id = :id
                """,
                ["day": day, "budget": budget, "id": id]
            )
        }
    }

    func remove(_ voyages: [Voyage]) async throws {
        let ids = SetBinding(elements: Set(voyages.map(\.id.uuidString)))
        try await store.database.write { connection in
            try connection.run(
                "DELETE FROM voyages WHERE id IN (SELECT value FROM json_each(?))",
                ids
            )
        }
    }
}

import Foundation
import SQift

struct Stop: ExpressibleByRow, Sendable {
    let id: Int64
    let city: String
    let nights: Int
    let rating: Int?

    init(row: Row) throws {
        id = try row.get("id")
        city = try row.get("city")
        nights = try row.get("nights")
        rating = try row.get("rating")
    }
}

/// What the screen of one voyage shows and changes.
@MainActor final class StopModel {
    private(set) var stops: [Stop] = []
    private(set) var cities: [String] = []
    private(set) var positions: [(String, Double?, Double?)] = []

    private let database: Database
    let voyage: UUID

    init(database: Database, voyage: UUID) {
        self.database = database
        self.voyage = voyage
    }

    func load() throws {
        stops = try self.database.read { connection in
            try connection.query(
                "SELECT id, city, nights, rating FROM stops WHERE voyage = ? ORDER BY id",
                voyage
            )
        }
        try self.database.read { connection in
            cities = try connection.query(
                "SELECT DISTINCT s.city FROM stops s WHERE s.nights > ? ORDER BY upper(s.city)",
                1
            )
            positions = try connection.query(
                "SELECT city, latitude, longitude FROM stops WHERE voyage = ?",
                voyage,
                as: (String, Double?, Double?).self
            )
        }
    }

    func addStop(_ city: String, nights: Int) async throws -> Int64 {
        let voyage = self.voyage
        return try await database.write { connection in
            try connection.run(
                """
                INSERT INTO stops(voyage, city, nights) VALUES(?, ?, ?)
                ON CONFLICT(voyage, city) DO UPDATE SET nights = excluded.nights
                """,
                voyage.uuidString,
                city,
                nights
            )
            return connection.lastInsertRowID
        }
    }

    func rate(_ stop: Stop, _ rating: Int) async throws {
        try await database.write { connection in
            try connection.run(
                "UPDATE stops SET rating = ?, nights = max(nights, 1) WHERE id = ?",
                rating,
                stop.id
            )
        }
    }
}

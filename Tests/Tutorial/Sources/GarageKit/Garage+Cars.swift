import SQift

public struct Car: Decodable, ExpressibleByRow, Sendable, Equatable {
    public let id: Int64
    public let name: String
    public let year: Int?
}

extension Garage {
    /// Adds a car, and returns it with its new number.
    @discardableResult public func addCar(named name: String, year: Int?) async throws -> Car {
        try await database.write { connection in
            try connection.query(
                "INSERT INTO cars(name, year) VALUES(?, ?) RETURNING id, name, year",
                name,
                year
            )
        }
    }

    /// The cars whose names begin with a text.
    public func cars(beginningWith prefix: String = "") async throws -> [Car] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT id, name, year FROM cars
                WHERE substr(name, 1, length(?1)) = ?1
                ORDER BY name
                """,
                prefix
            )
        }
    }
}

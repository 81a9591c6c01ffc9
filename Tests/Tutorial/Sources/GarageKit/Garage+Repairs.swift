import SQift

extension Garage {
    /// Records all of the repairs, or none of them.
    public func addRepairs(_ prices: [Int], to car: Car, on day: String) async throws {
        try await database.write { connection in
            for cents in prices {
                try connection.run(
                    "INSERT INTO repairs(car, day, cents) VALUES(?, ?, ?)",
                    car.id,
                    day,
                    cents
                )
            }
        }
    }

    /// What each car has cost so far, in cents.
    public func costs() async throws -> [String: Int] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT name, ifnull(sum(cents), 0)
                FROM cars LEFT JOIN repairs ON car = cars.id
                GROUP BY cars.id
                """
            )
        }
    }

    /// Copies the database while others use it.
    public func backUp(to path: String) async throws {
        try await database.backup(to: .onDisk(path))
    }
}

import SQift

/// The cars and their repairs.
public struct Garage: Sendable {
    let database: Database

    /// Opens the database, and brings its tables up to date.
    public init(_ database: Database) throws {
        self.database = database
        try database.writeWithoutTransaction { connection in
            try Migrator(connection: connection, migrations: Self.migrations).run()
        }
    }

    public init(path: String) throws {
        try self.init(Database(path: path))
    }

    /// Add to the end. Never change one that was released.
    static let migrations = [
        Migration(
            "2026-01-cars",
            sql: "CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT NOT NULL, year INTEGER)"
        ),
        Migration(
            "2026-02-repairs",
            sql: """
                CREATE TABLE repairs(
                    car INTEGER NOT NULL REFERENCES cars(id),
                    day TEXT NOT NULL,
                    cents INTEGER NOT NULL
                );
                CREATE INDEX repairs_by_car ON repairs(car)
                """
        ),
    ]
}

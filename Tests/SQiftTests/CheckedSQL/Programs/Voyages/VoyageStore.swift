import Foundation
import SQift

/// The database of an app for travellers.
final class VoyageStore: Sendable {
    static let shared = try? VoyageStore(path: ":memory:")

    let database: Database

    init(path: String) throws {
        database = try Database(path: path)
        try database.writeWithoutTransaction { connection in
            try Migrator(connection: connection, migrations: Self.migrations).run()
        }
    }

    static var migrations: [Migration] {
        [
            Migration(
                "2024-01-voyages",
                sql: """
                    CREATE TABLE voyages(
                        id TEXT PRIMARY KEY NOT NULL,
                        name TEXT NOT NULL,
                        start_date TEXT NOT NULL,
                        end_date TEXT,
                        budget INTEGER NOT NULL DEFAULT 0
                    );
                    CREATE TABLE stops(
                        id INTEGER PRIMARY KEY,
                        voyage TEXT NOT NULL REFERENCES voyages(id) ON DELETE CASCADE,
                        city TEXT NOT NULL,
                        nights INTEGER NOT NULL DEFAULT 1,
                        latitude REAL,
                        longitude REAL,
                        UNIQUE(voyage, city)
                    );
                    CREATE INDEX stops_by_voyage ON stops(voyage)
                    """
            ),
            Migration("2024-05-expenses") { connection in
                try connection.run(
                    """
                    CREATE TABLE expenses(
                        id INTEGER PRIMARY KEY,
                        stop INTEGER NOT NULL REFERENCES stops(id),
                        cents INTEGER NOT NULL,
                        currency TEXT NOT NULL DEFAULT 'EUR',
                        purpose TEXT,
                        paid_at TEXT NOT NULL
                    )
                    """
                )
                try connection.run("CREATE INDEX expenses_by_stop ON expenses(stop, paid_at)")
            },
            Migration("2025-02-ratings") { connection in
                try connection.run("ALTER TABLE stops ADD COLUMN rating INTEGER")
                try connection.run("UPDATE stops SET rating = 3 WHERE nights > 4")
            },
        ]
    }
}

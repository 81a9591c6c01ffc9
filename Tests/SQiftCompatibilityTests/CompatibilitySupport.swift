import Foundation
import SQift

/// The cars of SQift 5.1's README.
func makeConnection() throws -> Connection {
    let connection = try Connection(storageLocation: .inMemory)
    try connection.execute("PRAGMA foreign_keys = true")
    try connection.execute("PRAGMA journal_mode = WAL")
    try connection.execute(
        """
        CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT, price INTEGER, type TEXT, release_date TEXT);
        INSERT INTO cars VALUES(1, 'Audi', 52642, 'Sedan', '1985-01-01T00:00:00.000');
        INSERT INTO cars VALUES(2, 'Mercedes', 57127, 'Sedan', '1995-06-15T12:00:00.000');
        INSERT INTO cars VALUES(3, 'Skoda', 9000, 'Wagon', NULL)
        """
    )
    return connection
}

struct Car: ExpressibleByRow {
    let name: String
    let type: String
    let price: UInt

    init(row: Row) throws {
        guard
            let name: String = row["name"],
            let type: String = row["type"],
            let price: UInt = row["price"]
        else {
            throw ExpressibleByRowError(type: Car.self, row: row)
        }
        self.name = name
        self.type = type
        self.price = price
    }
}

func temporaryPath() -> String {
    NSTemporaryDirectory() + "/SQift51-" + UUID().uuidString + ".sqlite"
}

func removeDatabase(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
    }
}

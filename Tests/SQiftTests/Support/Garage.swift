import Foundation
import SQift
import Testing

/// A migration of the garage. It consists of parts, between which a test can make it fail.
package struct Stage: Sendable {
    /// The part that rebuilds the table `people`.
    package static let rebuild = "rebuild people"

    package let name: String
    package var isScript = true
    package var options: Migration.Options = []
    package let parts: [SQL]

    package init(
        name: String,
        isScript: Bool = true,
        options: Migration.Options = [],
        parts: [SQL]
    ) {
        self.name = name
        self.isScript = isScript
        self.options = options
        self.parts = parts
    }

    /// The migration. It can have a statement that fails, before one of its parts or after the
    /// last.
    package func migration(failingAt position: Int? = nil, with fault: SQL = "") -> Migration {
        var parts = parts
        if let position {
            parts.insert(fault, at: position)
        }
        guard !isScript else {
            return Migration(name, sql: parts.joined(separator: ";\n"), options: options)
        }
        return Migration(name, options: options) { [parts] connection in
            for part in parts {
                try Stage.run(part, on: connection)
            }
        }
    }

    private static func run(_ part: SQL, on connection: Connection) throws {
        guard part == rebuild else {
            // Closures that were written for SQift 5.1 do it in this way.
            return try connection.transaction { try connection.execute(part) }
        }
        let columns = "id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, score REAL DEFAULT 0"
        try connection.rebuildTable("people", columns: columns) { old, new in
            try connection.run("INSERT INTO \(new)(id, name) SELECT id, name FROM \(old)")
        }
    }

    /// Does the same as the migration, but by hand.
    package func runByHand(on connection: Connection) throws {
        for part in parts {
            guard part == Stage.rebuild else {
                try connection.execute(part)
                continue
            }
            try connection.execute(
                """
                CREATE TABLE fresh(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, score REAL DEFAULT 0);
                INSERT INTO fresh(id, name) SELECT id, name FROM people;
                DROP TABLE people;
                ALTER TABLE fresh RENAME TO people
                """
            )
        }
    }
}

/// A list of migrations of every kind, and the contents of a database after each of them.
package struct Garage {
    package static let stages = [
        Stage(
            name: "0001-people",
            parts: [
                "CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT)",
                "CREATE TABLE log(message TEXT)",
                "INSERT INTO people VALUES(1, 'Ada'), (2, 'Grace'), (3, 'Edsger')",
            ]
        ),
        Stage(
            name: "add cars",
            isScript: false,
            parts: [
                """
                CREATE TABLE cars(
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    owner INTEGER REFERENCES people ON DELETE CASCADE,
                    name TEXT)
                """,
                "INSERT INTO cars(owner, name) VALUES(1, 'Audi'), (1, 'Škoda'), (3, 'Volvo')",
            ]
        ),
        Stage(
            name: "people-have-names",
            isScript: false,
            parts: [
                "UPDATE people SET name = upper(name)", Stage.rebuild,
                "INSERT INTO log VALUES('rebuilt')",
            ]
        ),
        Stage(name: "compact", options: .withoutTransaction, parts: ["VACUUM"]),
        Stage(
            name: "índices \"y\" 'más'",
            parts: [
                "CREATE INDEX cars_by_owner ON cars(owner)",
                """
                CREATE TRIGGER cars_are_logged AFTER INSERT ON cars BEGIN
                    INSERT INTO log VALUES(new.name);
                END
                """,
                "CREATE VIEW owners AS SELECT people.name, cars.name AS car FROM people JOIN cars ON owner = people.id",
                "INSERT INTO cars(owner, name) VALUES(2, 'Tatra')",
            ]
        ),
        Stage(
            name: "without-ada",
            options: .enforcingForeignKeys,
            parts: ["DELETE FROM people WHERE id = 1"]
        ),
        Stage(
            name: "alone",
            isScript: false,
            options: .withoutTransaction,
            parts: ["INSERT OR REPLACE INTO log(rowid, message) VALUES(100, 'alone')"]
        ),
    ]

    package static var names: [String] { stages.map(\.name) }
    package static var migrations: [Migration] { stages.map { $0.migration() } }

    /// The contents of the database after no migration, after one, and so on.
    package let states: [Contents]

    package init() throws {
        let connection = try Connection()
        try connection.execute("PRAGMA foreign_keys = OFF")
        var states = [try Contents(connection)]
        for (index, stage) in Garage.stages.enumerated() {
            try connection.execute(
                "PRAGMA foreign_keys = \(stage.options == .enforcingForeignKeys ? 1 : 0)"
            )
            try stage.runByHand(on: connection)
            states.append(try Contents(connection).with(names: Array(Garage.names[...index])))
        }
        self.states = states
    }

    /// A new database on which the first `count` migrations have run.
    package static func database(after count: Int) throws -> Connection {
        let connection = try Connection()
        try connection.execute("PRAGMA foreign_keys = ON")
        try migrate(connection, Array(migrations.prefix(count)))
        return connection
    }
}

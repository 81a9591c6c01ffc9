import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The blocks of Docs/Cookbook.md about values.
struct CookbookValueTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    @Test func datesOfSQLiteAndOfSwiftAreTheSameText() throws {
        try connection.execute(
            """
            CREATE TABLE notes(
                text TEXT NOT NULL,
                created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%f', 'now'))
            )
            """
        )
        let before = Date()
        try connection.run("INSERT INTO notes(text) VALUES('by SQLite')")
        try connection.run("INSERT INTO notes VALUES('by Swift', ?)", before)
        try connection.run("INSERT INTO notes VALUES('old', '2026-01-31T11:00:00.000')")
        let noon = Date(timeIntervalSince1970: 1_769_860_800)

        let recent: [String] = try connection.query(
            "SELECT text FROM notes WHERE created_at >= ? ORDER BY created_at, text",
            noon
        )
        let last: Date? = try connection.query("SELECT max(created_at) FROM notes")

        #expect(Set(recent) == ["by SQLite", "by Swift"])
        #expect(try abs(#require(last).timeIntervalSince(before)) < 600)
        let length: Set<Int> = Set(
            try connection.query("SELECT length(created_at) FROM notes") as [Int]
        )
        #expect(length == [23])

        // An hour after noon, as CURRENT_TIMESTAMP writes it.
        let isLater: Bool = try connection.query("SELECT '2026-01-31 13:00:00' > ?", noon)
        #expect(!isLater)
    }

    @Test func timesOfEveryFormAreComparedAsNumbers() throws {
        try connection.execute(
            """
            CREATE TABLE notes(text TEXT, created_at);
            INSERT INTO notes VALUES
                ('before', '2026-01-31 11:00:00'), ('after', '2026-01-31 13:00:00'),
                ('swift', '2026-01-31T13:00:00.000')
            """
        )
        let noon = Date(timeIntervalSince1970: 1_769_860_800)

        let later: [String] = try connection.query(
            "SELECT text FROM notes WHERE julianday(created_at) > julianday(?)",
            noon
        )

        #expect(later == ["after", "swift"])
    }

    @Test func unixTimeIsBoundAsANumberAndReadAsADate() throws {
        try connection.execute("CREATE TABLE logins(at REAL NOT NULL)")
        let now = Date(timeIntervalSince1970: 1_769_860_800.25)

        try connection.run("INSERT INTO logins VALUES(?)", UnixDate(now))
        let last: Date? = try connection.query("SELECT max(at) FROM logins")

        #expect(last == now)
        let stored: Double = try connection.query("SELECT at FROM logins")
        #expect(stored == 1_769_860_800.25)
        // A date is text, and text is greater than every number.
        let isEarlier: Bool = try connection.query("SELECT at > ? FROM logins", Date.distantPast)
        #expect(!isEarlier)
    }

    @Test func moneyInMinorUnitsIsExact() throws {
        struct Cents: RawRepresentable, Binding, Equatable {
            var rawValue: Int
        }
        try connection.execute("CREATE TABLE payments(amount INTEGER NOT NULL)")
        try connection.run(
            "INSERT INTO payments VALUES(?), (?)",
            Cents(rawValue: 1020),
            Cents(rawValue: 950)
        )
        let total: Cents? = try connection.query("SELECT sum(amount) FROM payments")
        let dearest: Cents? = try connection.query("SELECT max(amount) FROM payments")

        #expect(total == Cents(rawValue: 1970))
        #expect(dearest == Cents(rawValue: 1020))
        try connection.run("INSERT INTO payments VALUES(?)", Int.max)
        let error = expectThrows(SQLiteError.self) {
            try connection.query("SELECT sum(amount) FROM payments") as Cents?
        }
        #expect(error?.message == "integer overflow")
    }

    @Test func decimalsInTextAreComparedAndAddedAsText() throws {
        try connection.execute("CREATE TABLE payments(amount TEXT)")
        for text in ["10.20", "9.5", "0.1", "0.2"] {
            try connection.run("INSERT INTO payments VALUES(?)", Decimal(string: text))
        }

        try connection.addCollation(named: "DECIMAL") { one, other in
            let one = Decimal(string: one) ?? 0
            let other = Decimal(string: other) ?? 0
            if one == other {
                return .orderedSame
            }
            return one < other ? .orderedAscending : .orderedDescending
        }

        #expect(try connection.query("SELECT max(amount) FROM payments") as String == "9.5")
        let sql = "SELECT amount FROM payments ORDER BY amount COLLATE DECIMAL"
        #expect(try connection.query(sql) as [String] == ["0.1", "0.2", "9.5", "10.2"])
        let sum: Double = try connection.query(
            "SELECT sum(amount) FROM payments WHERE amount < '1'"
        )
        #expect(sum != 0.3)
    }

    @Test func anIndexOnAFunctionNeedsItEverywhere() throws {
        let folder = try TemporaryFolder()
        let database = try folder.open()

        database.prepareConnections { connection in
            try connection.addFunction(named: "folded", deterministic: true) { (text: String?) in
                text?.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
            }
        }
        try database.write { connection in
            try connection.execute(
                """
                CREATE TABLE users(name TEXT NOT NULL);
                CREATE UNIQUE INDEX users_by_name ON users(folded(name))
                """
            )
        }
        try database.write { try $0.run("INSERT INTO users VALUES('Zoë')") }
        let name: String? = try database.read { connection in
            try connection.query("SELECT name FROM users WHERE folded(name) = folded(?)", "ZOE")
        }

        #expect(name == "Zoë")
        let plan = try database.read { connection in
            try connection.query(
                "EXPLAIN QUERY PLAN SELECT name FROM users WHERE folded(name) = folded(?)",
                "ZOE"
            ) { try $0.get("detail") as String } as [String]
        }
        #expect(plan.first?.contains("USING INDEX users_by_name") == true)
        let error = expectThrows(SQLiteError.self) {
            try database.write { try $0.run("INSERT INTO users VALUES('zoe')") }
        }
        expect(error, .constraintUnique)

        let stranger = try folder.connection()
        let unknown = expectThrows(SQLiteError.self) {
            try stranger.run("INSERT INTO users VALUES('Max')")
        }
        #expect(unknown?.message.contains("folded") == true)
    }

    @Test func sqliteReadsJSONWithAnyKeys() throws {
        try connection.execute("CREATE TABLE cars(name TEXT, price, is_new)")
        let objects: [[String: Any]] = [
            ["name": "Audi", "price": 52_642, "is_new": true],
            ["name": "Fox", "price": NSNumber(value: 9.5), "is_new": NSNull()],
            ["name": "Lada"],
        ]

        let body = try JSONSerialization.data(withJSONObject: objects)
        try connection.run(
            """
            INSERT INTO cars(name, price, is_new)
            SELECT json_extract(value, '$.name'), json_extract(value, '$.price'),
                json_extract(value, '$.is_new')
            FROM json_each(?)
            """,
            String(decoding: body, as: UTF8.self)
        )

        var text = ""
        try connection.dump("SELECT price, is_new FROM cars ORDER BY name", to: &text)
        let values = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(values.dropFirst() == [["52642", "1"], ["9.5", "NULL"], ["NULL", "NULL"]])
    }
}

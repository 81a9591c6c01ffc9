import Foundation
import SQift
import SQiftTestSupport
import Testing

private struct EditConflict: Error {}

private struct Reading: Sendable, Equatable {
    let sensor: String
    let value: Double
}

struct Job: Decodable, ExpressibleByRow, Sendable {
    let id: Int
    let payload: String
    let attempts: Int
}

/// The oldest job that no worker has, for the caller to work on for a minute.
func takeJob(from database: Database, now: Date = Date()) async throws -> Job? {
    let now = Int(now.timeIntervalSince1970)
    let sql = """
        UPDATE jobs SET taken_until = :now + 60, attempts = attempts + 1
        WHERE id = (
            SELECT id FROM jobs WHERE taken_until <= :now AND attempts < 5 ORDER BY id LIMIT 1
        )
        RETURNING id, payload, attempts
        """
    return try await database.write { try $0.query(sql, ["now": now]) }
}

func finish(_ job: Job, in database: Database) async throws {
    try await database.write { connection in
        try connection.run(
            "DELETE FROM jobs WHERE id = ? AND attempts = ?",
            job.id,
            job.attempts
        )
    }
}

nonisolated func makeJobs(on connection: Connection) throws {
    try connection.execute(
        """
        CREATE TABLE jobs(
            id INTEGER PRIMARY KEY,
            payload TEXT NOT NULL,
            taken_until INTEGER NOT NULL DEFAULT 0,
            attempts INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX open_jobs ON jobs(id) WHERE attempts < 5
        """
    )
}

/// The blocks of Docs/Cookbook.md that write.
struct CookbookWritingTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    @Test func anUpsertKeepsTheColumnsThatItDoesNotName() throws {
        let schema = "CREATE TABLE stock(article TEXT PRIMARY KEY, amount INTEGER, shelf TEXT)"
        try connection.execute(schema)
        try connection.run("INSERT INTO stock VALUES('bolt', 5, 'A1')")

        let sql = """
            INSERT INTO stock(article, amount) VALUES(:article, :amount)
            ON CONFLICT(article) DO UPDATE SET amount = amount + excluded.amount
            RETURNING amount
            """
        let amount: Int = try connection.query(sql, ["article": "bolt", "amount": 10])

        #expect(amount == 15)
        #expect(try connection.query("SELECT shelf FROM stock") as [String] == ["A1"])
        let new: Int = try connection.query(sql, ["article": "nut", "amount": 2])
        #expect(new == 2)

        let ignoring = "INSERT INTO stock VALUES('nut', 1, 'B') ON CONFLICT DO NOTHING RETURNING 1"
        #expect(try connection.query(ignoring) as Int? == nil)
        try connection.run("INSERT OR REPLACE INTO stock(article, amount) VALUES('bolt', 1)")
        let lost: String? = try connection.query("SELECT shelf FROM stock WHERE article = 'bolt'")
        #expect(lost == nil)
    }

    @Test func aListOfAnyLengthIsOneParameter() throws {
        try connection.execute(
            """
            CREATE TABLE cars(name TEXT, price INTEGER);
            INSERT INTO cars VALUES('Audi', 52642), ('Lada', 1500), ('Rock''n "Roll', 7)
            """
        )
        func prices(_ names: [String]) throws -> [Int] {
            let prices: [Int] = try connection.query(
                "SELECT price FROM cars WHERE name IN (SELECT value FROM json_each(?))",
                ArrayBinding(elements: names)
            )
            return prices
        }

        #expect(try prices(["Audi", "Lada"]) == [52_642, 1500])
        #expect(try prices(["Rock'n \"Roll"]) == [7])
        #expect(try prices([]) == [])
        let id = UUID()
        let isFound: Bool = try connection.query(
            "SELECT ? IN (SELECT value FROM json_each(?))",
            id,
            ArrayBinding(elements: [id])
        )
        #expect(isFound)
        let date: String = try connection.query(
            "SELECT ?",
            ArrayBinding(elements: [Date(timeIntervalSinceReferenceDate: 60)])
        )
        #expect(date == "[60]")
        let bytes: String = try connection.query("SELECT ?", ArrayBinding(elements: [Data([1])]))
        #expect(bytes == "[\"AQ==\"]")
    }

    @Test func anImportReportsItsProgressAndIsAllOrNothing() async throws {
        let database = try Database.inMemory()
        try await database.write { connection in
            try connection.execute("CREATE TABLE readings(sensor TEXT NOT NULL, value REAL)")
        }

        func importReadings(
            _ readings: some Sequence<Reading> & Sendable,
            into database: Database,
            progress: @escaping @Sendable (Int) -> Void
        ) async throws {
            try await database.write { connection in
                let insert = try connection.prepare(
                    "INSERT INTO readings(sensor, value) VALUES(?, ?)"
                )
                var count = 0
                for reading in readings {
                    try insert.bind(reading.sensor, reading.value).run()
                    count += 1
                    if count.isMultiple(of: 10_000) {
                        progress(count)
                    }
                }
            }
        }

        let reported = SharedNotes<Int>()
        let readings = (1...25_000).map { Reading(sensor: "s", value: Double($0)) }
        try await importReadings(readings, into: database) { reported.note($0) }

        #expect(reported.all == [10_000, 20_000])
        let sql = "SELECT sum(value) FROM readings"
        let sum: Double = try await database.read { try $0.query(sql) }
        #expect(sum == 312_512_500)

        let hasBegun = Gate()
        let isCancelled = Gate()
        let importing = Task {
            try await importReadings(readings, into: database) { _ in
                hasBegun.open()
                isCancelled.wait()
            }
        }
        await hasBegun.opened()
        importing.cancel()
        isCancelled.open()
        await expectCancelled(importing)
        let count: Int = try await database.read { try $0.query("SELECT count(*) FROM readings") }
        #expect(count == 25_000)
    }

    @Test func aSoftlyDeletedNameIsFreeAgain() throws {
        try connection.execute(
            """
            CREATE TABLE notes(
                id INTEGER PRIMARY KEY, slug TEXT NOT NULL, text TEXT NOT NULL, deleted_at TEXT
            );
            CREATE UNIQUE INDEX notes_by_slug ON notes(slug) WHERE deleted_at IS NULL;
            CREATE VIEW live_notes AS SELECT * FROM notes WHERE deleted_at IS NULL
            """
        )
        func delete(_ slug: String) throws {
            let sql = "UPDATE notes SET deleted_at = ? WHERE slug = ? AND deleted_at IS NULL"
            try connection.run(sql, Date(), slug)
        }

        let insert = "INSERT INTO notes(slug, text) VALUES('todo', ?)"
        try connection.run(insert, "old")
        try delete("todo")
        let deletedAt: Date = try connection.query("SELECT deleted_at FROM notes")
        try delete("todo")
        #expect(try connection.query("SELECT deleted_at FROM notes") as Date == deletedAt)
        try connection.run(insert, "new")
        #expect(try connection.query("SELECT text FROM live_notes") as [String] == ["new"])
        #expect(try connection.query("SELECT count(*) FROM notes") as Int == 2)
        let error = expectThrows(SQLiteError.self) { try connection.run(insert, "another") }
        expect(error, .constraintUnique)
    }

    @Test func theSecondOfTwoEditsIsRefused() throws {
        try connection.execute(
            """
            CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT NOT NULL, version INTEGER NOT NULL);
            INSERT INTO notes VALUES(1, 'draft', 1)
            """
        )

        func save(_ text: String, id: Int, version: Int, on connection: Connection) throws {
            let sql = """
                UPDATE notes SET text = ?, version = version + 1 WHERE id = ? AND version = ?
                """
            let count = try connection.run(sql, text, id, version)
            guard count == 1 else { throw EditConflict() }
        }

        try save("mine", id: 1, version: 1, on: connection)
        expectThrows(EditConflict.self) {
            try save("yours", id: 1, version: 1, on: connection)
        }
        #expect(try connection.query("SELECT text FROM notes") as String == "mine")
        try save("yours", id: 1, version: 2, on: connection)
        #expect(try connection.query("SELECT version FROM notes") as Int == 3)
    }

    @Test func noJobIsTakenTwiceAndNoneIsLost() async throws {
        let database = try Database.inMemory()
        try await database.write { connection in
            try makeJobs(on: connection)
            try connection.run("INSERT INTO jobs(payload) VALUES('a'), ('b')")
        }

        let now = Date()
        async let first = takeJob(from: database, now: now)
        async let second = takeJob(from: database, now: now)
        let taken = try await [first, second].compactMap(\.self)
        #expect(taken.map(\.payload).sorted() == ["a", "b"])
        let none = try await takeJob(from: database, now: now)
        #expect(none?.id == nil)

        // The worker of `a` does its job, that of `b` takes more than a minute.
        for job in taken where job.payload == "a" {
            try await finish(job, in: database)
        }
        for minutes in 1...4 {
            let later = now.addingTimeInterval(Double(minutes) * 60)
            let again = try await takeJob(from: database, now: later)
            #expect(again?.payload == "b")
        }
        for job in taken {
            try await finish(job, in: database)
        }
        #expect(try await database.read { try $0.query("SELECT payload FROM jobs") } == "b")
        let hopeless = now.addingTimeInterval(3600)
        let last = try await takeJob(from: database, now: hopeless)
        #expect(last?.id == nil)
    }

    /// How many instructions of SQLite's virtual machine a search takes, on any machine.
    private func stepsToTakeAJob(deadJobs: Int) async throws -> Int {
        let database = try Database.inMemory()
        let steps = SharedNotes<Bool>()
        try await database.write { connection in
            try makeJobs(on: connection)
            try connection.run(
                """
                WITH RECURSIVE numbers(n) AS (
                    SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?
                )
                INSERT INTO jobs(payload, attempts) SELECT 'dead', 5 FROM numbers
                """,
                deadJobs
            )
            try connection.run("INSERT INTO jobs(payload) VALUES('a')")
        }
        database.prepareConnections { connection in
            connection.progressHandler(every: 1) {
                steps.note(true)
                return false
            }
        }
        let job = try await takeJob(from: database)
        #expect(job?.payload == "a")
        return steps.all.count
    }

    @Test func deadLettersDoNotSlowTheQueueDown() async throws {
        let few = try await stepsToTakeAJob(deadJobs: 10)
        let many = try await stepsToTakeAJob(deadJobs: 20_000)
        #expect(few > 0)
        #expect(many == few)
    }
}

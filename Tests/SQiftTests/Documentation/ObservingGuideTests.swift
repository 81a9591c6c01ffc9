import Foundation
import SQift
import SQiftTestSupport
import Testing

#if canImport(Observation)
    import Observation
#endif
#if canImport(SwiftUI)
    import SwiftUI
#endif

/// The blocks of Docs/Observing.md.
struct ObservingGuideTests {
    private let folder: TemporaryFolder
    private let database: Database

    init() throws {
        folder = try TemporaryFolder()
        database = try Database(path: folder.path())
        try database.write { connection in
            try connection.execute(
                """
                CREATE TABLE cars(name TEXT PRIMARY KEY, price INTEGER);
                CREATE TABLE owners(name TEXT);
                CREATE TABLE orders(id INTEGER PRIMARY KEY, shipped INTEGER NOT NULL DEFAULT 0);
                CREATE TABLE outbox(id INTEGER PRIMARY KEY, text TEXT NOT NULL);
                CREATE TABLE jobs(id INTEGER PRIMARY KEY)
                """
            )
        }
    }

    @Test func valuesThatFollowTheData() async throws {
        let printed = SharedNotes<[String]>()
        func print(_ names: [String]) {
            printed.note(names)
            if names.isEmpty {
                _ = try? database.write { try $0.run("INSERT INTO cars VALUES('Lada', 1500)") }
            } else {
                try? database.close()
            }
        }

        let cheapCars = database.values { connection in
            try connection.query("SELECT name FROM cars WHERE price < 10000 ORDER BY name")
                as [String]
        }
        for try await names in cheapCars {
            print(names)
        }

        #expect(printed.all == [[], ["Lada"]])
    }

    @Test func whichTablesChanged() async throws {
        let printed = SharedNotes<Set<String>>()
        func print(_ tables: Set<String>) {
            printed.note(tables)
            try? database.close()
        }
        // The loop may begin to listen after the first write, so there are several.
        let task = Task {
            repeat {
                try await database.write { try $0.run("INSERT INTO orders DEFAULT VALUES") }
                try await database.write { try $0.run("INSERT INTO owners VALUES('Eva')") }
            } while printed.all.isEmpty
        }

        for await changes in database.changes(in: ["cars", "owners"]) {
            print(changes.tables)
        }

        _ = await task.result
        #expect(printed.all == [["owners"]])
    }

    @Test func aWaitWithALimit() async throws {
        try await database.write { try $0.run("INSERT INTO jobs VALUES(1)") }
        let hasRun = SharedNotes<Int>()
        // The second job comes while the loop waits, and ends it.
        func claimJob(_ database: Database) throws -> Int? {
            guard hasRun.all.last != 2 else { return nil }
            let job: Int? = try database.write { try $0.query("DELETE FROM jobs RETURNING id") }
            if job == nil {
                Task {
                    try await database.write { connection in
                        try connection.run("INSERT OR IGNORE INTO jobs VALUES(2)")
                    }
                }
            }
            return job
        }
        func run(_ job: Int) async throws {
            hasRun.note(job)
            if job == 2 {
                try await database.close()
            }
        }

        var jobs = database.changes(in: ["jobs"]).makeAsyncIterator()
        repeat {
            while let job = try claimJob(database) { try await run(job) }
        } while await jobs.next(within: 30) != nil

        #expect(hasRun.all == [1, 2])
    }

    @Test func aClosureThatListens() async throws {
        let printed = SharedNotes<Set<String>>()
        let hasPrinted = Gate()
        let print: @Sendable (Set<String>) -> Void = { tables in
            printed.note(tables)
            hasPrinted.open()
        }
        let change = "INSERT INTO cars(price) VALUES(1)"
        let first = database.onChanges(in: ["cars"]) { print($0.tables) }
        try await database.write { try $0.execute(change) }
        await hasPrinted.opened()
        first.end()

        let listener = database.onChanges(in: ["cars"]) { changes in
            print(changes.tables)
        }
        listener.end()

        try await database.write { try $0.execute(change) }
        #expect(printed.all == [["cars"]])
    }

    @Test func onOneConnection() throws {
        let connection = try Connection()
        try connection.execute("CREATE TABLE cars(name TEXT, price INTEGER)")
        var printed: [String] = []
        func print(_ text: String, _ changes: TableChanges? = nil) {
            printed.append(text)
        }

        let listener = connection.didCommit { changes in
            if changes.concerns("cars") {
                print("cars:", changes)
            }
        }
        try connection.run("INSERT INTO cars VALUES('Audi', 52642)")
        listener.end()

        try connection.execute("BEGIN; DELETE FROM cars; ROLLBACK")
        #expect(printed == ["cars:"])
    }

    @Test func otherProcesses() async throws {
        let printed = SharedNotes<String>()
        func print(_ text: String) {
            printed.note(text)
            try? database.close()
        }
        let other = try Connection(path: folder.path())
        let task = Task {
            for await changes in database.changes(pollingEvery: 0.5) {
                print(
                    changes.isExternal
                        ? "another connection has written" : "tables: \(changes.tables)"
                )
            }
        }
        // The loop's first look may come after a write, so there are several.
        while printed.all.isEmpty {
            try other.run("INSERT INTO owners VALUES('Eva')")
            await Task.yield()
        }

        await task.value
        #expect(printed.all == ["another connection has written"])
    }

    #if canImport(Observation)
        @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
        @MainActor @Observable final class CarList {
            private(set) var names: [String] = []

            func follow(_ database: Database) async throws {
                let values = database.values { connection in
                    try connection.query("SELECT name FROM cars ORDER BY name") as [String]
                }
                for try await names in values.removingDuplicates() {
                    self.names = names
                }
            }
        }

        @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
        @MainActor @Observable final class ListWithItsFirstValue {
            private(set) var names: [String]

            init(_ database: Database) throws {
                names = try database.read { try $0.query("SELECT name FROM cars ORDER BY name") }
            }
        }

        @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
        @Test @MainActor func theFirstValueIsThereAtOnce() throws {
            try database.write { try $0.run("INSERT INTO cars VALUES('Audi', 52642)") }
            #expect(try ListWithItsFirstValue(database).names == ["Audi"])
        }

        @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
        @Test @MainActor func aViewModel() async throws {
            let cars = CarList()
            let following = Task { try await cars.follow(database) }
            try await database.write { try $0.run("INSERT INTO cars VALUES('Audi', 52642)") }
            while cars.names != ["Audi"] {
                await Task.yield()
            }
            following.cancel()
            try await following.value
        }
    #endif

    #if canImport(SwiftUI)
        @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
        struct CarListView: View {
            let database: Database
            @State private var cars = CarList()

            var body: some View {
                List(cars.names, id: \.self) { Text($0) }
                    .task { try? await cars.follow(database) }
            }
        }
    #endif

    private struct Response {
        let lines = SharedNotes<String>()

        func write(_ line: String) async throws {
            lines.note(line)
            if lines.all.count == 2 {
                throw CancellationError()
            }
        }
    }

    @Test func serverSentEvents() async throws {
        func stream(_ database: Database, to response: Response) async throws {
            let values = database.values { connection in
                try connection.query("SELECT count(*) FROM orders WHERE shipped = 0") as Int
            }
            for try await open in values.removingDuplicates() {
                try await response.write("data: {\"open\": \(open)}\n\n")
            }
        }

        let response = Response()
        let streaming = Task { try await stream(database, to: response) }
        while response.lines.all.isEmpty {
            await Task.yield()
        }
        try await database.write { try $0.run("INSERT INTO orders DEFAULT VALUES") }
        await #expect(throws: CancellationError.self) { try await streaming.value }
        #expect(response.lines.all == ["data: {\"open\": 0}\n\n", "data: {\"open\": 1}\n\n"])
    }

    actor PriceCache {
        private var prices: [String: Int] = [:]
        private var changeCount = 0

        func price(of car: String, in database: Database) async throws -> Int? {
            if let price = prices[car] {
                return price
            }
            let count = changeCount
            let price: Int? = try await database.read { connection in
                try connection.query("SELECT price FROM cars WHERE name = ?", car)
            }
            // A change may have overtaken the read.
            if count == changeCount {
                prices[car] = price
            }
            return price
        }

        func follow(_ changes: DatabaseChanges) async {
            for await _ in changes {
                prices = [:]
                changeCount += 1
            }
        }
    }

    @Test func aCache() async throws {
        try await database.write { try $0.run("INSERT INTO cars VALUES('Audi', 1)") }
        let cache = PriceCache()
        let changes = database.changes(in: ["cars"])
        let following = Task { await cache.follow(changes) }
        try await #expect(cache.price(of: "Audi", in: database) == 1)

        try await database.write { try $0.run("UPDATE cars SET price = 2") }
        while try await cache.price(of: "Audi", in: database) != 2 {
            await Task.yield()
        }
        try await database.close()
        await following.value
    }

    @Test func aCacheForgetsWhatWasReadBeforeAChange() async throws {
        try await database.write { connection in
            try connection.run("INSERT INTO cars VALUES('Audi', 1), ('Skoda', 1)")
        }
        let hasRead = SharedNotes<Bool>()
        let mayReturn = DispatchSemaphore(value: 0)
        database.prepareConnections { connection in
            guard connection.readOnly else { return }
            connection.traceEvent(mask: Connection.TraceEvent.profileMask) { event in
                guard case .profile(let sql, _) = event, sql.contains("'Audi'") else { return }
                hasRead.note(true)
                mayReturn.wait()
            }
        }
        let cache = PriceCache()
        let changes = database.changes(in: ["cars"])
        let following = Task { await cache.follow(changes) }
        try await #expect(cache.price(of: "Skoda", in: database) == 1)
        let overtaken = Task { [database] in try await cache.price(of: "Audi", in: database) }
        while hasRead.all.isEmpty {
            await Task.yield()
        }

        try await database.write { try $0.run("UPDATE cars SET price = 2") }
        while try await cache.price(of: "Skoda", in: database) != 2 {
            await Task.yield()
        }
        mayReturn.signal()
        try await #expect(overtaken.value == 1)
        mayReturn.signal()
        try await #expect(cache.price(of: "Audi", in: database) == 2)
        try await database.close()
        await following.value
    }

    @Test func whichRows() async throws {
        try await database.write { connection in
            try connection.execute(
                """
                CREATE TABLE price_log(seq INTEGER PRIMARY KEY AUTOINCREMENT, car TEXT, price INTEGER);
                CREATE TRIGGER log_price AFTER UPDATE OF price ON cars BEGIN
                    INSERT INTO price_log(car, price) VALUES(new.name, new.price);
                END
                """
            )
        }

        let changes = database.changes(in: ["price_log"])
        try await database.write { connection in
            try connection.execute(
                "INSERT INTO cars VALUES('Lada', 1500), ('Audi', 9000); UPDATE cars SET price = 7"
            )
        }
        for await _ in changes { break }
        let rows: [(Int, String)] = try await database.read { connection in
            let sql: SQL = "SELECT seq, car FROM price_log WHERE seq > ? ORDER BY seq"
            return try connection.query(sql, 1, as: (Int, String).self)
        }
        #expect(rows.map(\.0) == [2])
        #expect(rows.map(\.1) == ["Audi"])
    }

    @Test func afterTheCommit() async throws {
        let sent = SharedNotes<String>()
        let database = database
        let send: @Sendable (String) throws -> Void = { sent.note($0) }
        let log: @Sendable (String) -> Void = { _ in }

        database.onChanges(in: ["outbox"]) { _ in
            do {
                let mails: [(Int, String)] = try database.read { connection in
                    try connection.query(
                        "SELECT id, text FROM outbox ORDER BY id",
                        as: (Int, String).self
                    )
                }
                for (id, text) in mails {
                    try send(text)
                    try database.write { try $0.run("DELETE FROM outbox WHERE id = ?", id) }
                }
            } catch {
                log("mails wait for the next change: \(error)")
            }
        }

        try? await database.write { connection in
            try connection.run("INSERT INTO outbox(text) VALUES('never')")
            throw TestError()
        }
        try await database.write { try $0.run("INSERT INTO outbox(text) VALUES('Thank you')") }
        while try await database.read({ try $0.query("SELECT count(*) FROM outbox") > 0 }) {
            await Task.yield()
        }
        #expect(sent.all == ["Thank you"])
    }
}

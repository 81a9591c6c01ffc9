import Foundation
import SQift
import SQiftTestSupport
import Testing

/// A write that nobody waits for, in order with the others.
final class WriteLine: Sendable {
    typealias Write = @Sendable (Connection) throws -> Void

    private let line: AsyncStream<Write>.Continuation
    private let task: Task<Void, Never>

    init(_ database: Database, onError: @escaping @Sendable (any Error) -> Void) {
        let (writes, line) = AsyncStream.makeStream(of: Write.self)
        self.line = line
        task = Task {
            for await write in writes {
                do {
                    try await database.write(write)
                } catch {
                    onError(error)
                }
            }
        }
    }

    /// Returns at once. The write comes after those that were added before.
    func add(_ write: @escaping Write) {
        line.yield(write)
    }

    /// Waits for what was added. Later writes are dropped.
    func finish() async {
        line.finish()
        await task.value
    }
}

extension String {
    /// The text as a part of a LIKE pattern, with `\` before what has a meaning there.
    var likePattern: String {
        var pattern = ""
        for scalar in unicodeScalars {
            if "%_\\".unicodeScalars.contains(scalar) {
                pattern.append("\\")
            }
            pattern.unicodeScalars.append(scalar)
        }
        return pattern
    }
}

/// The recipes for a search with LIKE, and for writes in order.
struct CookbookOrderTests {
    @Test func whatAUserTypesIsNoPattern() throws {
        let connection = try Connection()
        try connection.execute(
            #"""
            CREATE TABLE cars(name TEXT);
            INSERT INTO cars VALUES('100% electric'), ('100 horses'), ('a_b'), ('axb'), ('c:\cars')
            """#
        )
        let typed = "100%"
        let names: [String] = try connection.query(
            #"SELECT name FROM cars WHERE name LIKE '%' || ? || '%' ESCAPE '\'"#,
            typed.likePattern
        )
        #expect(names == ["100% electric"])

        for (typed, expected) in [("_", ["a_b"]), ("\\", ["c:\\cars"]), ("%\u{308}", [])] {
            let names: [String] = try connection.query(
                #"SELECT name FROM cars WHERE name LIKE '%' || ? || '%' ESCAPE '\'"#,
                typed.likePattern
            )
            #expect(names == expected)
        }
    }

    @Test func writesWithoutAWaitKeepTheirOrder() async throws {
        let database = try Database.inMemory()
        try await database.write { try $0.execute("CREATE TABLE events(id INTEGER, name TEXT)") }

        let events = WriteLine(database) { print("not written:", $0) }
        for id in 0..<100 {
            events.add { try $0.run("INSERT INTO events VALUES(?, ?)", id, "event \(id)") }
        }
        await events.finish()

        let ids: [Int] = try await database.read { try $0.query("SELECT id FROM events") }
        #expect(ids == Array(0..<100))
    }

    @Test func anErrorIsToldAndTheNextWriteRuns() async throws {
        let database = try Database.inMemory()
        let errors = SharedNotes<String>()
        let line = WriteLine(database) { errors.note("\($0)") }
        line.add { try $0.execute("CREATE TABLE events(id INTEGER)") }
        line.add { try $0.run("INSERT INTO nowhere VALUES(1)") }
        line.add { try $0.run("INSERT INTO events VALUES(1)") }
        await line.finish()
        line.add { try $0.run("INSERT INTO events VALUES(2)") }

        #expect(errors.all.count == 1)
        let ids: [Int] = try await database.read { try $0.query("SELECT id FROM events") }
        #expect(ids == [1])
    }
}

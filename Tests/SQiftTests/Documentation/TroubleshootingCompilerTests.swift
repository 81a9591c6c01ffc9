import Foundation
import SQiftTestSupport
import Testing

/// A mistake that Docs/Troubleshooting.md shows.
private struct Mistake: Sendable, CustomTestStringConvertible {
    let name: String
    /// The line in the guide.
    let line: String
    /// What the compiler says, as in the guide.
    let message: String
    /// A program with `LINE` for the line.
    var program = """
        func run(_ connection: Connection, _ database: Database) async throws {
            LINE
        }
        """
    /// Whether the module's code is on the main actor by default.
    var isOnMainActor = false

    var source: String {
        "import Foundation\nimport SQift\n" + program.replacingOccurrences(of: "LINE", with: line)
    }

    var testDescription: String { name }
}

private nonisolated let mistakes = [
    Mistake(
        name: "task",
        line: "Task { try connection.run(\"DELETE FROM cars\") }",
        message: """
            error: passing closure as a 'sending' parameter risks causing data races between code \
            in the current task and concurrent execution of the closure
            """
    ),
    Mistake(
        name: "queue",
        line: "let queue = ConnectionQueue(connection: connection)",
        message: "error: sending 'connection' risks causing data races"
    ),
    Mistake(
        name: "capture",
        line: "try await database.write { _ in try connection.run(\"DELETE FROM cars\") }",
        message: """
            error: capture of 'connection' with non-Sendable type 'Connection' in a '@Sendable' \
            closure
            """
    ),
    Mistake(
        name: "rows",
        line: "let rows: [Row] = try await database.read { try $0.query(\"SELECT * FROM cars\") }",
        message: """
            error: instance method 'read' is unavailable from asynchronous contexts; await it in a \
            function, not in main.swift; name the result's type, a Sendable one
            """
    ),
    Mistake(
        name: "objects",
        line: "let cars: [Car] = try await database.read { try $0.query(\"SELECT * FROM cars\") }",
        message: "error: type 'Car' does not conform to the 'Sendable' protocol",
        program: """
            final class Car: ExpressibleByRow {
                init(row: Row) throws {}
            }
            func run(_ database: Database) async throws {
                LINE
                print(cars.count)
            }
            """
    ),
    Mistake(
        name: "mainActor",
        line: "try await database.write { try $0.run(\"INSERT INTO cars VALUES(?)\", self.name) }",
        message: """
            error: main actor-isolated property 'name' can not be referenced from a Sendable closure
            """,
        program: """
            @MainActor final class Model {
                var name = ""
                func save(in database: Database) async throws {
                    LINE
                }
            }
            """
    ),
    Mistake(
        name: "variable",
        line: "try await database.read { count = try $0.query(\"SELECT count(*) FROM cars\") }",
        message: "error: mutation of captured var 'count' in concurrently-executing code",
        program: """
            func run(_ database: Database) async throws {
                var count = 0
                LINE
                print(count)
            }
            """
    ),
    Mistake(
        name: "awaiting",
        line: "try await database.write { _ = try await prices(of: $0) }",
        message: """
            error: cannot pass function of type '@Sendable (Connection) async throws -> ()' to \
            parameter expecting synchronous function type
            """,
        program: """
            func prices(of connection: Connection) async throws -> [Int] { [] }
            func run(_ database: Database) async throws {
                LINE
            }
            """
    ),
    Mistake(
        name: "global",
        line: "static let connection = try? Connection()",
        message: """
            error: static property 'connection' is not concurrency-safe because non-'Sendable' \
            type 'Connection?' may have shared mutable state
            """,
        program: """
            enum Store {
                LINE
            }
            """
    ),
    Mistake(
        name: "isolatedType",
        line: "@MainActor struct Car: ExpressibleByRow {",
        message: """
            error: conformance of 'Car' to protocol 'ExpressibleByRow' crosses into main \
            actor-isolated code and can cause data races
            """,
        program: """
            LINE
                let name: String
                init(row: Row) throws { name = try row.get("name") }
            }
            """
    ),
    Mistake(
        name: "mainActorByDefault",
        line:
            "try await database.write { try $0.run(\"INSERT INTO cars VALUES(:name)\", encoding: car) }",
        message: """
            error: main actor-isolated conformance of 'NewCar' to 'Encodable' cannot be used in \
            nonisolated context
            """,
        program: """
            struct NewCar: Encodable {
                let name: String
            }
            func run(_ database: Database, _ car: NewCar) async throws {
                LINE
            }
            """,
        isOnMainActor: true
    ),
    Mistake(
        name: "helperOnMainActor",
        line: "try await database.write { try insert(car, on: $0) }",
        message: """
            error: call to main actor-isolated global function 'insert(_:on:)' in a synchronous \
            nonisolated context
            """,
        program: """
            nonisolated struct Car {
                let name: String
            }
            func insert(_ car: Car, on connection: Connection) throws {
                try connection.run("INSERT INTO cars VALUES(?)", car.name)
            }
            func run(_ database: Database, _ car: Car) async throws {
                LINE
            }
            """,
        isOnMainActor: true
    ),
    Mistake(
        name: "list",
        line: "try connection.run(\"DELETE FROM cars WHERE name NOT IN (?)\", names)",
        message: """
            error: 'run' is unavailable: a value's type needs Binding, as in enum Fuel: String, \
            Binding; a list needs ArrayBinding and json_each(?), a dictionary DictionaryBinding
            """,
        program: """
            func run(_ connection: Connection, _ names: Set<String>) throws {
                LINE
            }
            """
    ),
    Mistake(
        name: "untypedLoop",
        line: "for row in try connection.query(\"SELECT name FROM cars\") { print(row) }",
        message: """
            error: 'query(_:_:because:)' is unavailable: without a type this is a Row?, the first \
            row; for all: query(…) as [Row]
            """
    ),
    Mistake(
        name: "untypedQuery",
        line: "let rows = try connection.query(\"SELECT name FROM cars\"); print(rows.count)",
        message: "error: generic parameter 'E' could not be inferred"
    ),
    Mistake(
        name: "resultType",
        line: "let cars: [Car] = try connection.query(\"SELECT name FROM cars\")",
        message: """
            error: 'query(_:_:because:)' is unavailable: a result is T, T?, [T] or [Key: Value]; \
            T needs Binding or ExpressibleByRow
            """,
        program: """
            struct Car { let name: String }
            func run(_ connection: Connection) throws {
                LINE
                print(cars.count)
            }
            """
    ),
    Mistake(
        name: "untypedColumn",
        line: "let name = try row.get(\"name\")",
        message: """
            error: 'get(_:because:)' is unavailable: name the type: let name: String = try \
            row.get(…); your own types need Binding
            """,
        program: """
            func run(_ row: Row) throws {
                LINE
                print(name as Any)
            }
            """
    ),
    Mistake(
        name: "valueWithoutBinding",
        line: "try connection.run(\"INSERT INTO cars VALUES(?)\", Fuel.petrol)",
        message: """
            error: 'run' is unavailable: a value's type needs Binding, as in enum Fuel: String, \
            Binding; a list needs ArrayBinding and json_each(?), a dictionary DictionaryBinding
            """,
        program: """
            enum Fuel: String { case petrol }
            func run(_ connection: Connection) throws {
                LINE
            }
            """
    ),
    Mistake(
        name: "untypedClosure",
        line: """
            let lengths = try connection.query("SELECT name FROM cars") \
            { (try $0.get(0) as String).count }
            """,
        message: "error: ambiguous use of 'query(_:_:body:)'"
    ),
    Mistake(
        name: "voidMigration",
        line: "Migration(\"tidy\") { c in try c.transaction { try c.run(\"DELETE FROM cars\") } }",
        message: """
            error: failed to produce diagnostic for expression; please submit a bug report
            """,
        program: """
            func migration() -> Migration {
                LINE
            }
            """
    ),
    Mistake(
        name: "voidWrite",
        line: """
            let clear: () throws -> Void = { try database.write { try $0.run("DELETE FROM cars") } }
            """,
        message: "error: conflicting arguments to generic parameter 'T' ('Void' vs. 'Int')"
    ),
    Mistake(
        name: "untypedAccess",
        line: """
            let count = try await database.read { try $0.query("SELECT count(*) FROM cars") }
            """,
        message: "warning: constant 'count' inferred to have type '()', which may be unexpected"
    ),
    Mistake(
        name: "genericFunction",
        line: "let car = try load(connection)",
        message: "error: generic parameter 'T' could not be inferred",
        program: """
            func load<T: QueryResult>(_ connection: Connection) throws -> T {
                try connection.query("SELECT 1")
            }
            func run(_ connection: Connection) throws {
                LINE
            }
            """
    ),
    Mistake(
        name: "functionOfSQLite",
        line: "print(sqlite3_libversion())",
        message: "error: cannot find 'sqlite3_libversion' in scope"
    ),
]

/// What Docs/Troubleshooting.md quotes is what the compiler says.
@Suite(
    .enabled(if: Compiler.obstacle == nil, "programs can't be compiled here")
)
struct TroubleshootingCompilerTests {
    @Test(arguments: mistakes)
    fileprivate func theGuideQuotesTheCompiler(mistake: Mistake) throws {
        let file = packageFolder.appendingPathComponent("Docs/Troubleshooting.md")
        // Long lines are wrapped there.
        let guide = try String(contentsOf: file, encoding: .utf8).split { $0.isWhitespace }
            .joined(separator: " ")
        let isQuoted = guide.contains("\(mistake.line) \(mistake.message)")
        #expect(isQuoted)

        let sources = [mistake.name: mistake.source]
        let messages = try Compiler.messages(
            about: sources,
            findingRaces: true,
            isOnMainActor: mistake.isOnMainActor
        )
        let isSaid = messages[mistake.name]?.contains { $0.hasPrefix(mistake.message) } ?? false
        #expect(isSaid, "\(messages)")
    }
}

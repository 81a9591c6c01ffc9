import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The README's blocks, and what it says of two mistakes in its first program.
struct ReadmeTests {
    private let folder: TemporaryFolder
    private let path: String
    private let readme: String
    /// The first program, which is a package of its own.
    private let program: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        readme = try String(
            contentsOf: packageFolder.appendingPathComponent("README.md"),
            encoding: .utf8
        )
        program = try String(
            contentsOf: packageFolder.appendingPathComponent(
                "Tests/FirstProgram/Sources/cars/main.swift"
            ),
            encoding: .utf8
        )
    }

    private func expectReadme(
        toQuote text: some CustomStringConvertible,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        // A message has two lines, and a cell of a table one.
        let quotation = "\(text)".split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(readme.contains(quotation), sourceLocation: sourceLocation)
    }

    // MARK: The first program

    @Test func firstProgram() throws {
        struct Car: Decodable, ExpressibleByRow {
            let name: String
            let price: Int?
        }
        var printed = ""
        func print(_ names: [String], _ prices: [Int?], _ dearest: Int) {
            printed = "\(names) \(prices) \(dearest)"
        }

        let migrations = [
            Migration("1-cars", sql: "CREATE TABLE cars(name TEXT NOT NULL, price INTEGER)")
        ]
        let connection = try Connection()  // in memory; Connection(path: "cars.sqlite") for a file
        try Migrator(connection: connection, migrations: migrations).run()

        try connection.run("INSERT INTO cars VALUES(?, ?)", "Audi", 52_642)
        try connection.run(
            "INSERT INTO cars VALUES(:name, :price)",
            ["name": "Prototype", "price": nil]
        )

        let cars: [Car] = try connection.query("SELECT * FROM cars WHERE price < ?", 60_000)
        let prices: [Int?] = try connection.query("SELECT price FROM cars")
        let dearest: Int? = try connection.query("SELECT max(price) FROM cars")
        print(cars.map(\.name), prices, dearest ?? 0)  // ["Audi"] [Optional(52642), nil] 52642

        expectReadme(toQuote: printed)
        try expectItsErrors(on: connection)
    }

    /// The errors of the two mistakes at run time.
    private func expectItsErrors(on connection: Connection) throws {
        let misspelt = #expect(throws: SQLiteError.self) {
            try connection.run("SELECT * FROM cars WHERE prise < ?", 60_000)
        }
        let isNull = #expect(throws: ExtractionError.self) {
            let prices: [Int] = try connection.query("SELECT price FROM cars")
            print(prices)
        }

        if Capability.errorOffset {
            expectReadme(toQuote: try #require(misspelt))
        }
        expectReadme(toQuote: try #require(isNull))
    }

    @Test(
        .builtLint,
        .enabled(
            if: Capability.errorOffset && Capability.columnMetadata,
            "this SQLite doesn't tell where columns come from, or where an error is"
        )
    )
    func mistakesThatTheBuildFinds() throws {
        let right = try LintSources(["main.swift": program])
        #expect(try LintRun(["main.swift"], in: right.folder.url).messages == [])

        let wrong = try LintSources([
            "main.swift": program.replacingOccurrences(of: "price < ?", with: "prise < ?")
                .replacingOccurrences(of: "prices: [Int?]", with: "prices: [Int]")
        ])
        let messages = try LintRun(["main.swift"], in: wrong.folder.url).messages
        #expect(messages.count == 2)
        for message in messages {
            expectReadme(toQuote: message)
        }
    }

    // MARK: The other blocks

    @Test func errorsByTheirCode() throws {
        let connection = try Connection()
        let email = "eva@example.org"
        try connection.execute("CREATE TABLE users(email TEXT NOT NULL UNIQUE)")
        try connection.run("INSERT INTO users VALUES(?)", email)
        var printed = ""
        func print(_ text: String) {
            printed = text
        }

        do {
            try connection.run("INSERT INTO users(email) VALUES(?)", email)
        } catch let error as SQLiteError where error.extendedResultCode == .constraintUnique {
            print("that address is taken")
        }

        #expect(printed == "that address is taken")
    }

    /// In a process of its own, which changes its folder.
    @Test func manyThreads() async {
        await #expect(processExitsWith: .success) {
            struct Cars {
                static func main() async throws {
                    let database = try Database(path: "cars.sqlite")
                    try await database.write { connection in
                        try connection.execute(
                            "CREATE TABLE IF NOT EXISTS cars(name TEXT, price INTEGER)"
                        )
                        try connection.run("INSERT INTO cars VALUES(?, ?)", "Lada", 1_500)
                    }
                    let names: [String] = try await database.read {
                        try $0.query("SELECT name FROM cars")
                    }
                    print(names)
                }
            }

            let folder = try TemporaryFolder()
            try #require(FileManager.default.changeCurrentDirectoryPath(folder.url.path))
            try await Cars.main()
            #expect(try folder.files().contains("cars.sqlite"))
        }
    }

    @Test func migratingAndBackingUp() async throws {
        try Connection(path: path).execute("CREATE TABLE cars(name TEXT)")
        let migrations = [Migration("2-wheels", sql: "CREATE TABLE wheels(size INTEGER)")]
        let database = try Database(path: path)
        let oldPath = path + ".old"
        let backupPath = path + ".backup"

        try await database.writeWithoutTransaction { connection in
            try Migrator(connection: connection, migrations: migrations).run(
                backupTo: .onDisk(oldPath)
            )
        }
        try await database.backup(to: .onDisk(backupPath))
        try await database.restore(from: .onDisk(backupPath))

        #expect(try await database.read { try $0.tableExists("wheels") })
        #expect(try !Connection(path: oldPath).tableExists("wheels"))
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The examples in the comments of `SQLite`.
struct ReferenceSQLiteTests {
    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try folder.connection()
        try connection.execute(
            """
            CREATE TABLE cars(name TEXT NOT NULL, price INTEGER);
            CREATE TABLE files(name TEXT, content BLOB);
            INSERT INTO cars VALUES('Audi', 52642), ('Lada', 900);
            INSERT INTO files(name) VALUES('a10'), ('a9')
            """
        )
    }

    // MARK: Blobs and files

    @Test func writingABlob() throws {
        struct Source {
            var pieces = [Data("first".utf8), Data("second".utf8)]

            mutating func read(upToCount count: Int) throws -> Data? {
                pieces.isEmpty ? nil : pieces.removeFirst()
            }
        }
        var source = Source()
        let size = 11
        var position = 0

        try connection.run("INSERT INTO files(content) VALUES(?)", ZeroBlob(count: size))
        let rowID = connection.lastInsertRowID
        let blob = try connection.openBlob(table: "files", column: "content", rowID: rowID)
        while let piece = try source.read(upToCount: 65_536) {
            try blob.write(piece, at: position)
            position += piece.count
        }
        try blob.close()

        #expect(try start(of: rowID, count: 11) == Data("firstsecond".utf8))
    }

    private func start(of rowID: Int64, count: Int) throws -> Data {
        try connection.query(
            "SELECT substr(content, 1, ?) FROM files WHERE rowid = ?",
            count,
            rowID
        )
    }

    @Test func readingABlob() throws {
        let bytes = Data(repeating: 7, count: 20)
        try connection.run("INSERT INTO files(content) VALUES(?)", bytes)
        let rowID = connection.lastInsertRowID

        let blob = try connection.openBlob(
            table: "files",
            column: "content",
            rowID: rowID,
            readOnly: true
        )
        let start = try blob.read(at: 0, count: 16)
        try blob.close()

        #expect(start == bytes.prefix(16))
    }

    @Test func anAttachedDatabase() throws {
        let archivePath = folder.path("archive.sqlite")
        let archive = try Connection(path: archivePath)
        try archive.execute("CREATE TABLE cars(name TEXT, price INTEGER)")

        try connection.attachDatabase(from: .onDisk(archivePath), withName: "archive")
        try connection.run("INSERT INTO archive.cars SELECT * FROM cars WHERE price < ?", 1_000)
        try connection.detachDatabase(named: "archive")

        #expect(try archive.query("SELECT name FROM cars") == ["Lada"])
    }

    @Test func aCompactCopy() throws {
        let copyPath = folder.path("copy.sqlite")

        try connection.vacuum(into: .onDisk(copyPath))

        #expect(try Connection(path: copyPath).tableExists("cars"))
    }

    @Test(
        .enabled(if: Capability.serialization, "this SQLite can't serialize a database")
    )
    func anImage() throws {
        let copy = try Connection(image: connection.serialize())

        #expect(try copy.tableExists("cars"))
    }

    @Test func checkpoints() throws {
        try connection.execute("PRAGMA journal_mode = WAL; DELETE FROM cars")
        var printed = ""
        func print(_ done: Int, _ text: String, _ all: Int) {
            printed = "\(done) \(text) \(all)"
        }

        let result = try connection.checkpoint(mode: .passive)
        print(result.checkpointedFrames, "of", result.logFrames)

        #expect(result.isComplete)
        #expect(printed == "\(result.logFrames) of \(result.logFrames)")
    }

    // MARK: Looking

    @Test func integrity() throws {
        var printed = ""
        func print(_ text: String) {
            printed = text
        }

        let errors = try connection.integrityCheck()
        let orphans = try connection.foreignKeyViolations()
        print(errors.isEmpty && orphans.isEmpty ? "sound" : "damaged")

        #expect(printed == "sound")
    }

    @Test func columns() throws {
        var printed: [String] = []
        func print(_ name: String, _ type: String) {
            printed.append("\(name) \(type)")
        }

        for column in try connection.columns(in: "cars") {
            print(column.name, column.declaredType)  // name TEXT
        }

        #expect(printed == ["name TEXT", "price INTEGER"])
    }

    @Test func results() throws {
        var text = ""
        try connection.dump("SELECT name, price FROM cars WHERE price < ?", 60_000, to: &text)

        #expect(text.contains("Lada"))
    }

    // MARK: Functions and collations

    @Test func aFunction() throws {
        try connection.addFunction(named: "initials", deterministic: true) {
            (name: String, separator: String?) in
            name.split(separator: " ").compactMap { $0.first.map { String($0) } }
                .joined(separator: separator ?? "")
        }
        let initials: String = try connection.query("SELECT initials('Ada Lovelace', '.')")

        #expect(initials == "A.L")
    }

    @Test func anAggregate() throws {
        try connection.execute("CREATE TABLE numbers(n); INSERT INTO numbers VALUES(2), (3), (4)")

        struct Product: AggregateFunction {
            var product = 1.0

            mutating func step(_ arguments: Row) throws {
                product *= try arguments.get(0) as Double
            }

            func finalize() -> Double { product }
        }

        try connection.addAggregateFunction(named: "product", argumentCount: 1, Product.self)
        let factorial: Double = try connection.query("SELECT product(n) FROM numbers")

        #expect(factorial == 24)
    }

    @Test func aCollation() throws {
        try connection.addCollation(named: "NUMERIC") {
            $0.compare($1, options: [.numeric], locale: nil)
        }
        let names: [String] = try connection.query(
            "SELECT name FROM files ORDER BY name COLLATE NUMERIC"
        )

        #expect(names == ["a9", "a10"])
    }

    /// A function stands for an extension that is linked into the program.
    @Test func anExtension() throws {
        let sqlite3_series_init: Connection.ExtensionEntryPoint = { handle, _, _ in
            handle == nil ? 1 : 0
        }

        try connection.registerStaticExtension(sqlite3_series_init)
    }

    // MARK: Guarding

    @Test func readingOnly() throws {
        try connection.authorizer(Connection.readOnlyAuthorizer)

        #expect(throws: SQLiteError.self) { try connection.run("DELETE FROM cars") }
    }
}

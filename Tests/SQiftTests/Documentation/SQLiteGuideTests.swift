import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

struct Median: AggregateFunction {
    var values: [Double] = []

    mutating func step(_ arguments: Row) throws {
        if let value: Double = try arguments.get(0) {
            values.append(value)
        }
    }

    mutating func finalize() -> Double? {
        values.sort()
        return values.isEmpty
            ? nil : (values[(values.count - 1) / 2] + values[values.count / 2]) / 2
    }
}

struct Spread: WindowFunction {
    var values: [Int] = []

    mutating func step(_ arguments: Row) throws {
        values.append(try arguments.get(0))
    }
    mutating func inverse(_ arguments: Row) throws {
        values.removeFirst()
    }
    func value() -> Int? {
        values.max().flatMap { highest in values.min().map { highest - $0 } }
    }
}

private final class Counter {
    var count = 0
}

/// The blocks of Docs/SQLite.md.
struct SQLiteGuideTests {
    private let folder: TemporaryFolder
    private let path: String
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        connection = try Connection(path: path)
        try connection.execute(
            """
            CREATE TABLE cars(name TEXT NOT NULL, price INTEGER);
            INSERT INTO cars VALUES('Audi 100', 52642), ('Audi 80', 9000), ('Prototype', NULL);
            """
        )
    }

    @Test func functions() throws {
        try connection.addFunction(named: "initials", deterministic: true) {
            (name: String, separator: String?) in
            name.split(separator: " ").map { String($0.prefix(1)) }.joined(
                separator: separator ?? ""
            )
        }
        let initials: String = try connection.query("SELECT initials('Ada Lovelace', '.')")  // A.L
        #expect(initials == "A.L")
    }

    @Test func functionThatThrows() throws {
        struct Prices {
            var isLoaded = false
            var ofCars: [String: Int] = [:]
        }
        var prices = Prices()
        try connection.addFunction(named: "price", directOnly: true) {
            (car: String) throws -> Int? in
            guard prices.isLoaded else {
                throw SQLiteError(code: .busy, message: "the prices aren't loaded yet")
            }
            return prices.ofCars[car]
        }
        expectSQLiteError(.busy, message: "the prices aren't loaded yet") {
            try connection.run("SELECT price('Audi 80')")
        }
        prices = Prices(isLoaded: true, ofCars: ["Audi 80": 1])
        #expect(try connection.query("SELECT price('Audi 80')") == 1)
    }

    @Test func functionOfAllLetters() throws {
        try connection.addFunction(named: "uppercased", deterministic: true) { (text: String) in
            text.uppercased()
        }
        #expect(try connection.query("SELECT uppercased('Jérôme')") == "JÉRÔME")
        #expect(try connection.query("SELECT upper('Jérôme')") == "JéRôME")
    }

    @Test func aggregates() throws {
        try connection.addAggregateFunction(named: "median", argumentCount: 1, Median.self)
        let median: Double? = try connection.query("SELECT median(price) FROM cars")
        #expect(median == 30_821)
    }

    @Test func windows() throws {
        try connection.addWindowFunction(named: "spread", argumentCount: 1, Spread.self)
        let spreads: [Int] = try connection.query(
            "SELECT spread(price) OVER (ORDER BY price ROWS 1 PRECEDING) FROM cars WHERE price IS NOT NULL"
        )
        #expect(spreads == [0, 43_642])
    }

    @Test func collations() throws {
        try connection.addCollation(named: "NUMERIC") {
            $0.compare($1, options: [.numeric], locale: nil)
        }
        let names: [String] = try connection.query(
            "SELECT name FROM cars ORDER BY name COLLATE NUMERIC, name"
        )
        #expect(names == ["Audi 80", "Audi 100", "Prototype"])
    }

    @Test func hooks() throws {
        var changedTables: Set<String> = []
        var isWritable = true
        connection.updateHook { type, database, table, rowID in
            changedTables.insert(table ?? "")
        }
        connection.commitHook { !isWritable }  // true turns the commit into a rollback
        connection.rollbackHook { changedTables = [] }
        try connection.run("UPDATE cars SET price = 1")
        #expect(changedTables == ["cars"])
        isWritable = false
        #expect(sqliteError { try connection.run("UPDATE cars SET price = 2") } != nil)
        #expect(changedTables == [])
    }

    @Test func authorizer() throws {
        try connection.execute(
            "CREATE TABLE users(name TEXT, password TEXT); INSERT INTO users VALUES('a', 'b')"
        )
        try connection.authorizer { action, table, column, database, trigger in
            action == .read && table == "users" && column == "password" ? .ignore : .ok
        }
        let row: Row? = try connection.query("SELECT * FROM users")
        #expect(row?.description == "['a', NULL]")
    }

    @Test func tracing() throws {
        let database = try Database.inMemory()

        database.prepareConnections { connection in
            let profiles = Connection.TraceEvent.profileMask
            connection.traceEvent(mask: profiles, expandsSQL: false) { event in
                guard case .profile(let sql, let seconds) = event, seconds > 0.1 else { return }
                print("slow:", seconds, sql)
            }
        }

        try database.write { try $0.execute("CREATE TABLE t(x)") }
    }

    @Test func counting() throws {
        let statement = try connection.prepare("SELECT price FROM cars WHERE name = ?")
        let price: Int? = try statement.bind("Audi").query()
        let steps = try statement.withUnsafeHandle { handle in
            sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0)
        }
        #expect(price == nil)
        #expect(steps == 2)
    }

    /// The log is the process's, and has to be set before anything uses SQLite.
    @Test func logging() async {
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardOutputContent]
        ) {
            let code = sqift_config_log { _, code, message in
                print("SQLite:", code, message.map { String(cString: $0) } ?? "")
            }
            #expect(code == SQLITE_OK)
            let connection = try Connection()
            try connection.execute("CREATE TABLE t(x UNIQUE); INSERT INTO t VALUES('secret')")
            _ = sqliteError { try connection.run("INSERT INTO t VALUES(?)", "secret") }
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(output.contains("SQLite: 2067 "))
        #expect(output.contains("INSERT INTO t VALUES(?)"))
        #expect(!output.contains("secret"))
    }

    @Test func waiting() throws {
        try connection.busyHandler(.timeout(5))
        try connection.busyHandler(.custom { count in count < 3 })
    }

    @Test func checkpoints() throws {
        try connection.execute("PRAGMA journal_mode = WAL; UPDATE cars SET price = 1")
        let result = try connection.checkpoint(mode: .passive)
        print(result.checkpointedFrames, "of", result.logFrames, result.isComplete)
        #expect(result.isComplete)
    }

    @Test func blobs() throws {
        try connection.execute("CREATE TABLE files(content BLOB)")
        let source = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try connection.run("INSERT INTO files(content) VALUES(?)", ZeroBlob(count: source.count))
        let blob = try connection.openBlob(
            table: "files",
            column: "content",
            rowID: connection.lastInsertRowID
        )
        var position = 0
        while position < source.count {
            let piece = source[position..<min(position + 65_536, source.count)]
            try blob.write(piece, at: position)
            position += piece.count
        }
        try blob.close()
        #expect(try connection.query("SELECT content FROM files") == source)
    }

    @Test(
        .enabled(
            if: Capability.serialization,
            "SQLite was built without serialize and deserialize"
        )
    )
    func bytes() throws {
        let image: Data = try connection.serialize()
        let copy = try Connection(image: image)
        try connection.vacuum(into: .onDisk(path + ".small"))
        #expect(try copy.query("SELECT count(*) FROM cars") == 3)
        #expect(try Connection(path: path + ".small").query("SELECT count(*) FROM cars") == 3)
    }

    @Test func schema() throws {
        if try connection.tableExists("cars") {
            for column in try connection.columns(in: "cars") {
                print(
                    column.name,
                    column.declaredType,
                    column.isNotNull,
                    column.defaultValue ?? "no default"
                )
            }
            let uniqueKeys = try connection.indexes(on: "cars").filter(\.isUnique).map(\.columns)
            print(try connection.primaryKey(of: "cars"), uniqueKeys)
            print(
                try connection.foreignKeys(of: "cars"),
                try connection.triggers(on: "cars").map(\.name)
            )
        }
        let table = "a \"table\""
        try connection.execute("CREATE TABLE \(table.sqift.quotedIdentifier)(a)")
        #expect(try connection.query("SELECT count(*) FROM \(table.sqift.quotedIdentifier)") == 0)
    }

    @Test func soundness() throws {
        let problems = try connection.quickCheck()
        let orphans = try connection.foreignKeyViolations()
        #expect(problems.isEmpty && orphans.isEmpty)
    }

    @Test func fileFromAStranger() throws {
        var configuration = Connection.Configuration()
        configuration.hardened = true
        configuration.readOnly = true
        let connection = try Connection(path: path, configuration: configuration)
        try connection.setLimit(.length, to: 10_000_000)
        try connection.setLimit(.sqlLength, to: 100_000)
        try connection.setLimit(.exprDepth, to: 100)
        try connection.setLimit(.attached, to: 0)
        try connection.setLimit(.likePatternLength, to: 100)
        for name in ["printf", "format"] {
            try connection.addFunction(named: name) { (_: [BindingValue]) in "" }
        }
        let deadline = ContinuousClock.now + .seconds(5)
        connection.progressHandler { ContinuousClock.now > deadline }
        let problems = try connection.quickCheck()
        guard problems.isEmpty else { throw SQLiteError(code: .corrupt, message: problems[0]) }
        let readOnly = Connection.readOnlyAuthorizer
        var viewCount = 0
        try connection.authorizer { action, first, second, database, view in
            guard action == .select else { return readOnly(action, first, second, database, view) }
            viewCount = view == nil ? 0 : viewCount + 1
            return viewCount > 100 ? .deny : .ok
        }
        #expect(try connection.query("SELECT sum(price) FROM cars") == 61_642)
        expectSQLiteError(.authorization) { try connection.run("DELETE FROM cars") }
    }

    @Test func extensions() throws {
        let error = sqliteError {
            try connection.loadExtension(at: path, entryPoint: "sqlite3_vec_init")
        }
        #expect(error != nil)
    }

    @Test func otherStorage() throws {
        var configuration = Connection.Configuration()
        configuration.vfs = "unix-excl"
        let connection = try Connection(path: path, configuration: configuration)
        #expect(try connection.query("SELECT count(*) FROM cars") == 3)
    }

    @Test func cAPI() throws {
        typealias Pointer = UnsafeMutableRawPointer
        typealias Name = UnsafePointer<CChar>
        typealias Changed =
            @convention(c) (Pointer?, OpaquePointer?, Int32, Name?, Name?, Int64, Int64) -> Void
        typealias SetHook = @convention(c) (OpaquePointer?, Changed?, Pointer?) -> Pointer?
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "sqlite3_preupdate_hook") else { return }
        let setHook = unsafeBitCast(symbol, to: SetHook.self)
        let changes = Counter()
        try connection.withUnsafeHandle { database in
            let pointer = Unmanaged.passUnretained(changes).toOpaque()
            _ = setHook(
                database,
                { changes, _, _, _, _, _, _ in
                    if let changes {
                        Unmanaged<Counter>.fromOpaque(changes).takeUnretainedValue().count += 1
                    }
                },
                pointer
            )
        }
        defer { _ = try? connection.withUnsafeHandle { setHook($0, nil, nil) } }
        try connection.run("UPDATE cars SET price = 1")
        print(changes.count)
        #expect(changes.count == 3)
    }
}

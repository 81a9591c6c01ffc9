import CSQift
import Foundation
import SQift

/// A WAL database in a file. The file is removed with this object.
final class SharedFile: Sendable {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "SQiftBenchmarks-\(UUID())"
    )
    let rows = 100_000

    static let pointRead = "SELECT v FROM t WHERE id = ?"
    static let insertion = "INSERT INTO log(v) VALUES(?)"

    var path: String { folder.appendingPathComponent("test.sqlite").path }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Raw(path).execute(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE t(id INTEGER PRIMARY KEY, v INTEGER, s TEXT);
            CREATE TABLE log(id INTEGER PRIMARY KEY, v INTEGER);
            WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO t SELECT i, i * 7, 'name ' || i FROM n;
            """
        )
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// A row anywhere in the table, the same one for both sides.
    func rowID(_ number: Int) -> Int {
        number &* 7_919 % rows &+ 1
    }
}

/// Reads rows by their key, each in an access of its own.
func pointRead(
    _ count: Int,
    _ access: @escaping (Database, (Connection) throws -> Int64) throws -> Int64
) throws -> Sides {
    let file = try SharedFile()
    let raw = try RawReader(file)
    let database = try Database(path: file.path)
    return Sides(
        raw: {
            (0..<count).reduce(0) { $0 &+ raw.read(file.rowID($1)) }
        },
        sqift: {
            try (0..<count).reduce(0) { sum, number in
                let id = file.rowID(number)
                return sum &+ (try access(database) { try $0.query(SharedFile.pointRead, id) })
            }
        }
    )
}

/// Eight threads read, and one inserts. One operation in 33 is an insert.
func concurrentReads(_ count: Int) throws -> Sides {
    let file = try SharedFile()
    let writes = count / 33
    let reads = (count - writes) / 8
    let readers = try (0..<8).map { _ in Confined(try RawReader(file)) }
    let rawWriter = Confined(try RawWriter(file, synchronous: .normal))
    var configuration = Database.Configuration()
    configuration.synchronous = .normal
    let database = try Database(path: file.path, configuration: configuration)

    return Sides(
        raw: {
            try onThreads(9) { thread in
                if thread == 8 {
                    return try rawWriter.use { try $0.insert(writes) }
                }
                return readers[thread].use { reader in
                    (0..<reads).reduce(0) { $0 &+ reader.read(file.rowID($1 &+ thread &* 7_919)) }
                }
            }
        },
        sqift: {
            try onThreads(9) { thread in
                if thread == 8 {
                    for number in 0..<writes {
                        try database.executeWrite { try $0.run(SharedFile.insertion, number) }
                    }
                    return Int64(writes)
                }
                return try (0..<reads).reduce(0) { sum, number in
                    let id = file.rowID(number &+ thread &* 7_919)
                    return sum
                        &+ (try database.executeRead {
                            try $0.query(SharedFile.pointRead, id) as Int64
                        })
                }
            }
        }
    )
}

/// Transactions with one row each.
func commits(_ count: Int, _ synchronous: Database.Configuration.Synchronous) throws -> Sides {
    let rawFile = try SharedFile()
    let file = try SharedFile()
    let raw = try RawWriter(rawFile, synchronous: synchronous)
    var configuration = Database.Configuration()
    configuration.synchronous = synchronous
    let database = try Database(path: file.path, configuration: configuration)
    return Sides(
        raw: { try raw.commit(count) },
        sqift: {
            for number in 0..<count {
                try database.write { try $0.run(SharedFile.insertion, number) }
            }
            return Int64(count)
        }
    )
}

/// Commits with a listener, against the same without one.
func commitsListening(_ count: Int) throws -> Sides {
    func side(isListening: Bool) throws -> () throws -> Int64 {
        let file = try SharedFile()
        var configuration = Database.Configuration()
        configuration.synchronous = .normal
        let database = try Database(path: file.path, configuration: configuration)
        // It listens and doesn't read. Waking one that reads is up to the operating system.
        let changes = isListening ? database.changes() : nil
        return {
            for number in 0..<count {
                try database.write { try $0.run(SharedFile.insertion, number) }
            }
            withExtendedLifetime((file, changes)) {}
            return Int64(count)
        }
    }
    return Sides(raw: try side(isListening: false), sqift: try side(isListening: true))
}

/// A connection that reads rows by their key.
final class RawReader {
    private let raw: Raw
    private let statement: OpaquePointer
    // Keeps the file as long as the statement.
    private let file: SharedFile

    init(_ file: SharedFile) throws {
        self.file = file
        raw = try Raw(file.path)
        statement = try raw.prepare(SharedFile.pointRead)
    }

    func read(_ id: Int) -> Int64 {
        sqlite3_bind_int64(statement, 1, Int64(id))
        sqlite3_step(statement)
        defer { sqlite3_reset(statement) }
        return sqlite3_column_int64(statement, 0)
    }
}

/// A connection that inserts rows.
final class RawWriter {
    private let raw: Raw
    private let begin, insertion, commit: OpaquePointer
    private let file: SharedFile

    init(_ file: SharedFile, synchronous: Database.Configuration.Synchronous) throws {
        self.file = file
        raw = try Raw(file.path)
        try raw.execute("PRAGMA synchronous = \(synchronous.rawValue)")
        sqlite3_busy_timeout(raw.database, 5000)
        begin = try raw.prepare("BEGIN IMMEDIATE")
        insertion = try raw.prepare(SharedFile.insertion)
        commit = try raw.prepare("COMMIT")
    }

    func insert(_ count: Int) throws -> Int64 {
        for number in 0..<count {
            sqlite3_bind_int64(insertion, 1, Int64(number))
            try run(insertion)
        }
        return Int64(count)
    }

    /// Inserts rows, each in a transaction.
    func commit(_ count: Int) throws -> Int64 {
        for number in 0..<count {
            try run(begin)
            sqlite3_bind_int64(insertion, 1, Int64(number))
            try run(insertion)
            try run(commit)
        }
        return Int64(count)
    }

    private func run(_ statement: OpaquePointer) throws {
        let code = sqlite3_step(statement)
        sqlite3_reset(statement)
        guard code == SQLITE_DONE else { throw RawError(code: code) }
    }
}

/// A value that one thread after the other uses.
final class Confined<Value>: @unchecked Sendable {
    private let value: Value
    private let lock = NSLock()

    init(_ value: Value) {
        self.value = value
    }

    func use<T>(_ body: (Value) throws -> T) rethrows -> T {
        lock.lock()
        defer { lock.unlock() }
        return try body(value)
    }
}

/// Runs `body` on several threads at once, and adds up the results.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Int64) throws -> Int64 {
    let results = Confined(Results())
    let done = DispatchGroup()
    for number in 0..<count {
        done.enter()
        Thread.detachNewThread {
            let result = Result { try body(number) }
            results.use { $0.all.append(result) }
            done.leave()
        }
    }
    done.wait()
    return try results.use { try $0.all.reduce(0) { $0 &+ (try $1.get()) } }
}

private final class Results {
    var all: [Result<Int64, any Error>] = []
}

// MARK: Scaling

/// Prints how many reads a second more and more threads do, by the C API and through `executeRead`,
/// and how long a read takes that a task awaits.
func measureScaling(repeats: Int, scale: Double) throws {
    let file = try SharedFile()
    var configuration = Database.Configuration()
    configuration.maximumReaderCount = 8
    let database = try Database(path: file.path, configuration: configuration)
    let count = max(8, Int(20_000 * scale))

    print("threads   C API reads/s   SQift reads/s  ratio")
    for threads in [1, 2, 4, 8] {
        let readers = try (0..<threads).map { _ in Confined(try RawReader(file)) }
        let each = count / threads
        var raw: [Double] = []
        var sqift: [Double] = []
        var ratios: [Double] = []
        for _ in 0...repeats {
            let rawTime = try time {
                try onThreads(threads) { thread in
                    readers[thread].use { reader in
                        (0..<each).reduce(0) { $0 &+ reader.read(file.rowID($1)) }
                    }
                }
            }
            let time = try time {
                try onThreads(threads) { _ in
                    try (0..<each).reduce(0) { sum, number in
                        let id = file.rowID(number)
                        return sum
                            &+ (try database.executeRead {
                                try $0.query(SharedFile.pointRead, id) as Int64
                            })
                    }
                }
            }
            raw.append(Double(each * threads) / rawTime.nanoseconds * 1e9)
            sqift.append(Double(each * threads) / time.nanoseconds * 1e9)
            ratios.append(time.nanoseconds / rawTime.nanoseconds)
        }
        print(
            String(
                format: "%7d%16.0f%16.0f%7.2f",
                threads,
                median(raw),
                median(sqift),
                median(ratios)
            )
        )
        fflush(nil)
    }

    var asynchronous: [Double] = []
    for _ in 0...repeats {
        let each = count / 2 / 8
        let elapsed = try time {
            let done = DispatchSemaphore(value: 0)
            let failure = Confined(Results())
            Task.detached {
                do {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for _ in 0..<8 {
                            group.addTask {
                                for number in 0..<each {
                                    let id = file.rowID(number)
                                    let _: Int64 = try await database.read {
                                        try $0.query(SharedFile.pointRead, id)
                                    }
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                } catch {
                    failure.use { $0.all.append(.failure(error)) }
                }
                done.signal()
            }
            done.wait()
            _ = try failure.use { try $0.all.first?.get() }
        }
        asynchronous.append(elapsed.nanoseconds / Double(each * 8))
    }
    print(
        String(format: "async-reads: %.1f µs each, awaited by 8 tasks", median(asynchronous) / 1000)
    )
}

import Foundation

/// The SQL that is the same for all.
public enum SQL {
    public static let createItems =
        "CREATE TABLE items(id INTEGER PRIMARY KEY, name TEXT NOT NULL, weight REAL NOT NULL)"
    public static let createIndex = "CREATE INDEX itemsByName ON items(name)"
    public static let insertItem = "INSERT INTO items VALUES(?, ?, ?)"
    public static let deleteItems = "DELETE FROM items"
    public static let nameOfItem = "SELECT name FROM items WHERE id = ?"
    public static let reopenJobs = "UPDATE jobs SET state = 'open'"
    /// Takes the oldest open job.
    public static let claimJob = """
        UPDATE jobs SET state = 'taken'
        WHERE id = (SELECT id FROM jobs WHERE state = 'open' ORDER BY id LIMIT 1)
        RETURNING id, payload
        """

    public static func items(_ count: Int) -> String {
        table(createItems, "items", count, "i, 'item number ' || i, i * 0.5")
    }

    /// Ten columns, `a` to `j`.
    public static func ints(_ count: Int) -> String {
        let columns = "abcdefghij".map(String.init).joined(separator: ", ")
        let values = (0..<10).map { "i + \($0)" }.joined(separator: ", ")
        return table("CREATE TABLE ints(\(columns))", "ints", count, values)
    }

    public static func texts(_ count: Int) -> String {
        let values = "'name ' || i, printf('a longer text in the second column %08d', i)"
        return table("CREATE TABLE texts(short TEXT, long TEXT)", "texts", count, values)
    }

    public static func blobs(_ count: Int) -> String {
        let blob = "CAST(printf('%01000d', i) AS BLOB)"
        return table("CREATE TABLE blobs(data BLOB NOT NULL)", "blobs", count, blob)
    }

    public static func dates(_ count: Int) -> String {
        let date = "strftime('%Y-%m-%dT%H:%M:%f', 1000000000 + i * 86461.25, 'unixepoch')"
        return table("CREATE TABLE dates(date TEXT NOT NULL)", "dates", count, date)
    }

    /// A queue of jobs, whose open ones are in an index of their own.
    public static func jobs(_ count: Int) -> String {
        let columns = "id INTEGER PRIMARY KEY, state TEXT NOT NULL, payload TEXT NOT NULL"
        let table = table("CREATE TABLE jobs(\(columns))", "jobs", count, "i, 'open', 'job ' || i")
        return "\(table) CREATE INDEX openJobs ON jobs(id) WHERE state = 'open'"
    }

    private static func table(
        _ definition: String,
        _ name: String,
        _ count: Int,
        _ values: String
    ) -> String {
        """
        \(definition);
        WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO \(name) SELECT \(values) FROM n;
        """
    }
}

/// The text of each row that is inserted.
public func names(_ count: Int) -> [String] {
    (0..<count).map { "item number \($0)" }
}

/// The keys that are looked up, in no order.
public func keys(_ count: Int) -> [Int64] {
    (0..<count).map { Int64($0 * 7919 % count + 1) }
}

/// Runs code that awaits, and waits for its result on the calling thread.
public func awaiting(_ body: @escaping @Sendable () async throws -> Int64) throws -> Int64 {
    final class Outcome: @unchecked Sendable {
        var result: Result<Int64, any Error>?
    }
    let outcome = Outcome()
    let end = DispatchSemaphore(value: 0)
    Task.detached {
        do {
            outcome.result = .success(try await body())
        } catch {
            outcome.result = .failure(error)
        }
        end.signal()
    }
    end.wait()
    return try outcome.result?.get() ?? 0
}

/// Runs asynchronous code to its end: tasks which share the elements, and whose results are added.
public func awaiting<Element: Sendable>(
    tasks: Int,
    _ elements: [Element],
    _ body: @escaping @Sendable (ArraySlice<Element>) async throws -> Int64
) throws -> Int64 {
    let share = (elements.count + tasks - 1) / tasks
    return try awaiting {
        try await withThrowingTaskGroup(of: Int64.self) { group in
            for start in stride(from: 0, to: elements.count, by: share) {
                let end = min(start + share, elements.count)
                group.addTask { try await body(elements[start..<end]) }
            }
            return try await group.reduce(0, +)
        }
    }
}

/// A folder that goes with this.
public final class Folder {
    private let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("Peers-\(UUID())")

    public init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The path of a file that isn't there yet.
    public func newPath(_ name: String) -> String {
        let path = url.appendingPathComponent(name).path
        try? FileManager.default.removeItem(atPath: path)
        return path
    }
}

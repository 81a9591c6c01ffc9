import Foundation

/// What is timed. Its result is a checksum, which is the same with every library.
public typealias Work = () throws -> Int64

/// A library, and how its own documents say that each workload is written.
///
/// A function does what isn't timed, as opening a database, and returns what is. A workload that
/// the library can't do is nil.
public protocol Peer {
    /// Opens a database in memory, reads one value, and closes it.
    static func openClose(_ count: Int) throws -> Work
    /// Reads one value with the same text each time.
    static func selectOne(_ count: Int) throws -> Work
    /// Reads one value with another text each time.
    static func distinctSQL(_ count: Int) throws -> Work
    /// Inserts rows in one transaction with a prepared statement.
    static func insertPrepared(_ count: Int) throws -> Work
    /// Inserts rows in one transaction with the call that takes SQL and values.
    static func insertRun(_ count: Int) throws -> Work
    /// Inserts rows in a file with an index, in the fastest way that the library has.
    static func bulk(_ count: Int) throws -> Work
    /// Reads a column of integers into an array.
    static func intsColumn(_ count: Int) throws -> Work
    /// Reads ten columns of integers by index.
    static func intsIndex(_ count: Int) throws -> Work
    /// Reads ten columns of integers by name.
    static func intsName(_ count: Int) throws -> Work
    /// Reads two columns of text.
    static func strings(_ count: Int) throws -> Work
    /// Reads blobs of 1,000 bytes as `Data`.
    static func blobs(_ count: Int) throws -> Work
    /// Reads rows into structs by an initialiser that is written by hand, by name.
    static func structs(_ count: Int) throws -> Work
    /// Reads rows into `Decodable` structs.
    static func decodables(_ count: Int) throws -> Work?
    /// Inserts `Encodable` structs.
    static func encodables(_ count: Int) throws -> Work?
    /// Reads dates that are stored as text.
    static func dates(_ count: Int) throws -> Work
    /// Reads one text by its key.
    static func pointReads(_ count: Int) throws -> Work
    /// Inserts rows in a file in WAL mode, each in its own transaction, with synchronous = NORMAL.
    static func commits(_ count: Int) throws -> Work
    /// Copies a database from file to file, 100 pages in a step, without waiting for the disk.
    static func backup(_ count: Int) throws -> Work
    /// Calls a function in Swift from SQL.
    static func functions(_ count: Int) throws -> Work?
    /// Reads one text by its key from a file in WAL mode, each in a transaction.
    static func reads(_ count: Int) throws -> Work?
    /// Does what `reads` does, each in an access that one of these tasks awaits. The C API doesn't
    /// await.
    static func awaitedReads(_ count: Int, tasks: Int) throws -> Work?
    /// Does what `commits` does, each in an access that one of these tasks awaits. The C API
    /// doesn't await.
    static func awaitedWrites(_ count: Int, tasks: Int) throws -> Work?
    /// Claims jobs of a queue, each in its own transaction, with synchronous = NORMAL.
    static func claims(_ count: Int) throws -> Work?
}

extension Peer {
    public static func decodables(_ count: Int) throws -> Work? { nil }
    public static func encodables(_ count: Int) throws -> Work? { nil }
    public static func functions(_ count: Int) throws -> Work? { nil }
    public static func reads(_ count: Int) throws -> Work? { nil }
    public static func awaitedReads(_ count: Int, tasks: Int) throws -> Work? { nil }
    public static func awaitedWrites(_ count: Int, tasks: Int) throws -> Work? { nil }
    public static func claims(_ count: Int) throws -> Work? { nil }

    /// By name, how many operations a run does at full size.
    private static var workloads: [(name: String, count: Int, make: (Int) throws -> Work?)] {
        [
            ("open-close", 500, openClose),
            ("select-1", 20_000, selectOne),
            ("distinct-sql", 5_000, distinctSQL),
            ("insert-prepared", 20_000, insertPrepared),
            ("insert-run", 20_000, insertRun),
            ("bulk", 50_000, bulk),
            ("ints-column", 100_000, intsColumn),
            ("ints-index", 20_000, intsIndex),
            ("ints-name", 10_000, intsName),
            ("strings", 20_000, strings),
            ("blobs", 20_000, blobs),
            ("structs", 20_000, structs),
            ("dates", 2_000, dates),
            ("point-reads", 10_000, pointReads),
            ("commits", 2_000, commits),
            ("backup", 2_000, backup),
            ("decodables", 5_000, decodables),
            ("encodables", 5_000, encodables),
            ("functions", 50_000, functions),
            ("reads", 2_000, reads),
            ("await-read", 2_000, { try awaitedReads($0, tasks: 1) }),
            ("await-read-8", 2_000, { try awaitedReads($0, tasks: 8) }),
            ("await-write", 2_000, { try awaitedWrites($0, tasks: 1) }),
            ("await-write-8", 2_000, { try awaitedWrites($0, tasks: 8) }),
            ("claims", 2_000, claims),
        ]
    }

    /// Measures the workloads, and prints a line of JSON for each.
    ///
    /// The first argument is the size of the work, from 0 to 1; the others are the only workloads
    /// to measure.
    public static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let scale = arguments.first.flatMap(Double.init) ?? 1
        let only = arguments.dropFirst()
        for (name, fullCount, make) in workloads where only.isEmpty || only.contains(name) {
            let count = max(1, Int(Double(fullCount) * scale))
            guard let work = try make(count) else { continue }
            let (nanoseconds, checksum) = try best(of: 10, work)
            let time = nanoseconds / Double(count)
            print(#"{"workload": "\#(name)", "time": \#(time), "checksum": \#(checksum)}"#)
        }
    }
}

/// The shortest time of these runs, in nanoseconds. What else the machine does only adds to it.
private func best(of runs: Int, _ work: Work) throws -> (nanoseconds: Double, checksum: Int64) {
    var shortest = Duration.seconds(1_000_000)
    var checksum = try work()
    for _ in 0..<runs {
        let time = try ContinuousClock().measure {
            checksum = try work()
        }
        shortest = min(shortest, time)
    }
    return (shortest / .nanoseconds(1), checksum)
}

import Foundation
import Testing

@testable import SQift

/// Fills a database with a table `t(id, x)` of so many rows, four of which take a page of 4096
/// bytes, and an index.
func fill(_ connection: Connection, rows: Int = 100, with text: String = "row") throws {
    try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE INDEX i ON t(x)")
    try connection.run(
        "INSERT INTO t " + numbers(to: rows, selecting: "n, '\(text)' || n || hex(zeroblob(450))")
    )
}

/// Makes a file with such a database in it.
@discardableResult
func makeFile(
    at path: String,
    rows: Int = 100,
    with text: String = "row",
    setup: String = "PRAGMA journal_mode = DELETE"
) throws -> Connection {
    let connection = try Connection(path: path)
    try connection.execute("PRAGMA synchronous = OFF; \(setup)")
    try fill(connection, rows: rows, with: text)
    return connection
}

/// All rows of `t`.
func texts(_ connection: Connection) throws -> [String] {
    try connection.query("SELECT id || ' ' || x FROM t ORDER BY id")
}

/// Expects that a database has the same rows as another one, and is sound.
func expectSame(
    _ connection: Connection,
    _ other: Connection,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let (found, expected) = try (texts(connection), texts(other))
    #expect(found == expected, sourceLocation: sourceLocation)
    let problems = try connection.integrityCheck()
    #expect(problems.isEmpty, "\(problems)", sourceLocation: sourceLocation)
}

/// The `BackupError` that `body` throws.
@discardableResult
func backupError(
    _ body: () throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
) -> BackupError? {
    expectThrows(BackupError.self, body, sourceLocation: sourceLocation)
}

/// What a folder's files are called and hold.
func contents(of folder: URL) throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        let url = folder.appendingPathComponent(name)
        // Not by Data(contentsOf:), which leaks a buffer for an empty file on Linux.
        found[name] = (try? FileHandle(forReadingFrom: url).readToEnd()) ?? Data()
    }
    return found
}

/// A file's permissions.
func permissions(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
}

/// Puts bytes in the place of a file's own.
func overwrite(_ path: String, at offset: Int, with bytes: Data) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64(offset))
    try file.write(contentsOf: bytes)
    try file.close()
}

/// Empties a page of the index on `t` in a file that nobody has open: reading `t` doesn't notice.
func damageIndex(_ path: String) throws {
    let (root, pageSize): (Int, Int) = try {
        let connection = try Connection(path: path)
        let root: Int = try connection.query("SELECT rootpage FROM sqlite_schema WHERE name = 'i'")
        return try (root, connection.query("PRAGMA page_size"))
    }()
    // A leaf of an index without a cell.
    let emptyLeaf = Data([10, 0, 0, 0, 0, UInt8(pageSize >> 8 & 0xff), UInt8(pageSize & 0xff), 0])
    try overwrite(path, at: (root - 1) * pageSize, with: emptyLeaf)
}

/// Hands what isn't `Sendable` to another thread, which alone uses it from then on.
struct Handed<Value>: @unchecked Sendable {
    let value: Value
}

/// An error that a progress closure throws.
struct Enough: Error, Equatable {}

/// A disk of one megabyte, unmounted with the last reference to it.
final class SmallDisk {
    let path: String

    init(in folder: DatabaseFolder) throws {
        path = folder.path("disk")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let isMounted = try Self.run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", path)
        try #require(isMounted)
    }

    deinit {
        _ = try? Self.run("umount", "-l", path)
    }

    static let canBeMade: Bool = {
        guard getuid() == 0, let folder = try? DatabaseFolder(),
            let isThere = try? run("mount", "--version"), isThere
        else { return false }
        return (try? run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.url.path)) == true
            && (try? run("umount", folder.url.path)) == true
    }()

    /// Whether a command succeeds.
    private static func run(_ arguments: String...) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}

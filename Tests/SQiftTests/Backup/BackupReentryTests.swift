import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Backups inside a loop over rows, and inside a function.
struct BackupReentryTests {
    private let folder = TemporaryFolder.fresh
    private let source: Connection
    private let destination: Connection
    /// It reads no table, so SQLite itself would let a backup begin.
    private let loop = numbers(to: 3)

    init() throws {
        source = try Connection.withTable(rows: 1, 2, 3, path: folder.path())
        destination = try Connection.withTable(rows: 7)
    }

    private static func expectRefusal(
        _ body: () throws -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = sqliteError(body, sourceLocation: sourceLocation)
        #expect(error?.resultCode == .misuse, sourceLocation: sourceLocation)
        #expect(error?.message.contains("WITH RECURSIVE") == true, sourceLocation: sourceLocation)
    }

    @Test func aDestinationIsRefusedWhileItsRowsAreRead() throws {
        var seen: [Int] = []
        try destination.forEachRow(loop) { row in
            seen.append(try row.get(0))
            Self.expectRefusal { try source.backup(to: destination) }
            Self.expectRefusal { _ = try Backup(from: source, to: destination) }
        }
        #expect(seen == [1, 2, 3])
        #expect(try values(on: destination) == [7])
        try source.backup(to: destination)
        #expect(try values(on: destination) == [1, 2, 3])
    }

    @Test func aDestinationIsRefusedInItsOwnFunction() throws {
        try destination.addFunction(named: "f") {
            [source, unowned destination] (i: Int) throws -> Int in
            Self.expectRefusal { try source.backup(to: destination) }
            return i
        }
        #expect(try destination.query(numbers(to: 3, selecting: "f(n)")) == [1, 2, 3])
        #expect(try values(on: destination) == [7])
    }

    @Test(arguments: ["delete", "wal"])
    func aSourceIsCopiedWhileItsRowsAreRead(journalMode: String) throws {
        try source.execute("PRAGMA journal_mode = \(journalMode)")
        try source.addFunction(named: "f") {
            [unowned source, destination] (i: Int) throws -> Int in
            try source.backup(to: destination)
            return i
        }
        var seen: [Int] = []
        try source.forEachRow("SELECT x FROM t ORDER BY x") { row in
            seen.append(try row.get(0))
            try source.backup(to: destination)
        }
        let found: [Int] = try source.query("SELECT f(x) FROM t ORDER BY x")
        #expect(seen == [1, 2, 3])
        #expect(found == [1, 2, 3])
        #expect(try values(on: destination) == [1, 2, 3])
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

private func rows(in reader: any DatabaseReader) throws -> [Int] {
    try reader.read { try $0.query("SELECT x FROM t ORDER BY x") }
}

private func awaitRows(in reader: any DatabaseReader) async throws -> [Int] {
    try await reader.read { try $0.query("SELECT x FROM t ORDER BY x") }
}

private func add(_ number: Int, to writer: any DatabaseWriter) throws {
    try writer.write { try $0.run("INSERT INTO t VALUES(?)", number) }
    try writer.writeWithoutTransaction { try $0.run("INSERT INTO t VALUES(?)", number + 1) }
}

private func awaitAdding(_ number: Int, to writer: some DatabaseWriter) async throws {
    try await writer.write { try $0.run("INSERT INTO t VALUES(?)", number) }
    let added = try await writer.writeWithoutTransaction { connection in
        try connection.run("INSERT INTO t VALUES(?)", number + 1)
    }
    #expect(added == 1)
}

/// A reader of one's own.
private struct CountingReader: DatabaseReader {
    let database: Database
    let count = SharedCount()

    var readers: AccessLine {
        count.add(1)
        return database.readers
    }
}

/// Functions that take whatever reads, or writes.
struct DatabaseReaderTests {
    private let folder = TemporaryFolder.fresh
    private let database: Database
    private let queue: ConnectionQueue

    init() throws {
        database = try Database(path: folder.path())
        queue = ConnectionQueue(connection: try Connection())
        for writer in [queue, database] as [any DatabaseWriter] {
            try writer.write { try $0.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)") }
        }
    }

    private func readers() throws -> [any DatabaseReader] {
        let pool = ConnectionPool(storageLocation: .onDisk(folder.path()))
        return [queue, pool, database, try database.snapshot()]
    }

    @Test func whateverReadsCanBeRead() async throws {
        for reader in try readers() {
            try #expect(rows(in: reader) == [1])
            try await #expect(awaitRows(in: reader) == [1])
        }
    }

    @Test func whateverReadsRefusesToWrite() throws {
        for reader in try readers() {
            expectSQLiteError(.readOnly) {
                try reader.read { try $0.execute("CREATE TABLE other(x)") }
            }
        }
    }

    @Test func whateverWritesCanBeWritten() async throws {
        for writer in [queue, database] as [any DatabaseWriter] {
            try add(2, to: writer)
            try await awaitAdding(4, to: writer)
            try #expect(rows(in: writer) == [1, 2, 3, 4, 5])
        }
    }

    @Test func aReaderOfOnesOwnHandsOnTheLineOfAnother() async throws {
        let reader = CountingReader(database: database)
        try #expect(rows(in: reader) == [1])
        try await #expect(awaitRows(in: reader) == [1])
        #expect(reader.count.add(0) == 2)
    }
}

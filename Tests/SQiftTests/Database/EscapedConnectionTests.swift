import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    /// A connection works only while it is lent: between two accesses, what has escaped from a
    /// closure behaves as that of a closed connection.
    struct EscapedConnectionTests {
        private let folder = TemporaryFolder.fresh

        private static let uses: [(String, @Sendable (Connection) throws -> Void)] = [
            ("run", { try $0.run("INSERT INTO t VALUES(2)") }),
            ("execute", { try $0.execute("BEGIN IMMEDIATE") }),
            ("query", { _ = try $0.query("SELECT 1") as Int }),
            ("forEachRow", { try $0.forEachRow("SELECT 1") { _ in } }),
            ("cursor", { _ = try $0.cursor("SELECT 1") }),
            ("prepare", { _ = try $0.prepare("SELECT 1") }),
            ("transaction", { try $0.transaction {} }),
            ("savepoint", { try $0.savepoint {} }),
            ("close", { try $0.close() }),
            ("withUnsafeHandle", { try $0.withUnsafeHandle { _ in } }),
            ("attachDatabase", { try $0.attachDatabase(from: .inMemory, withName: "other") }),
            ("detachDatabase", { try $0.detachDatabase(named: "other") }),
            ("openBlob", { _ = try $0.openBlob(table: "t", column: "x", rowID: 1) }),
            ("checkpoint", { try $0.checkpoint() }),
            ("serialize", { _ = try $0.serialize() }),
            ("backup", { try $0.backup(to: Connection()) }),
            ("restore", { try Connection().backup(to: $0) }),
            ("integrityCheck", { _ = try $0.integrityCheck() }),
            ("tableExists", { _ = try $0.tableExists("t") }),
            ("addFunction", { try $0.addFunction(named: "f") { (x: Int) in x } }),
            ("addCollation", { try $0.addCollation(named: "c") { _, _ in .orderedSame } }),
            ("vacuum", { try $0.vacuum(into: .onDisk("nowhere/copy.sqlite")) }),
            ("migrate", { try Migrator(connection: $0, migrations: []).run() }),
        ]

        private func expectUnusable(_ connection: Connection?) throws {
            let connection = try #require(connection)
            for (name, use) in Self.uses where name != "serialize" || Capability.serialization {
                let error = sqliteError { try use(connection) }
                #expect(error?.resultCode == .misuse, "\(name)")
                #expect(
                    error?.message.contains("the closure that it was lent to has ended") == true,
                    "\(name): \(error?.message ?? "")"
                )
            }
            #expect(!connection.isInsideTransaction)
            #expect(connection.totalChanges == 0)
            #expect(connection.lastInsertRowID == 0)
            #expect(connection.fileName.isEmpty)
            // These work always.
            connection.interrupt()
            connection.interruptHandle.interrupt()
        }

        @Test(arguments: DatabaseAccess.allCases)
        func nothingRunsOnIt(access: DatabaseAccess) throws {
            let database = try folder.openWithTable()
            try database.add(1)
            nonisolated(unsafe) var escaped: Connection?
            for _ in 0..<2 {
                try access.run(on: database) { escaped = $0 }
                try expectUnusable(escaped)
            }

            escaped = nil
            try expectRows(1, in: database)
            try database.add(2)
            try database.close()
            try folder.expectFiles("test.sqlite")
        }

        @Test func norOnThatOfAnAwaitedClosureAPoolOrASnapshot() async throws {
            let database = try folder.openWithTable()
            let snapshot = try await database.snapshot()
            let pool = ConnectionPool(storageLocation: .onDisk(folder.path()))
            nonisolated(unsafe) var escaped: [Connection] = []
            try await database.read { escaped.append($0) }
            try await database.write { escaped.append($0) }
            try await snapshot.read { escaped.append($0) }
            try await pool.read { escaped.append($0) }
            for connection in escaped {
                try expectUnusable(connection)
            }
            try expectRows(0, in: snapshot)
            try expectRows(0, in: database)
        }

        @Test func norOnThatOfAPreparation() throws {
            nonisolated(unsafe) var escaped: [Connection] = []
            let database = try folder.openWithTable()
            database.prepareConnections { escaped.append($0) }
            try expectRows(0, in: database)
            try database.add(1)
            #expect(escaped.count == 2)
            for connection in escaped {
                try expectUnusable(connection)
            }
        }

        @Test func aStatementRunsInLaterAccessesOnly() throws {
            let database = try folder.openWithTable()
            nonisolated(unsafe) var escaped: Statement?
            try database.write { escaped = try $0.prepare("INSERT INTO t VALUES(?)") }
            let statement = try #require(escaped)
            for value in 1...2 {
                for use in [
                    { _ = try statement.bind(value) }, { try statement.run() },
                    { _ = try statement.query() as Int? },
                    { try statement.withUnsafeHandle { _ in } },
                ] as [() throws -> Void] {
                    expectSQLiteError(.misuse, containing: "has ended") { try use() }
                }
                #expect(!statement.isBusy)
                #expect(statement.expandedSQL == nil)
                try database.write { _ in try statement.bind(value).run() }
            }
            try expectRows(2, in: database)

            // It keeps the connection from being closed, and can be released at any time.
            expectSQLiteError(.busy) { try database.close() }
            escaped = nil
        }

        @Test func aBlobIsOnlyClosed() throws {
            let database = try folder.openWithTable()
            try database.run("INSERT INTO t VALUES('abc')")
            nonisolated(unsafe) var escaped: Blob?
            try database.read {
                escaped = try $0.openBlob(table: "t", column: "x", rowID: 1, readOnly: true)
            }
            let blob = try #require(escaped)
            expectSQLiteError(.misuse, containing: "has ended") { try blob.read(at: 0, count: 1) }
            #expect(blob.count == 0)
            try blob.close()
            try database.close()
        }

        @Test func aBackupOntoItIsOnlyFinished() throws {
            let source = try Connection()
            try source.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)")
            let database = try Database(path: folder.path(), configuration: .sqift5)
            nonisolated(unsafe) var escaped: Backup?
            try database.executeWrite { escaped = try Backup(from: source, to: $0) }
            let backup = try #require(escaped)
            expectSQLiteError(.misuse, containing: "has ended") { try backup.step() }
            try backup.finish()
            try database.executeWrite { try $0.execute("CREATE TABLE u(x)") }
        }

        /// The program's own connection stays its own.
        @Test func aConnectionThatAQueueGotStaysUsable() throws {
            let queue = ConnectionQueue(connection: try Connection())
            nonisolated(unsafe) var own: Connection?
            try queue.execute { own = $0 }
            try own?.execute("CREATE TABLE t(x)")
            try queue.execute { try $0.run("INSERT INTO t VALUES(1)") }
            #expect(try own?.query("SELECT count(*) FROM t") == 1)
        }
    }
}

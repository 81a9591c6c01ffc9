import Foundation
import SQift
import SQiftTestSupport
import Testing

/// What another process leaves that dies in the middle of a transaction, without a WAL.
extension DatabaseSuites {
    struct DatabaseJournalTests {
        private let folder = TemporaryFolder.fresh

        private func open(_ mode: Database.Configuration.JournalMode = .delete) throws -> Database {
            let database = try folder.open { $0.journalMode = mode }
            try database.write { connection in
                try connection.execute("CREATE TABLE t(x)")
                try connection.run("INSERT INTO t \(numbers(to: 100, selecting: "zeroblob(1000)"))")
            }
            return database
        }

        /// Puts the file and the journal there that a process leaves when it is killed in a
        /// transaction that has changed every row.
        private func leaveUnfinishedTransaction() throws {
            let file = URL(fileURLWithPath: folder.path())
            let journal = URL(fileURLWithPath: folder.path("test.sqlite-journal"))
            let other = try folder.connection()
            // SQLite writes to the file within the transaction where its cache is too small.
            try other.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE t SET x = 1")
            let unfinished = try (Data(contentsOf: file), Data(contentsOf: journal))
            try other.execute("ROLLBACK")
            try other.close()

            // In place: the database has the file open.
            let handle = try FileHandle(forWritingTo: file)
            try handle.write(contentsOf: unfinished.0)
            try handle.close()
            try unfinished.1.write(to: journal)
        }

        private func blobs(_ connection: Connection) throws -> Int {
            try connection.query("SELECT count(*) FROM t WHERE typeof(x) = 'blob'")
        }

        @Test(
            arguments: [DatabaseAccess.read, .executeRead, .poolRead, .poolExecute, .write],
            [true, false]
        )
        func itIsUndoneBeforeARead(access: DatabaseAccess, hasReaders: Bool) throws {
            let database = try open()
            if hasReaders {
                try expectRows(100, in: database)
            }
            try leaveUnfinishedTransaction()

            #expect(try access.run(on: database, blobs) == 100)
            #expect(try database.read(blobs) == 100)
            #expect(try !folder.files().contains("test.sqlite-journal"))
        }

        @Test func itIsUndoneInTheMiddleOfAClosure() throws {
            let database = try open()
            let counts = try database.executeRead { connection in
                let before = try blobs(connection)
                try leaveUnfinishedTransaction()
                return [before, try blobs(connection)]
            }
            #expect(counts == [100, 100])
        }

        @Test func itIsUndoneBeforeABlobIsRead() throws {
            let database = try open()
            try database.executeRead { connection in
                #expect(try blobs(connection) == 100)
                try leaveUnfinishedTransaction()
                let blob = try connection.openBlob(
                    table: "t",
                    column: "x",
                    rowID: 1,
                    readOnly: true
                )
                #expect(blob.count == 1000)
                try blob.close()
            }
        }

        @Test func itIsUndoneWhereTheLocationIsAURIThatMayCreateTheFile() throws {
            try open().close()
            var configuration = Database.Configuration()
            configuration.journalMode = .delete
            let database = try Database(
                storageLocation: .uri("file://\(folder.path())?mode=rwc"),
                configuration: configuration
            )
            try leaveUnfinishedTransaction()
            #expect(try database.read(blobs) == 100)
        }

        @Test func aBackupThatHasOneIsNamedWhenItIsRestored() throws {
            try open().close()
            try leaveUnfinishedTransaction()
            let other = try Database.inMemory()
            expectSQLiteError(extended: .readOnlyRollback, containing: folder.path()) {
                try other.restore(from: folder.path())
            }
        }

        @Test func itIsUndoneByABackup() throws {
            let database = try open()
            try leaveUnfinishedTransaction()
            try database.backup(to: folder.path("copy.sqlite"))
            #expect(try blobs(Connection(path: folder.path("copy.sqlite"))) == 100)
        }

        @Test func whatMayNotWriteLeavesItToOthers() throws {
            try open().close()
            try leaveUnfinishedTransaction()
            var readOnly = Connection.Configuration()
            readOnly.readOnly = true
            let connection = try Connection(path: folder.path(), configuration: readOnly)
            expectSQLiteError(extended: .readOnlyRollback) { _ = try blobs(connection) }
            expectSQLiteError(extended: .readOnlyRollback) {
                _ = try folder.open { $0.accessMode = .readOnly() }
            }
            #expect(try folder.files().contains("test.sqlite-journal"))
        }
    }
}

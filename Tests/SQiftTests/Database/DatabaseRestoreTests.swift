// `Locked` is the library's own.
import CSQift
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

/// What `Database.restore` makes of a database.
extension DatabaseSuites {
    struct DatabaseRestoreTests {
        private let folder = TemporaryFolder.fresh
        private let target = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.open()
            try database.write { try fill($0, rows: 7, with: "old") }
        }

        private var path: String { target.path("backup.sqlite") }

        /// Expects that the database is the same as the backup, to the database itself and to
        /// others.
        private func expectRestored(sourceLocation: SourceLocation = #_sourceLocation) throws {
            let expected = try texts(Connection(path: path))
            for connection in [try folder.connection()] {
                #expect(try texts(connection) == expected, sourceLocation: sourceLocation)
                try expectSound(connection, sourceLocation: sourceLocation)
            }
            try database.read { connection in
                let found = try texts(connection)
                #expect(found == expected, sourceLocation: sourceLocation)
            }
            try database.write { connection in
                let found = try texts(connection)
                #expect(found == expected, sourceLocation: sourceLocation)
                try connection.run("INSERT INTO t(x) VALUES('after')")
                try connection.run("DELETE FROM t WHERE x = 'after'")
            }
        }

        @Test func theDatabaseIsTheSameAsTheBackupAfterwards() throws {
            try makeFile(at: path, rows: 100).close()
            try database.restore(from: path)
            try expectRestored()
            #expect(try folder.files().filter { !$0.hasPrefix("test.sqlite") } == [])
        }

        @Test func theAsynchronousFormDoesTheSame() async throws {
            try makeFile(at: path, rows: 100).close()
            let notes = SharedNotes<Backup.Progress>()
            try await database.restore(from: .onDisk(path), pagesPerStep: 5) { notes.note($0) }
            #expect(notes.all.last?.fractionCompleted == 1)
            #expect(notes.all.count > 3)
            try await onThread { try expectRestored() }
        }

        @Test func whatWasBackedUpComesBack() async throws {
            let before = try await database.read { try texts($0) }
            try await database.backup(to: path)
            try await database.execute("DROP TABLE t; CREATE TABLE other(x)")
            try await database.restore(from: path)
            let after = try await database.read { try texts($0) }
            #expect(after == before)
            let isThere = try await database.read { try $0.tableExists("other") }
            #expect(!isThere)
        }

        @Test(
            arguments: ["WAL", "DELETE"],
            [Database.Configuration.JournalMode.wal, .delete, .persist]
        )
        func theJournalModeStays(mode: String, own: Database.Configuration.JournalMode) async throws
        {
            try await database.close()
            let database = try folder.open { $0.journalMode = own }
            try makeFile(at: path, rows: 100, setup: "PRAGMA journal_mode = \(mode)").close()
            try await database.restore(from: path)
            for _ in 0..<2 {
                try await database.run("INSERT INTO t(x) VALUES(1)")
                let found = try await database.writeWithoutTransaction {
                    try $0.query("PRAGMA journal_mode") as String
                }
                #expect(found == own.rawValue)
            }
            let other: String = try folder.connection().query("PRAGMA journal_mode")
            #expect((other == "wal") == (own == .wal))
            try expectSound(folder.connection())
            try await database.close()
        }

        @Test(arguments: [512, 1024, 65536], [Database.Configuration.JournalMode.wal, .delete])
        func anotherPageSizeIsAdapted(
            size: Int,
            mode: Database.Configuration.JournalMode
        ) async throws {
            try await database.close()
            let database = try folder.open { $0.journalMode = mode }
            let backup = try makeFile(at: path, rows: 100, setup: "PRAGMA page_size = \(size)")
            try backup.execute(
                "CREATE TABLE u(x); INSERT INTO u(rowid, x) VALUES(10, 'a'), (-5, 'b'), (1000000, 'c')"
            )
            try backup.execute(
                "PRAGMA user_version = 42; PRAGMA application_id = 7; DELETE FROM t WHERE id % 3 = 0"
            )
            try backup.execute(
                "CREATE VIEW v AS SELECT * FROM u; CREATE TABLE s(a INTEGER PRIMARY KEY AUTOINCREMENT)"
            )
            try backup.execute("INSERT INTO s VALUES(77); DELETE FROM s")
            let expected = try texts(backup)
            try backup.close()
            try await database.restore(from: path)
            try await database.writeWithoutTransaction { connection in
                #expect(try texts(connection) == expected)
                let (pageSize, version, application): (Int, Int, Int) = try (
                    connection.query("PRAGMA page_size"), connection.query("PRAGMA user_version"),
                    connection.query("PRAGMA application_id")
                )
                let settings = [pageSize, version, application]
                #expect(settings == [4096, 42, 7])
                let rowIDs: [Int64] = try connection.query("SELECT rowid FROM u ORDER BY rowid")
                #expect(rowIDs == [-5, 10, 1_000_000])
                let sequence: Int = try connection.query(
                    "SELECT seq FROM sqlite_sequence WHERE name = 's'"
                )
                #expect(sequence == 77)
            }
            try expectSound(folder.connection())
            #expect(try folder.files().filter { !$0.hasPrefix("test.sqlite") } == [])
            try target.expectFiles("backup.sqlite")
        }

        @Test(
            arguments: ["WAL", "DELETE"],
            [Database.Configuration.JournalMode.wal, .delete]
        )
        func anotherPageSizeIsAdaptedWhateverTheBackupsJournal(
            mode: String,
            own: Database.Configuration.JournalMode
        ) async throws {
            try await database.close()
            let database = try folder.open { $0.journalMode = own }
            // What the adapted copy needs to be written.
            let register: @Sendable (Connection) throws -> Void = { connection in
                try connection.addCollation(named: "backwards") { one, other in other.compare(one) }
            }
            database.prepareConnections(register)
            let setup = "PRAGMA page_size = 1024; PRAGMA journal_mode = \(mode)"
            let backup = try makeFile(at: path, setup: setup)
            try register(backup)
            try backup.execute(
                """
                CREATE TABLE parts(name TEXT COLLATE backwards, UNIQUE(name));
                INSERT INTO parts VALUES('bolt'), ('nut'), ('screw')
                """
            )
            let expected = try texts(backup)
            try backup.close()
            try await database.restore(from: path)
            try await database.writeWithoutTransaction { connection in
                #expect(try texts(connection) == expected)
                #expect(
                    try connection.query("SELECT name FROM parts ORDER BY name") == [
                        "screw", "nut", "bolt",
                    ]
                )
                let (size, journal): (Int, String) = try (
                    connection.query("PRAGMA page_size"), connection.query("PRAGMA journal_mode")
                )
                #expect(size == 4096)
                #expect(journal == own.rawValue)
                try expectSound(connection)
            }
            #expect(try folder.files().filter { !$0.hasPrefix("test.sqlite") } == [])
            try await database.close()
        }

        @Test func aReaderThatRefusesToWriteIsNoHindrance() async throws {
            try await database.close()
            let database = try folder.open { configuration in
                configuration.readerConnectionPreparation = {
                    try $0.execute("PRAGMA query_only = ON")
                }
            }
            for size in [1024, 4096] {
                let path = target.path("\(size).sqlite")
                try makeFile(at: path, rows: size, setup: "PRAGMA page_size = \(size)").close()
                try await database.restore(from: path)
                try expectRows(size, in: database)
            }
        }

        @Test func aLargerAndASmallerBackupFit() async throws {
            for rows in [1000, 1, 300] {
                try makeFile(at: path, rows: rows).close()
                try await database.restore(from: path)
                try await onThread { try expectRestored() }
                try FileManager.default.removeItem(atPath: path)
            }
        }

        @Test func rowIDsAreKept() async throws {
            let backup = try Connection(path: path)
            try backup.execute(
                "CREATE TABLE u(x); INSERT INTO u(rowid, x) VALUES(10, 'a'), (-5, 'b'), (1000000, 'c')"
            )
            try backup.close()
            try await database.restore(from: path)
            try expectAnswer(
                [-5, 10, 1_000_000],
                to: "SELECT rowid FROM u ORDER BY rowid",
                from: database
            )
        }

        @Test func aBackupWithItsWALIsRestoredAndNotChanged() async throws {
            let other = try TemporaryFolder()
            let origin = try makeFile(
                at: other.path(),
                setup: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0"
            )
            try origin.run("DELETE FROM t WHERE id > 60")
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: other.path("test.sqlite" + suffix),
                    toPath: path + suffix
                )
            }
            let before = try (
                bytes(of: path),
                bytes(of: path + "-wal")
            )
            try await database.restore(from: path)
            #expect(try bytes(of: path) == before.0)
            #expect(try bytes(of: path + "-wal") == before.1)
            let found = try await database.read { try texts($0) }
            #expect(try found == texts(origin))
        }

        @Test(arguments: [4096, 1024], ["WAL", "DELETE"])
        func theBackupIsOnlyRead(size: Int, mode: String) async throws {
            try makeFile(
                at: path,
                setup: "PRAGMA page_size = \(size); PRAGMA journal_mode = \(mode)"
            ).close()
            let before = try bytes(of: path)
            let date =
                try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            try await database.restore(from: path)
            #expect(try bytes(of: path) == before)
            #expect(
                try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
                    == date
            )
            // SQLite reads a file in WAL mode through these, and leaves them, empty, if it can't
            // write.
            let sidecars = ["backup.sqlite-shm", "backup.sqlite-wal"]
            #expect(
                try target.files().filter { mode != "WAL" || !sidecars.contains($0) } == [
                    "backup.sqlite"
                ]
            )
            try await onThread { try expectRestored() }
        }

        @Test func aBackupThatIsOpenElsewhereIsRestored() async throws {
            let other = try makeFile(at: path, setup: "PRAGMA journal_mode = WAL")
            try await database.restore(from: path)
            let found = try await database.read { try texts($0) }
            #expect(try found == texts(other))
            try other.run("INSERT INTO t(x) VALUES(1)")
        }

        @Test func aNewDatabaseIsRestored() async throws {
            try makeFile(at: path).close()
            let new = try Database(path: target.path("new.sqlite"))
            try await new.restore(from: .onDisk(path))
            let found = try await new.read { try texts($0) }
            #expect(try found == texts(Connection(path: path)))
            try await new.close()
        }

        @Test func aURIIsABackupToo() async throws {
            try makeFile(at: path).close()
            try await database.restore(from: .uri("file:\(path)?mode=ro&immutable=1"))
            try await onThread { try expectRestored() }
        }

        @Test func statementsSeeTheNewSchema() async throws {
            let names = Locked<[[String]]>([])
            func note() async throws {
                try await database.read { connection in
                    let found =
                        try connection.query("SELECT * FROM t LIMIT 1") { row in row.columnNames }
                        ?? []
                    names.withLock { $0.append(found) }
                }
                try await database.writeWithoutTransaction { connection in
                    let found =
                        try connection.query("SELECT * FROM t LIMIT 1") { row in row.columnNames }
                        ?? []
                    names.withLock { $0.append(found) }
                }
            }
            try await note()
            let backup = try makeFile(at: path)
            try backup.execute(
                "ALTER TABLE t ADD COLUMN extra DEFAULT 5; CREATE INDEX more ON t(extra)"
            )
            try backup.close()
            try await database.restore(from: path)
            try await note()
            try await database.run("INSERT INTO t(x, extra) VALUES(1, 2)")
            let found = names.withLock { $0 }
            #expect(
                found == [["id", "x"], ["id", "x"], ["id", "x", "extra"], ["id", "x", "extra"]]
            )
        }

        @Test func theWritersSettingsStay() async throws {
            try makeFile(at: path).close()
            database.prepareConnections { connection in
                try connection.addFunction(named: "twice") { (number: Int) -> Int in 2 * number }
            }
            let settings: @Sendable (Connection) throws -> [Int] = { connection in
                try [
                    "PRAGMA foreign_keys", "PRAGMA synchronous", "PRAGMA journal_size_limit",
                    "SELECT twice(4)",
                ].map {
                    try connection.query($0)
                }
            }
            let before = try await database.writeWithoutTransaction(settings)
            try await database.restore(from: path)
            #expect(try await database.writeWithoutTransaction(settings) == before)
            #expect(try await database.read(settings).last == 8)
        }
    }
}

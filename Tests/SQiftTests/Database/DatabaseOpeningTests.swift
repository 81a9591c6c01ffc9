import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    struct DatabaseOpeningTests {
        private let folder = TemporaryFolder.fresh

        @Test func severalThreadsThatOpenANewFileAtOnceAllGetAWAL() throws {
            for round in 0..<20 {
                let path = folder.path("\(round).sqlite")
                let barrier = Barrier(of: 6)
                let threads = (0..<6).map { number in
                    Worker { () -> String in
                        barrier.wait()
                        let database = try Database(path: path)
                        try database.write { connection in
                            try connection.execute("CREATE TABLE IF NOT EXISTS t(x)")
                            try add(number, on: connection)
                        }
                        return try database.read { try $0.query("PRAGMA journal_mode") }
                    }
                }
                for value in try threads.values() {
                    #expect(value == "wal")
                }
                #expect(try rows(Database(path: path)) == 6)
            }
        }

        #if os(Linux)
            private static let opening = "theOtherProcessOpensNewFiles"
            private static let roundCount = 100

            /// Opens one new file after the other, each at the same moment as the other process.
            ///
            /// - Returns: The journal modes that were found.
            private static func openFiles(
                in folder: String,
                as name: String,
                with other: String
            ) throws -> Set<String> {
                var modes: Set<String> = []
                for round in 0..<roundCount {
                    try Data().write(to: URL(fileURLWithPath: "\(folder)/\(name)-\(round)"))
                    // Without a pause: both processes are to begin at the same moment.
                    let deadline = Date() + patience
                    while access("\(folder)/\(other)-\(round)", F_OK) != 0 {
                        guard Date() < deadline else {
                            throw TestError(reason: "the other process isn't there")
                        }
                    }
                    let database = try Database(path: "\(folder)/\(round).sqlite")
                    modes.insert(try database.executeWrite { try $0.query("PRAGMA journal_mode") })
                }
                return modes
            }

            @Test func twoProcessesThatOpenANewFileAtOnceBothGetAWAL() throws {
                let process = try OtherProcess(running: Self.opening, with: folder.url.path)
                #expect(
                    try Self.openFiles(in: folder.url.path, as: "one", with: "other") == ["wal"]
                )
                #expect(process.hasPassed())
            }

            @Test(.otherProcess(opening)) func theOtherProcessOpensNewFiles() throws {
                let folder = try #require(OtherProcess.argument(of: Self.opening))
                #expect(try Self.openFiles(in: folder, as: "other", with: "one") == ["wal"])
            }
        #endif
    }

    /// The initialisers that SQift 5.1 had.
    struct DatabaseOfOldTests {
        private let folder = TemporaryFolder.fresh

        private static let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
            | SQLITE_OPEN_PRIVATECACHE

        @available(*, deprecated)
        private func open(withFlags: Bool) throws -> Database {
            let location = StorageLocation.onDisk(folder.path())
            return try withFlags
                ? Database(storageLocation: location, flags: Self.flags)
                : Database(storageLocation: location)
        }

        @available(*, deprecated)
        @Test(arguments: [false, true], ["delete", "wal"])
        func theyLeaveTheJournalModeAndForeignKeysAlone(withFlags: Bool, mode: String) throws {
            try folder.connection().execute("PRAGMA journal_mode = \(mode); CREATE TABLE t(x)")
            let database = try open(withFlags: withFlags)
            try database.executeWrite { try add(1, on: $0) }
            let modes: [String] = try onEveryConnection(of: database) {
                try $0.query("PRAGMA journal_mode")
            }
            #expect(modes == [mode, mode, mode, mode])
            for pragma in ["foreign_keys", "synchronous", "trusted_schema"] {
                let values: [Int] = try onEveryConnection(of: database) {
                    try $0.query("PRAGMA \(pragma)")
                }
                let standard: Int = try folder.connection().query("PRAGMA \(pragma)")
                #expect(values == [standard, standard, standard, standard], "\(pragma)")
            }
        }

        @available(*, deprecated)
        @Test(arguments: [false, true]) func theyHaveTheSettingsOfTheConfiguration(
            withFlags: Bool
        ) throws {
            let pragmas = ["journal_mode", "foreign_keys", "synchronous", "journal_size_limit"]
            func settings(of database: Database) throws -> [[BindingValue]] {
                try onEveryConnection(of: database) { connection in
                    try pragmas.map { try connection.query("PRAGMA \($0)") }
                }
            }
            let old = try settings(of: open(withFlags: withFlags))
            let configured = try Database(path: folder.path(), configuration: .sqift5)
            #expect(try settings(of: configured) == old)
        }

        @available(*, deprecated)
        @Test func flagsThatOnlyReadOpenAReaderAsWriter() throws {
            try folder.connection().execute("CREATE TABLE t(x)")
            let database = try Database(
                storageLocation: .onDisk(folder.path()),
                flags: SQLITE_OPEN_READONLY
            )
            try expectRows(0, in: database)
            expectSQLiteError(.readOnly) { try database.executeWrite { try add(1, on: $0) } }
        }

        @available(*, deprecated)
        @Test(arguments: [false, true]) func aNewFileHasNoWALAndItsReadersOnlyRead(
            withFlags: Bool
        ) throws {
            let database = try open(withFlags: withFlags)
            try database.executeWrite { try $0.execute("CREATE TABLE t(x)") }
            let mode: String = try database.executeRead { try $0.query("PRAGMA journal_mode") }
            #expect(mode == "delete")
            try folder.expectFiles("test.sqlite")

            let readOnly = try onEveryConnection(of: database) { $0.readOnly }
            #expect(readOnly == [false, true, true, true])
            expectSQLiteError(.readOnly) { try database.executeRead { try add(1, on: $0) } }
        }

        @available(*, deprecated)
        @Test func flagsWithoutCreationNeedAFile() throws {
            let location = StorageLocation.onDisk(folder.path())
            expectSQLiteError(.cantOpen) {
                _ = try Database(storageLocation: location, flags: SQLITE_OPEN_READWRITE)
            }
        }

        @available(*, deprecated)
        @Test func theyWaitFiveSecondsForALock() throws {
            let holder = try folder.connection()
            try holder.execute("CREATE TABLE t(x); BEGIN EXCLUSIVE")
            let threads = try [false, true].flatMap { withFlags in
                let database = try open(withFlags: withFlags)
                return [DatabaseAccess.executeWrite, .executeRead].map { access in
                    Worker {
                        let start = ContinuousClock.now
                        do {
                            try access.run(on: database) { connection in
                                _ = try count("t", on: connection)
                            }
                            return -1.0
                        } catch let error as SQLiteError where .busy ~= error.extendedResultCode {
                            return (ContinuousClock.now - start) / .seconds(1)
                        }
                    }
                }
            }
            for thread in threads {
                let seconds = try thread.value()
                #expect(seconds >= 4.9)
                #expect(seconds < patience)
            }
        }

        @available(*, deprecated)
        @Test(arguments: [false, true]) func theyHaveNoSharedCache(withFlags: Bool) throws {
            let database = try open(withFlags: withFlags)
            try database.executeWrite { try $0.execute("CREATE TABLE t(x)") }
            _ = try rows(database)
            try database.executeWrite { connection in
                try connection.run("BEGIN IMMEDIATE")
                try add(1, on: connection)
                // With a shared cache the table would be locked.
                let seen = try Worker { try rows(database) }.value()
                #expect(seen == 0)
                try connection.run("COMMIT")
            }
            try expectRows(1, in: database)
        }

        @available(*, deprecated)
        @Test func aSharedCacheLocksTablesAndAPolicyWaits() throws {
            for policy in [TableLockPolicy.fastFail, .poll(0.01)] {
                let database = try Database(
                    storageLocation: .onDisk(folder.path()),
                    tableLockPolicy: policy,
                    sharedCache: true
                )
                try database.executeWrite {
                    try $0.execute("DROP TABLE IF EXISTS t; CREATE TABLE t(x)")
                }
                let reader = try database.executeWrite { connection in
                    try connection.run("BEGIN IMMEDIATE")
                    try add(1, on: connection)
                    let reader = Worker { try rows(database) }
                    if case .fastFail = policy {
                        expectSQLiteError(extended: .lockedSharedCache) { _ = try reader.value() }
                    } else {
                        reader.waitUntilBlocked()
                        #expect(!reader.isFinished)
                    }
                    try connection.run("COMMIT")
                    return reader
                }
                if case .poll = policy {
                    try #expect(reader.value() == 1)
                }
            }
        }

        @Test func aWriteTransactionKeepsTheFileFromWALUntilTheTimeout() throws {
            let holder = try makeFile(at: folder.path())
            try holder.execute("BEGIN IMMEDIATE")
            let start = Date()
            expectSQLiteError(.busy) { _ = try folder.open { $0.busyTimeout = 0.1 } }
            #expect(Date().timeIntervalSince(start) >= 0.1)

            try holder.execute("COMMIT")
            let database = try folder.open()
            try expectAnswer("wal", to: "PRAGMA journal_mode", from: database)
        }

        @Test(arguments: ["IMMEDIATE", "EXCLUSIVE"])
        func aLockedFileIsNamedAndNoPragma(lock: String) throws {
            let holder = try makeFile(at: folder.path())
            try holder.execute("BEGIN \(lock)")
            let error = sqliteError { _ = try folder.open { $0.busyTimeout = 0.01 } }
            #expect(error?.resultCode == .busy)
            #expect(error?.description == "SQLITE_BUSY: database is locked: \(folder.path())")
        }

        @available(*, deprecated)
        @Test func theirPreparationsReachEachConnection() throws {
            let notes = SharedNotes<String>()
            let database = try Database(
                storageLocation: .onDisk(folder.path()),
                drainDelay: 30,
                writerConnectionPreparation: { connection in
                    notes.note("writer")
                    try connection.execute("PRAGMA foreign_keys = ON")
                },
                readerConnectionPreparation: { _ in notes.note("reader") }
            )
            let foreignKeys: [Int] = try onEveryConnection(of: database) {
                try $0.query("PRAGMA foreign_keys")
            }
            #expect(foreignKeys == [1, 0, 0, 0])
            #expect(notes.all.sorted() == ["reader", "reader", "reader", "writer"])
        }

        @available(*, deprecated)
        @Test func theNewFormsWorkOnThemToo() async throws {
            let database = try open(withFlags: false)
            try await database.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)")
            try expectRows(1, in: database)
            try await database.close()
            try folder.expectFiles("test.sqlite")
        }
    }
}

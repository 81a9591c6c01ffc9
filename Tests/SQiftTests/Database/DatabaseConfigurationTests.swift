import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    struct DatabaseConfigurationTests {
        private let folder = TemporaryFolder.fresh

        private static func value(_ pragma: String, on connection: Connection) throws -> String {
            try connection.query("SELECT CAST(\(pragma) AS TEXT) FROM pragma_\(pragma)")
        }

        /// Expects that a pragma answers the same on every connection: what nobody configured, if no
        /// answer is given.
        private func expect(
            _ pragma: String,
            is expected: String? = nil,
            in database: Database,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let expected = try expected ?? Self.value(pragma, on: folder.connection())
            let found = try onEveryConnection(of: database) { try Self.value(pragma, on: $0) }
            let all = [expected, expected, expected, expected]
            #expect(found == all, "\(pragma)", sourceLocation: sourceLocation)
        }

        // MARK: Settings that reach every connection

        @Test func theDefaultsReachEveryConnection() throws {
            let database = try Database(path: folder.path())
            try expect("journal_mode", is: "wal", in: database)
            try expect("foreign_keys", is: "1", in: database)
            try expect("synchronous", is: "2", in: database)
            try expect("fullfsync", is: "0", in: database)
            let timeouts: [Int] = try onEveryConnection(of: database) {
                try $0.query("PRAGMA busy_timeout")
            }
            #expect(timeouts == [0, 0, 0, 0])
            let limits: [Int] = try onEveryConnection(of: database) {
                try $0.query("PRAGMA journal_size_limit")
            }
            #expect(limits.first == 64 << 20)
        }

        @Test func theDefaultsAreThoseOfTheDesign() {
            let configuration = Database.Configuration()
            #expect(configuration.journalMode == .wal)
            #expect(configuration.synchronous == .full)
            #expect(configuration.foreignKeys == true)
            #expect(!configuration.fullfsync)
            #expect(configuration.busyTimeout == 5)
            #expect(configuration.acquisitionTimeout == nil)
            #expect(configuration.journalSizeLimit == 64 << 20)
            #expect(configuration.accessMode == .readWrite)
            #expect(configuration.label == nil)
            #expect((4...8).contains(configuration.maximumReaderCount))
            #expect(
                configuration.maximumReaderCount == ConnectionPool.defaultMaximumConnectionCount
            )
        }

        @Test func theSettingsOfSQift5LeaveAlmostEverythingAlone() throws {
            let configuration = Database.Configuration.sqift5
            #expect(configuration.journalMode == .unchanged)
            #expect(configuration.synchronous == nil)
            #expect(configuration.foreignKeys == nil)
            #expect(configuration.journalSizeLimit == nil)
            #expect(configuration.busyTimeout == 5)
            let database = try Database(path: folder.path(), configuration: configuration)
            try database.execute("CREATE TABLE t(x)")
            for pragma in ["journal_mode", "foreign_keys", "synchronous", "journal_size_limit"] {
                try expect(pragma, in: database)
            }
        }

        /// What is configured, and what a pragma answers then; nil where it answers as ever.
        private static let settings:
            [(
                pragma: String, answer: String?,
                change: @Sendable (inout Database.Configuration) -> Void
            )] = [
                ("foreign_keys", nil, { $0.foreignKeys = nil }),
                ("journal_mode", "wal", { $0.foreignKeys = nil }),
                (
                    "foreign_keys", "0",
                    {
                        $0.foreignKeys = false
                        $0.connection.foreignKeys = true
                    }
                ),
                ("synchronous", nil, { $0.synchronous = nil }),
                ("fullfsync", "1", { $0.fullfsync = true }),
                ("cell_size_check", "1", { $0.connection.hardened = true }),
            ]

        @Test func aSettingReachesEveryConnection() throws {
            for (pragma, answer, change) in Self.settings {
                try expect(pragma, is: answer, in: folder.open(change))
            }
        }

        @Test(arguments: [Database.Configuration.Synchronous.off, .normal, .full, .extra])
        func synchronousReachesEveryConnection(
            synchronous: Database.Configuration.Synchronous
        ) throws {
            let database = try folder.open { $0.synchronous = synchronous }
            try expect("synchronous", is: String(synchronous.rawValue), in: database)
        }

        /// Without one it is SQLite's.
        @Test(arguments: [1 << 20, 0, 12345, nil]) func theJournalSizeLimitIsTheWriters(
            limit: Int?
        ) throws {
            let database = try folder.open { $0.journalSizeLimit = limit }
            let answer: Int = try database.executeWrite {
                try $0.query("PRAGMA journal_size_limit")
            }
            let standard: Int = try folder.connection().query("PRAGMA journal_size_limit")
            #expect(answer == limit ?? standard)
        }

        @Test func theReadOnlyFlagAndTheTimeoutOfTheConnectionAreSetByTheDatabasesOwn() throws {
            let database = try folder.openWithTable { configuration in
                configuration.connection.readOnly = true
                configuration.connection.busyTimeout = 30
                configuration.busyTimeout = 0
            }
            let readOnly = try onEveryConnection(of: database) { $0.readOnly }
            #expect(readOnly == [false, true, true, true])
            let holder = try folder.connection()
            try holder.execute("BEGIN IMMEDIATE")
            expectSQLiteError(.busy) { try database.add(1) }
        }

        // MARK: The journal mode

        private func journalModeOfTheFile() throws -> String {
            try folder.connection().query("PRAGMA journal_mode")
        }

        private func journalMode(_ database: Database) throws -> String {
            try database.executeWrite { try $0.query("PRAGMA journal_mode") }
        }

        @Test func theWALStaysWithTheFile() throws {
            let database = try folder.openWithTable()
            try database.close()
            try #expect(journalModeOfTheFile() == "wal")
        }

        @Test(arguments: ["delete", "wal"]) func unchangedKeepsWhatTheFileHas(mode: String) throws {
            try folder.connection().execute("PRAGMA journal_mode = \(mode); CREATE TABLE t(x)")
            let database = try folder.open { $0.journalMode = .unchanged }
            try database.add(1)
            try expect("journal_mode", is: mode, in: database)
            try database.close()
            try #expect(journalModeOfTheFile() == mode)
        }

        @Test(
            arguments: [Database.Configuration.JournalMode.delete, .truncate, .persist, .wal],
            ["delete", "wal"]
        )
        func theJournalModeIsWhatWasAskedFor(
            mode: Database.Configuration.JournalMode,
            before: String
        ) throws {
            try folder.connection().execute("PRAGMA journal_mode = \(before); CREATE TABLE t(x)")
            let database = try folder.open { $0.journalMode = mode }
            try #expect(journalMode(database) == mode.rawValue)
            try database.add(1)
            try expectRows(1, in: database)
            try #expect(journalMode(database) == mode.rawValue)
            let files = try folder.files()
            #expect(
                files.contains("test.sqlite-journal") == (mode == .truncate || mode == .persist)
            )
            #expect(files.contains("test.sqlite-wal") == (mode == .wal))
        }

        @Test func aJournalModeThatSQLiteDoesntTakeIsAnError() throws {
            // This layer has no shared memory, without which there is no WAL.
            let error = expectThrows(AccessError.self) {
                _ = try folder.open { configuration in
                    configuration.connection.vfs = "unix-none"
                    configuration.label = "the cars"
                }
            }
            #expect(error?.reason == .settingRefused)
            let message = error?.message ?? ""
            #expect(message.contains("the cars"))
            #expect(message.contains("journal_mode"))
            let database = try folder.open { configuration in
                configuration.connection.vfs = "unix-none"
                configuration.journalMode = .delete
            }
            try #expect(journalMode(database) == "delete")
        }

        @Test func openingWaitsForALockThatKeepsTheJournalModeFromChanging() throws {
            let holder = try folder.connection()
            try holder.execute("CREATE TABLE t(x); BEGIN EXCLUSIVE")
            expectSQLiteError(.busy) { _ = try folder.open { $0.busyTimeout = 0.05 } }

            let opener = Worker { try folder.open() }
            opener.waitUntilBlocked()
            #expect(!opener.isFinished)
            try holder.execute("COMMIT")
            let database = try opener.value()
            try #expect(journalMode(database) == "wal")
        }

        // MARK: Preparations

        @Test func eachConnectionIsPreparedOnceAfterItsSettings() throws {
            let notes = SharedNotes<String>()
            let database = try folder.open { configuration in
                configuration.writerConnectionPreparation = { connection in
                    let settings: Int = try connection.query("PRAGMA foreign_keys")
                    notes.note("writer \(settings) \(connection.readOnly)")
                }
                configuration.readerConnectionPreparation = { connection in
                    let settings: Int = try connection.query("PRAGMA foreign_keys")
                    notes.note("reader \(settings) \(connection.readOnly)")
                }
            }
            #expect(notes.all == ["writer 1 false"])
            for _ in 0..<2 {
                _ = try onEveryConnection(of: database) { $0.isInsideTransaction }
            }
            #expect(notes.all.filter { $0 == "writer 1 false" }.count == 1)
            #expect(notes.all.filter { $0 == "reader 1 true" }.count == 3)
        }

        @Test func whatTheWritersPreparationThrowsIsThrownByOpening() throws {
            expectThrows(TestError.self) {
                _ = try folder.open { $0.writerConnectionPreparation = { _ in throw TestError() } }
            }
            if let count = folder.descriptorCount() {
                #expect(count == 0)
            }
            try folder.open().write { try $0.execute("CREATE TABLE t(x)") }
        }

        @Test func whatAReadersPreparationThrowsIsThrownByTheReadAndItIsTriedAgain() throws {
            let calls = SharedCount()
            let database = try folder.open { configuration in
                configuration.maximumReaderCount = 1
                configuration.readerConnectionPreparation = { _ in
                    if calls.add(1) < 3 {
                        throw TestError()
                    }
                }
            }
            try database.execute("CREATE TABLE t(x)")
            expectThrows(TestError.self) { try database.read { _ in } }
            expectThrows(TestError.self) { try database.executeRead { _ in } }
            try expectRows(0, in: database)
            #expect(calls.value == 3)
        }

        // MARK: Labels

        @Test func errorsNameTheDatabaseByItsLabelOrItsPath() throws {
            for label in [nil, "the cars"] {
                let database = try folder.open { $0.label = label }
                let inside = try database.read { _ in
                    expectThrows(AccessError.self) { try database.write { _ in } }
                }
                try database.close()
                let closed = expectThrows(AccessError.self) { try database.read { _ in } }
                for error in [inside, closed] {
                    let message = error?.message ?? ""
                    #expect(message.contains(label ?? folder.path()))
                }
            }
        }
    }
}

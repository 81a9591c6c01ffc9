import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    /// A hardened database over a stranger's file, whose schema calls a function of the app's.
    @Suite(
        .enabled(if: Capability.lateFunctions, "it can't read the schema again")
    )
    struct DatabaseHardenedTests {
        /// When and how the function is registered.
        enum Moment: CaseIterable {
            case atOnce, afterReadsAndWrites, byThePreparations, insideAccesses
        }

        private let folder = TemporaryFolder.fresh

        private func open(
            _ file: StrangersFile,
            _ moment: Moment,
            _ change: (inout Database.Configuration) -> Void = { _ in }
        ) throws -> Database {
            var configuration = Database.Configuration()
            configuration.synchronous = .off
            configuration.connection.hardened = true
            if moment == .byThePreparations {
                configuration.writerConnectionPreparation = { try file.addFunction(to: $0) }
                configuration.readerConnectionPreparation = { try file.addFunction(to: $0) }
            }
            change(&configuration)
            let database = try Database(path: file.path, configuration: configuration)
            if moment == .afterReadsAndWrites {
                _ = try onEveryConnection(of: database) { connection in
                    try connection.run("SELECT 1 FROM sqlite_schema")
                }
            }
            if moment == .atOnce || moment == .afterReadsAndWrites {
                database.prepareConnections { try file.addFunction(to: $0) }
            }
            return database
        }

        /// It is refused when it is opened, since the schema is read then.
        @Test func aFileWhoseSchemaCallsAFunctionOfThePreparationsIsNotOpened() throws {
            let file = try StrangersFile(folder.path())
            expectSQLiteError(containing: "unsafe use of evil()") {
                _ = try open(file, .byThePreparations)
            }
            #expect(file.calls.value == 0)
        }

        @Test(arguments: [Moment.atOnce, .afterReadsAndWrites, .insideAccesses])
        func theSchemaCallsNoFunction(moment: Moment) throws {
            let file = try StrangersFile(folder.path())
            let database = try open(file, moment)
            let messages = try onEveryConnection(of: database) { connection in
                if moment == .insideAccesses {
                    try file.addFunction(to: connection)
                }
                return StrangersFile.messages { try connection.run($0) }
            }
            for messages in messages {
                #expect(messages.count == 5, "\(messages)")
                for message in messages {
                    #expect(message.contains("unsafe use of evil()"), "\(message)")
                }
            }
            #expect(file.calls.value == 0)
        }

        @Test func aSnapshotsSchemaCallsNone() throws {
            let file = try StrangersFile(folder.path())
            let database = try open(file, .insideAccesses)
            let snapshot = try database.snapshot()
            database.prepareConnections { try file.addFunction(to: $0) }
            for snapshot in [snapshot] {
                expectSQLiteError(containing: "unsafe use of evil()") {
                    try snapshot.read { try $0.run("SELECT * FROM viewing") }
                }
            }
            #expect(file.calls.value == 0)
        }

        @Test func aQueuesSchemaCallsNone() throws {
            let file = try StrangersFile(folder.path())
            var configuration = Connection.Configuration()
            configuration.hardened = true
            let queue = ConnectionQueue(
                connection: try Connection(path: file.path, configuration: configuration)
            )
            try queue.execute { try $0.run("SELECT 1 FROM sqlite_schema") }
            try queue.execute { try file.addFunction(to: $0) }
            let messages = try queue.execute { connection in
                StrangersFile.messages { try connection.run($0) }
            }
            #expect(messages.count == 5)
            #expect(file.calls.value == 0)
        }

        @Test func theProgramsOwnSQLCallsItsFunctions() throws {
            let own = try StrangersFile(folder.path(), only: "CREATE TABLE t(a)")
            for moment in Moment.allCases where moment != .insideAccesses {
                let database = try open(own, moment)
                try database.run("INSERT INTO t VALUES(evil('a'))")
                try expectAnswer("a", to: "SELECT evil(a) FROM t", from: database)
                try database.close()
            }
        }

        // MARK: Restoring

        @Test(arguments: [
            "CREATE TABLE checking(a CHECK(evil(a) NOTNULL))",
            "CREATE TABLE generating(a, b AS (evil(a)))",
            "CREATE TABLE indexed(a); CREATE INDEX by_evil ON indexed(evil(a))",
        ])
        func aFileWhoseSchemaCallsAFunctionIsNotRestored(schema: SQL) async throws {
            let backup = try StrangersFile(folder.path("backup.sqlite"), only: schema)
            let own = try StrangersFile(folder.path(), only: "CREATE TABLE t(a)")
            for moment in [Moment.atOnce, .byThePreparations] {
                let database = try open(own, moment)
                try await database.run("INSERT INTO t VALUES(1)")

                var thrown: (any Error)?
                do {
                    try await database.restore(from: backup.path)
                } catch {
                    thrown = error
                }

                let message = thrown.map { "\($0)" } ?? ""
                #expect(message.contains("unsafe use of evil()"), "\(message)")
                #expect(message.contains(backup.path))
                try await database.run("INSERT INTO t VALUES(2)")
                try expectAnswer(3, to: "SELECT sum(a) FROM t", from: database)
                try await database.run("DELETE FROM t")
                try await database.close()
            }
            #expect(own.calls.value == 0)
        }

        /// Expects that a backup whose CHECK calls the function isn't restored.
        private func expectRefused(
            _ backup: StrangersFile,
            key: Data? = nil,
            preparing: @escaping @Sendable (StrangersFile, Database) -> Void,
            _ change: (inout Database.Configuration, StrangersFile) -> Void = { _, _ in }
        ) async throws {
            let own = try StrangersFile(folder.path(), only: "CREATE TABLE t(a)", key: key)
            let database = try open(own, .insideAccesses) { configuration in
                configuration.connection.key = key
                change(&configuration, own)
            }
            preparing(own, database)
            let error = await expectTaskThrows(SQLiteError.self) {
                try await database.restore(from: backup.path)
            }
            #expect(error?.message.contains("unsafe use of evil()") == true)
            #expect(error?.message.contains(backup.path) == true)
            try await database.run("INSERT INTO t VALUES(2)")
            #expect(own.calls.value == 0)
        }

        private static let checkingSchema: SQL = """
            CREATE TABLE checking(a CHECK(evil(a) NOTNULL)); PRAGMA writable_schema = ON;
            """

        @Test(arguments: ["CREATE/**/TABLE", "create  table"])
        func howTheSchemaIsWrittenMakesNoDifference(beginning: SQL) async throws {
            let backup = try StrangersFile(
                folder.path("backup.sqlite"),
                only: """
                    \(Self.checkingSchema)
                    UPDATE sqlite_schema SET sql = replace(sql, 'CREATE TABLE', '\(beginning)')
                    """
            )
            try await expectRefused(backup) { own, database in
                database.prepareConnections { try own.addFunction(to: $0) }
            }
        }

        @Test func aPreparationThatNeedsATableMakesNone() async throws {
            let backup = try StrangersFile(
                folder.path("backup.sqlite"),
                only: "\(Self.checkingSchema) CREATE TABLE t(a)"
            )
            try await expectRefused(backup) { own, database in
                database.prepareConnections { try $0.run("SELECT * FROM t") }
                database.prepareConnections { try own.addFunction(to: $0) }
            }
        }

        @Test func aFunctionThatOnlyTheWriterHasMakesNone() async throws {
            let backup = try StrangersFile(
                folder.path("backup.sqlite"),
                only: Self.checkingSchema
            )
            try await expectRefused(backup) { _, _ in
            } _: { configuration, own in
                configuration.writerConnectionPreparation = { try own.addFunction(to: $0) }
            }
        }

        @Test func aTableThatAPreparationMakesMakesNone() async throws {
            let backup = try StrangersFile(
                folder.path("backup.sqlite"),
                only: Self.checkingSchema
            )
            try await expectRefused(backup) { _, _ in
            } _: { configuration, own in
                configuration.writerConnectionPreparation = { connection in
                    try connection.execute("CREATE TABLE IF NOT EXISTS checking(a)")
                    try own.addFunction(to: connection)
                }
                configuration.readerConnectionPreparation = {
                    try $0.execute("PRAGMA query_only = ON")
                }
            }
        }

        @Test func aTableOfSQLitesMakesNone() async throws {
            let backup = try StrangersFile(
                folder.path("backup.sqlite"),
                only: """
                    CREATE TABLE t(a); CREATE INDEX i ON t(a); ANALYZE; PRAGMA writable_schema = ON;
                    UPDATE sqlite_schema SET sql = replace(sql, 'stat)', 'stat CHECK(evil(tbl)))')
                    """
            )
            try await expectRefused(backup) { own, database in
                database.prepareConnections { try own.addFunction(to: $0) }
            }
        }

        @Test func anAuthorizerMakesNone() async throws {
            let backup = try StrangersFile(
                folder.path("backup.sqlite"),
                only: Self.checkingSchema
            )
            try await expectRefused(backup) { own, database in
                database.prepareConnections { try own.addFunction(to: $0) }
            } _: { configuration, _ in
                configuration.readerConnectionPreparation = { connection in
                    try connection.authorizer { action, _, _, _, _ in
                        action == .createTable ? .deny : .ok
                    }
                }
            }
        }

        @Test(.encryption) func aKeyMakesNone() async throws {
            let backup = try StrangersFile(
                folder.path("backup.sqlite"),
                only: Self.checkingSchema,
                key: Keys.one
            )
            try await expectRefused(backup, key: Keys.one) { own, database in
                database.prepareConnections { try own.addFunction(to: $0) }
            }
        }

        @Test func aFileThatIsRestoredIsOnlyRead() async throws {
            let source = try Connection(path: folder.path("source.sqlite"))
            try source.execute(
                """
                PRAGMA journal_mode = WAL; CREATE TABLE t(a CHECK(a > 0)); INSERT INTO t VALUES(7)
                """
            )
            let path = folder.path("backup.sqlite")
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: source.fileName + suffix,
                    toPath: path + suffix
                )
            }
            func bytes() -> [Data?] {
                ["", "-wal"].map { FileManager.default.contents(atPath: path + $0) }
            }
            let before = bytes()
            let own = try StrangersFile(folder.path(), only: "CREATE TABLE t(a)")
            let database = try open(own, .atOnce)

            try await database.restore(from: path)

            #expect(bytes() == before)
            try expectAnswer(7, to: "SELECT a FROM t", from: database)
            let missing = folder.path("missing.sqlite")
            await expectTaskSQLiteError(.cantOpen) {
                try await database.restore(from: missing)
            }
            #expect(!FileManager.default.fileExists(atPath: missing))
        }

        /// A connection that isn't hardened accepts text in double quotes.
        @Test func aCheckThatFailsForAnotherReasonIsRestored() async throws {
            let path = folder.path("backup.sqlite")
            try Connection(path: path).execute(
                "CREATE TABLE t(a CHECK(a <> \"no column\")); INSERT INTO t VALUES(7)"
            )
            let own = try StrangersFile(folder.path(), only: "CREATE TABLE t(a)")
            let database = try open(own, .atOnce)
            try await database.restore(from: path)
            try expectAnswer(7, to: "SELECT a FROM t", from: database)
        }

        @Test func aRestoredViewCallsNoFunction() async throws {
            let backup = try StrangersFile(
                folder.path("backup.sqlite"),
                only:
                    "CREATE TABLE t(a); INSERT INTO t VALUES(1); CREATE VIEW v AS SELECT evil(a) FROM t"
            )
            let own = try StrangersFile(folder.path(), only: "CREATE TABLE t(a)")
            let database = try open(own, .atOnce)
            try await database.restore(from: backup.path)
            await expectTaskSQLiteError(containing: "unsafe use of evil()") {
                try await database.read { try $0.run("SELECT * FROM v") }
            }
            try expectAnswer(1, to: "SELECT a FROM t", from: database)
            #expect(own.calls.value == 0)
        }

        @Test func thePragmasThatUndoItAreRefusedOnEveryConnection() throws {
            let file = try StrangersFile(folder.path(), only: "CREATE TABLE t(a)")
            let database = try open(file, .atOnce)
            let codes = try onEveryConnection(of: database) { connection in
                sqliteError { try connection.run("PRAGMA trusted_schema = ON") }?.resultCode
            }
            for code in codes {
                #expect(code == .authorization)
            }
        }
    }
}

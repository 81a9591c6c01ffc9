import Foundation
import SQift
import SQiftTestSupport
import Testing

/// What errors of accesses say to those who haven't read the documents.
struct AccessMessageTests {
    private let folder = TemporaryFolder.fresh
    private let database: Database

    init() throws {
        database = try Database(path: folder.path())
        try database.execute("CREATE TABLE t(a)")
    }

    private func expectUseWrite<T>(
        _ body: () throws -> T,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = sqliteError(body, sourceLocation: sourceLocation)
        let message = error?.message ?? ""
        #expect(error?.extendedResultCode == .readOnly, sourceLocation: sourceLocation)
        #expect(
            message.hasSuffix(": use write, of a Database or a ConnectionQueue"),
            "\(message)",
            sourceLocation: sourceLocation
        )
    }

    /// Expects an `SQLiteError` whose message begins in this way.
    private func expectError<T>(
        beginning: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> T
    ) {
        let message = sqliteError(body, sourceLocation: sourceLocation)?.message ?? ""
        #expect(message.hasPrefix(beginning), "\(message)", sourceLocation: sourceLocation)
    }

    // MARK: Writing in a read

    @Test func aWriteInAReadSaysWhatToUse() throws {
        expectUseWrite { try database.read { try $0.run("INSERT INTO t VALUES(1)") } }
        expectUseWrite { try database.read { try $0.execute("DELETE FROM t") } }
        expectUseWrite { try database.executeRead { try $0.run("INSERT INTO t VALUES(1)") } }
        // Where the closure itself looks at the error too.
        try database.read { connection in
            expectUseWrite { try connection.run("INSERT INTO t VALUES(1)") }
        }
        let snapshot = try database.snapshot()
        expectUseWrite { try snapshot.read { try $0.run("INSERT INTO t VALUES(1)") } }
    }

    @Test func aWriteInAnAwaitedReadSaysWhatToUse() async throws {
        let database = database
        let error = await #expect(throws: SQLiteError.self) {
            try await database.read { try $0.run("INSERT INTO t VALUES(1)") }
        }
        #expect(error?.message.hasSuffix(": use write, of a Database or a ConnectionQueue") == true)
    }

    @Test func aWriteInAReadOfAQueueSaysWhatToUse() throws {
        let memory = try Database.inMemory()
        try memory.execute("CREATE TABLE t(a)")
        expectUseWrite { try memory.read { try $0.run("INSERT INTO t VALUES(1)") } }
        expectUseWrite { try memory.executeRead { try $0.run("INSERT INTO t VALUES(1)") } }

        let queue = ConnectionQueue(connection: try Connection())
        try queue.execute { try $0.execute("CREATE TABLE t(a)") }
        expectUseWrite { try queue.read { try $0.run("INSERT INTO t VALUES(1)") } }
    }

    @Test func whatIsReadOnlyByItselfSaysNothingOfWrite() throws {
        var configuration = Connection.Configuration()
        configuration.readOnly = true
        let connection = try Connection(path: folder.path(), configuration: configuration)
        let plain = sqliteError { try connection.run("INSERT INTO t VALUES(1)") }
        let queue = ConnectionQueue(
            connection: try Connection(path: folder.path(), configuration: configuration)
        )
        let queued = sqliteError {
            try queue.writeWithoutTransaction { try $0.run("INSERT INTO t VALUES(1)") }
        }
        #expect(plain?.message == "attempt to write a readonly database")
        #expect(queued?.message == "attempt to write a readonly database")
    }

    @Test func otherErrorsOfAReadStayAsTheyAre() throws {
        expectSQLiteError(message: "no such column: missing") {
            try database.read { try $0.run("SELECT missing") }
        }
    }

    @Test func aWriteAfterAReadInMemorySaysNothingOfWrite() throws {
        let memory = try Database.inMemory()
        try memory.read { _ in }
        try memory.writeWithoutTransaction { try $0.execute("PRAGMA query_only = 1") }
        expectSQLiteError(message: "attempt to write a readonly database") {
            try memory.writeWithoutTransaction { try $0.execute("CREATE TABLE t(a)") }
        }
    }

    // MARK: What needs to be outside a transaction

    @Test func vacuumInAWriteSaysWhatToUse() throws {
        for access in [DatabaseAccess.write, .queueWrite, .queueTransaction] {
            try access.run(on: database) { connection in
                let error = sqliteError { try connection.execute("VACUUM") }
                let message = error?.message ?? ""
                #expect(error?.resultCode == .error)
                #expect(message.hasPrefix("cannot VACUUM from within a transaction"))
                #expect(message.contains("writeWithoutTransaction"), "\(message)")
            }
        }
        try database.writeWithoutTransaction { try $0.execute("VACUUM") }
    }

    @Test func vacuumInAMigrationSaysWhatToUse() throws {
        let connection = try Connection()
        let migrator = connection.migrator([Migration("v", sql: "VACUUM")])
        let error = expectThrows(MigratorError.self) { try migrator.run() }
        #expect(error?.message.contains("withoutTransaction") == true)
    }

    @Test func vacuumInATransactionOfOnesOwnSaysWhatSQLiteSays() throws {
        let connection = try Connection()
        try connection.execute("BEGIN")
        expectSQLiteError(message: "cannot VACUUM from within a transaction") {
            try connection.execute("VACUUM")
        }
    }

    @Test func aMigratorInAWriteSaysWhatToUse() throws {
        try database.write { connection in
            let migrator = connection.migrator([])
            for error in [
                expectThrows(MigratorError.self) { try migrator.run() },
                expectThrows(MigratorError.self) { try migrator.rehearse() },
            ] {
                #expect(error?.reason == .insideTransaction)
                #expect(error?.message.contains("use writeWithoutTransaction") == true)
            }
        }
    }

    // MARK: Preparations

    private static let nonsense: @Sendable (Connection) throws -> Void = {
        try $0.execute("NONSENSE")
    }

    @Test func anErrorOfPrepareConnectionsSaysWhereItComesFrom() throws {
        database.prepareConnections(Self.nonsense)
        let error = sqliteError { try database.read { _ in } }
        #expect(error?.message.hasPrefix("in prepareConnections: near \"NONSENSE\"") == true)
        #expect(error?.sql == "NONSENSE")
        #expect(error?.offset == 0)
    }

    @Test func anErrorOfAPreparationSaysWhereItComesFrom() throws {
        let path = folder.path()
        expectError(beginning: "in writerConnectionPreparation: ") {
            try Database.open(path) { $0.writerConnectionPreparation = Self.nonsense }
        }
        let second = try Database.open(path) { $0.readerConnectionPreparation = Self.nonsense }
        expectError(beginning: "in readerConnectionPreparation: ") { try second.read { _ in } }
        expectError(beginning: "in readerConnectionPreparation: ") {
            try Database.open(.inMemory) { $0.readerConnectionPreparation = Self.nonsense }
        }
        let pool = ConnectionPool(
            storageLocation: .onDisk(path),
            connectionPreparation: Self.nonsense
        )
        expectError(beginning: "in connectionPreparation: ") { try pool.read { _ in } }
    }

    @available(*, deprecated, message: "it opens databases as code for SQift 5.1 does")
    @Test func anErrorOfAPreparationAsInSQift5SaysWhereItComesFrom() throws {
        let location = StorageLocation.onDisk(folder.path())
        expectError(beginning: "in writerConnectionPreparation: ") {
            try Database(storageLocation: location, writerConnectionPreparation: Self.nonsense)
        }
        let second = try Database(
            storageLocation: location,
            readerConnectionPreparation: Self.nonsense
        )
        expectError(beginning: "in readerConnectionPreparation: ") {
            try second.executeRead { _ in }
        }
    }

    @Test func aPreparationsOwnErrorComesOutAsItIs() throws {
        database.prepareConnections { _ in throw TestError() }
        expectThrows(TestError.self) { try database.read { _ in } }
    }

    // MARK: Reasons

    @Test func reasonsPrintAsWords() {
        #expect("\(AccessError.Reason.reentrant)" == "reentrant")
        #expect("\(AccessError.Reason.settingRefused)" == "settingRefused")
        #expect("\(BackupError.Reason.destinationInUse)" == "destinationInUse")
        #expect("\(MigratorError.Reason.databaseIsNewer)" == "databaseIsNewer")
        #expect("\(ExtractionError.Reason.noColumn)" == "noColumn")
    }
}

import Foundation
import SQift

/// Jobs in a database, which are done at least once, each by one worker at a time.
///
/// A worker that dies keeps its job until the lease ends, and then another one does it again. A
/// job must therefore be idempotent: harmless if it is done twice.
public struct JobQueue: Sendable {
    public struct Settings: Sendable {
        /// How many seconds a worker has a job. After nine tenths of them the job is cancelled, so
        /// that it has ended before another worker claims it.
        public var lease: TimeInterval = 60
        /// How often a job is tried before it is a dead letter.
        public var maximumAttempts = 5
        /// How many seconds pass after the first failure; four times as many after each other one.
        public var firstPause: TimeInterval = 10
        /// The clock. A test has its own.
        public var now: @Sendable () -> Date = { Date() }

        public init() {}
    }

    let database: Database
    let settings: Settings

    /// Opens the queue, and brings its tables up to date.
    public init(_ database: Database, settings: Settings = Settings()) throws {
        self.database = database
        self.settings = settings
        try database.writeWithoutTransaction { connection in
            try Migrator(connection: connection, migrations: Self.migrations).run()
        }
    }

    /// Opens a file that other processes may write too.
    public init(path: String, settings: Settings = Settings()) throws {
        var configuration = Database.Configuration()
        // Several processes can damage a WAL, unless SQLite has a patch.
        if !Connection.hasWALResetFix {
            configuration.journalMode = .truncate
        }
        try self.init(Database(path: path, configuration: configuration), settings: settings)
    }

    /// Moves what the WAL holds into the file, and closes it. It waits for running accesses.
    public func close() async throws {
        do {
            try await database.checkpoint(mode: .truncate)
        } catch let error as SQLiteError where error.resultCode == .busy {
            // Another process still reads an older state. The next checkpoint moves the rest.
        }
        try await database.close()
    }
}

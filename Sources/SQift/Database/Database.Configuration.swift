import Foundation

extension Database {
    /// How a database is opened. The defaults suit an app or a server that wants to keep its data.
    ///
    /// Every setting reaches each connection before the preparation closures run. A setting that
    /// SQLite doesn't take is an error.
    public struct Configuration: Sendable {
        /// Where SQLite writes before it writes the database file.
        ///
        /// SQLite: [PRAGMA journal_mode](https://sqlite.org/pragma.html#pragma_journal_mode)
        public enum JournalMode: String, Sendable {
            /// A write-ahead log: readers and the writer don't wait for each other. It stays with
            /// the file.
            case wal
            /// A rollback journal that is deleted at each commit, SQLite's own default. Readers and
            /// the writer exclude each other.
            case delete
            /// A rollback journal that is truncated at each commit.
            case truncate
            /// A rollback journal whose header is overwritten at each commit.
            case persist
            /// Whatever the file has.
            case unchanged
        }

        /// When SQLite waits for the disk.
        ///
        /// SQLite: [PRAGMA synchronous](https://sqlite.org/pragma.html#pragma_synchronous)
        public enum Synchronous: Int, Sendable {
            /// Never: a crash of the machine can destroy the database.
            case off
            /// At checkpoints: in WAL a crash of the machine can undo the last commits, and does no
            /// other harm.
            case normal
            /// At each commit. What is committed outlasts a power failure in WAL, and with the
            /// journal modes `truncate` and `persist`.
            ///
            /// With `delete` a power failure can undo the last commit: SQLite doesn't wait until
            /// the deletion of the journal is on the disk.
            case full
            /// As `full`, and after a journal was deleted: with every journal mode, what is
            /// committed outlasts a power failure.
            case extra
        }

        /// Whether this database writes the file.
        public enum AccessMode: Sendable, Hashable {
            /// It reads and writes the file, and creates it if it is missing.
            case readWrite
            /// It only reads the file, which others may write.
            ///
            /// With `immutable` nothing writes it, which SQLite doesn't check: SQLite takes no
            /// locks and needs no `-wal` and `-shm` files, so that a file in an app's bundle or on
            /// a read-only disk can be opened.
            ///
            /// SQLite: [Uniform Resource Identifiers](https://sqlite.org/uri.html#uriimmutable)
            case readOnly(immutable: Bool = false)
        }

        /// Which process moves the WAL into the database file.
        public enum Checkpoints: Sendable {
            /// This one: SQLite does it by itself after a commit, and when the last connection is
            /// closed.
            case automatic
            /// Another one, such as Litestream.
            ///
            /// No connection of this database makes a checkpoint by itself: not after a commit, not
            /// for `journalSizeLimit`, and not when it is closed, which leaves the WAL beside the
            /// file.
            ///
            /// Until the other process makes checkpoints, the WAL grows.
            case external
        }

        /// WAL by default. SQift checks that SQLite accepted it. A read-only database leaves the
        /// mode as it is.
        public var journalMode = JournalMode.wal

        /// `full` by default, whatever SQLite was built with; nil leaves that.
        public var synchronous: Synchronous? = .full

        /// Whether Apple's systems wait for the disk's own cache too (`F_FULLFSYNC`).
        ///
        /// SQLite: [PRAGMA fullfsync](https://sqlite.org/pragma.html#pragma_fullfsync)
        public var fullfsync = false

        /// Whether foreign keys are enforced; nil leaves it as SQLite was built, which is almost
        /// always off.
        ///
        /// SQLite: [Enabling Foreign Key Support](https://sqlite.org/foreignkeys.html#fk_enable)
        public var foreignKeys: Bool? = true

        /// How many seconds a statement waits for another process's lock; 0 fails immediately.
        ///
        /// SQift does the waiting, so that a cancelled task stops waiting; `PRAGMA busy_timeout`
        /// therefore returns 0. A timeout that is set with that pragma replaces this one.
        public var busyTimeout: TimeInterval = 5

        /// How many seconds a read waits for a connection before `AccessError.Reason.poolExhausted`
        /// is thrown. Nil waits as long as necessary, and so does every database in memory.
        public var acquisitionTimeout: TimeInterval?

        /// How many connections read at the same time, from 1 to 1000.
        public var maximumReaderCount = ConnectionPool.defaultMaximumConnectionCount

        /// After how many seconds a reading connection that isn't needed is closed; one stays open.
        public var readerDrainDelay: TimeInterval = 1

        /// Whether this database writes the file.
        public var accessMode = AccessMode.readWrite

        /// The database's name in errors and in debuggers; its path by default.
        public var label: String?

        /// The size in bytes to which SQLite truncates the WAL when it starts it from its beginning
        /// again; nil lets it grow.
        ///
        /// If the WAL is longer, a write waits up to 200 ms for running reads to end, so that the
        /// WAL can start again. That is enough as long as each read is shorter than 100 ms. Below
        /// 1,000 pages no write waits.
        ///
        /// SQLite: [PRAGMA
        /// journal_size_limit](https://sqlite.org/pragma.html#pragma_journal_size_limit)
        public var journalSizeLimit: Int? = 64 << 20

        /// Which process moves the WAL into the database file: `automatic` by default. With
        /// `external`, `journalSizeLimit` isn't used, and only a call of `checkpoint(mode:)` makes
        /// a checkpoint.
        public var checkpoints = Checkpoints.automatic

        /// Called with the new writing connection; in a database in memory before the closure for
        /// reading connections.
        public var writerConnectionPreparation: Connection.Preparation?

        /// Called with each new reading connection.
        public var readerConnectionPreparation: Connection.Preparation?

        /// Whether SQLite removes the WAL of `main` when the database is closed, as only Apple's
        /// doesn't by itself.
        var removesWAL = true

        /// The other settings that each connection is opened with. The properties above set its
        /// busy timeout, foreign keys and read-only flag.
        public var connection = Connection.Configuration()

        /// Creates a configuration with the defaults.
        public init() {}

        /// The settings of SQift 5.1: the journal mode, foreign keys, `synchronous` and the WAL's
        /// size stay as the file and SQLite have them. Only `busyTimeout` is set: 5 seconds, where
        /// SQift 5.1 didn't wait for locks.
        public static var sqift5: Configuration {
            var configuration = Configuration()
            configuration.journalMode = .unchanged
            configuration.synchronous = nil
            configuration.foreignKeys = nil
            configuration.journalSizeLimit = nil
            configuration.removesWAL = false
            return configuration
        }
    }
}

extension Database.Configuration {
    /// The settings that the writing connection, or a reading one, is opened with.
    func connectionConfiguration(isWriter: Bool) -> Connection.Configuration {
        var configuration = connection
        configuration.busyTimeout = busyTimeout
        // `settings` sets it, and checks that SQLite took it.
        configuration.foreignKeys = nil
        // Not assigned if it is right already: the setter adds the flag that creates a file.
        let isReadOnly = !isWriter || accessMode != .readWrite
        if configuration.readOnly != isReadOnly {
            configuration.readOnly = isReadOnly
        }
        return configuration
    }

    /// The location to open. An immutable file needs a URI.
    func location(of location: StorageLocation) throws -> StorageLocation {
        if accessMode == .readWrite {
            return location
        }
        let location = location.forReading
        if accessMode == .readOnly() {
            return location
        }
        switch location {
        case .uri(let uri) where uri.hasPrefix("file:"):
            return .uri(uri + (uri.contains("?") ? "&" : "?") + "immutable=1")
        case .onDisk, .uri:
            return .uri(forFile: try location.validatedName(), parameters: "immutable=1")
        default: return location
        }
    }

    /// What a new connection runs: its settings, then the user's closure.
    func preparations(isWriter: Bool) -> Preparations {
        let preparations = Preparations { connection in
            do {
                try set(on: connection)
                guard isWriter, accessMode == .readWrite else { return }
                if removesWAL, checkpoints == .automatic {
                    try connection.setPersistentWAL(false)
                }
                if journalMode != .unchanged {
                    try setJournalMode(of: connection)
                }
            } catch let error as SQLiteError where !connection.fileName.isEmpty {
                // The statement isn't the user's. The file may be another one: a backup.
                throw SQLiteError(
                    code: error.extendedResultCode,
                    message: "\(error.message): \(connection.fileName)"
                )
            }
        }
        if isWriter {
            preparations.append("writerConnectionPreparation", writerConnectionPreparation)
        } else {
            preparations.append("readerConnectionPreparation", readerConnectionPreparation)
        }
        return preparations
    }

    /// Sets a connection's pragmas, and checks each: SQLite ignores a pragma that it doesn't know,
    /// or can't set now.
    private func set(on connection: Connection) throws {
        let isExternal = checkpoints == .external
        if isExternal {
            try connection.stopCheckpoints()
        }
        let pragmas: KeyValuePairs = [
            "foreign_keys": foreignKeys.map { $0 ? 1 : 0 },
            "synchronous": synchronous?.rawValue,
            "fullfsync": fullfsync ? 1 : nil,
            "checkpoint_fullfsync": fullfsync ? 1 : nil,
            // To SQLite any negative number means no limit, and it returns -1 for it.
            "journal_size_limit": isExternal ? nil : journalSizeLimit.map { max($0, -1) },
        ]
        for (name, value) in pragmas {
            guard let value else { continue }
            try connection.execute("PRAGMA \(name) = \(value)")
            let newValue: Int? = try connection.query("PRAGMA \(name)")
            guard newValue == value else {
                throw refusal(of: "\(name) = \(value)", returned: newValue, connection)
            }
        }
    }

    /// A database in memory keeps its own journal, `memory`; a private one on disk can't have a
    /// WAL.
    private func setJournalMode(of connection: Connection) throws {
        let mode = journalMode.rawValue
        let current: String = try connection.query("PRAGMA journal_mode")
        if current == mode || current == "memory" || connection.isDatabasePrivate {
            return
        }
        // If others open the file at the same moment, SQLite fails immediately with SQLITE_BUSY,
        // whatever the timeout.
        try connection.retryingWhileLocked(for: busyTimeout) {
            let newMode: String = try connection.query("PRAGMA journal_mode = \(mode)")
            guard newMode == mode else {
                throw refusal(of: "journal_mode = \(mode)", returned: newMode, connection)
            }
            // SQLite opens a new WAL when it first reads the file. If only a read-only connection
            // did so, the WAL would remain when the database is closed.
            try connection.run("SELECT 1 FROM sqlite_schema LIMIT 1")
        }
        try connection.refusePlainFile()
    }

    private func refusal(
        of setting: SQL,
        returned value: Any?,
        _ connection: Connection
    ) -> AccessError {
        AccessError(
            .settingRefused,
            label: label ?? connection.fileName,
            "SQLite didn't take PRAGMA \(setting), and answered \(value ?? "nothing")"
        )
    }
}

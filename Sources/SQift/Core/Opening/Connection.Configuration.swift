internal import CSQift
import Foundation

extension Connection {
    /// How a connection is opened. The defaults are SQLite's own.
    public struct Configuration: Sendable {
        /// The flags of `sqlite3_open_v2`. SQift adds `SQLITE_OPEN_URI` for a `.uri` location, and
        /// if `vfs` is set.
        ///
        /// By default: read and write, create a missing file, no mutex, a private cache.
        ///
        /// SQLite: [sqlite3_open](https://sqlite.org/c3ref/open.html)
        public var flags: Int32 =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
            | SQLITE_OPEN_PRIVATECACHE

        /// How long, in seconds, a statement waits for another connection's lock; 0 fails
        /// immediately.
        ///
        /// The precision is milliseconds.
        ///
        /// SQLite: [sqlite3_busy_timeout](https://sqlite.org/c3ref/busy_timeout.html)
        public var busyTimeout: TimeInterval = 0

        /// Whether foreign keys are enforced; nil leaves SQLite's default, which is almost always
        /// off.
        ///
        /// SQLite: [Enabling Foreign Key Support](https://sqlite.org/foreignkeys.html#fk_enable)
        public var foreignKeys: Bool?

        /// How many prepared statements `run` and `query` keep for the next use; 0 keeps none.
        public var statementCacheCapacity = 64

        /// The name of the file system layer to open with; nil is SQLite's default.
        ///
        /// A layer can replicate the database, or keep it in a cluster. Its extension or library
        /// registers it, and its name goes here.
        ///
        /// Databases that such a connection attaches are opened with the same layer, unless a URI
        /// names another one: `.uri("file:/tmp/a.sqlite?vfs=unix")`.
        ///
        /// SQLite: [The SQLite OS Interface or "VFS"](https://sqlite.org/vfs.html)
        public var vfs: String?

        /// The key of an encrypted database, for an SQLite that encrypts: SQLCipher or SQLite3
        /// Multiple Ciphers. With any other SQLite, opening throws and touches no file.
        ///
        /// It is a passphrase, or whatever else that library accepts. A new file is encrypted from
        /// its first byte on. SQift uses the key for everything that it opens for the same
        /// database: readers, backups and their checks. No text but that of `dump` shows it.
        /// (Docs/Encryption.md)
        public var key: Data?

        /// The pragmas that belong to the key, such as `PRAGMA cipher_compatibility = 3`. They run
        /// together with it, before anything else.
        public var cipherSettings: SQL = ""

        /// Whether to distrust the file, which may come from a stranger:
        ///
        /// - SQL can't corrupt it on purpose (`defensive`).
        /// - Its schema can't call functions that could do harm, which includes all functions of
        ///   the program, whenever they are added (`trusted_schema` off; on with an SQLite that
        ///   would refuse its own JSON functions or virtual tables, up to 3.45, where the
        ///   program's functions are direct-only instead).
        /// - Double-quoted strings aren't text, and `load_extension` and `fts3_tokenizer` are off.
        /// - The cells of pages are checked, and files aren't mapped into memory.
        /// - SQL can't undo this: `PRAGMA trusted_schema`, `cell_size_check` and `mmap_size` read
        ///   the values, and throw `SQLITE_AUTH` if they are to set them.
        ///
        /// If the schema does call such a function, in a CHECK for instance, no statement that
        /// needs the schema works any more, and `Database.restore` refuses the file. Add functions
        /// outside transactions that write; before SQLite 3.38, add them before the first
        /// statement. A shared cache is refused, because its connections share a schema. This is
        /// half of opening such a file: limits, a check
        /// and a deadline are the other half (Docs/SQLite.md).
        ///
        /// SQLite: [Defense Against The Dark Arts](https://sqlite.org/security.html)
        public var hardened = false

        /// What to do when another connection with the same shared cache has locked a table.
        public var tableLockPolicy = TableLockPolicy.fastFail

        /// Creates a configuration with SQLite's own defaults.
        public init() {}

        /// Whether the connection can only read. A missing file is then not created.
        public var readOnly: Bool {
            get { flags & SQLITE_OPEN_READONLY != 0 }
            set {
                flags &= ~(SQLITE_OPEN_READONLY | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
                flags |=
                    newValue ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        }

        /// SQift 5.1's three switches as flags.
        init(readOnly: Bool = false, multiThreaded: Bool = true, sharedCache: Bool) {
            flags = multiThreaded ? SQLITE_OPEN_NOMUTEX : SQLITE_OPEN_FULLMUTEX
            flags |= sharedCache ? SQLITE_OPEN_SHAREDCACHE : SQLITE_OPEN_PRIVATECACHE
            self.readOnly = readOnly
        }
    }
}

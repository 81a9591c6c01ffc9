/// One step from an older schema to a newer one. It runs once in each database.
///
/// ```swift
/// let migrations = [
///     Migration("2024-05-add-tags", sql: "CREATE TABLE tags(name TEXT NOT NULL UNIQUE)"),
///     Migration("2024-06-backfill-slugs") { connection in
///         try connection.run("UPDATE articles SET slug = lower(title)")
///     },
/// ]
/// ```
public struct Migration: Sendable {
    /// How a migration runs if it doesn't run in the usual way.
    public struct Options: OptionSet, Sendable {
        public let rawValue: Int

        /// Creates options from bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The migration runs outside any transaction. VACUUM and a change of the journal mode need
        /// this.
        ///
        /// Its SQL is a single statement. A closure isn't held to one, and what it has done before
        /// an error stays. If the process is killed between that statement and its record, the
        /// migration runs again. If two processes start at the same time, both may run it.
        public static let withoutTransaction = Options(rawValue: 1)

        /// Foreign keys and their actions are enforced while the migration runs, instead of being
        /// checked at its end.
        public static let enforcingForeignKeys = Options(rawValue: 2)

        /// Foreign keys are neither enforced nor checked. The check reads every row that has one,
        /// which takes about a quarter of a second for a million rows.
        public static let withoutForeignKeyCheck = Options(rawValue: 4)
    }

    /// The name in the code and in databases. Never change it after the migration has run.
    public let name: String

    /// How the migration runs, if not in the usual way.
    public let options: Options

    /// The version of SQift 5.1's numbered form that includes this migration. In a database with
    /// that version or a later one, the migration counts as applied.
    public let replacesVersion: UInt64?

    /// The names of the earlier migrations that this one squashes: one list for each history that a
    /// database may have, since an earlier squash may have replaced some of them.
    ///
    /// In a database that has all names of one list, the migration counts as applied, and the next
    /// run records it in their place. Any other database must have none of the names. They must not
    /// be in the list of migrations any more.
    public let replaces: [[String]]

    /// The SQL, or nil for a closure.
    private(set) var sql: SQL?
    /// The path of the file that the SQL was loaded from.
    var file: String?
    /// Whether it is one of SQift 5.1's form, and recorded by the version that it replaces.
    private(set) var isNumbered = false
    let body: @Sendable (Connection) throws -> Void

    /// Creates a migration that is a script.
    ///
    /// The script can't use BEGIN, COMMIT and ROLLBACK: they are denied. It can use savepoints.
    /// In a transaction it can't set the journal mode.
    public init(
        _ name: String,
        sql: SQL,
        options: Options = [],
        replacesVersion: UInt64? = nil,
        replaces: [[String]] = []
    ) {
        self.init(
            name,
            options: options,
            replacesVersion: replacesVersion,
            replaces: replaces
        ) { connection in
            guard options.contains(.withoutTransaction) else {
                return try connection.execute(sql)
            }
            // SQLite doesn't wait for a lock when it changes the journal mode.
            _ = try connection.retryingWhileLocked { try connection.run(sql) }
        }
        self.sql = sql
    }

    /// Creates a migration that is a closure. In the closure, `connection.transaction { }` is a
    /// savepoint; with the option `withoutTransaction` it is a transaction.
    public init(
        _ name: String,
        options: Options = [],
        replacesVersion: UInt64? = nil,
        replaces: [[String]] = [],
        body: @escaping @Sendable (Connection) throws -> Void
    ) {
        self.name = name
        self.options = options
        self.replacesVersion = replacesVersion
        self.replaces = replaces
        self.body = body
    }

    /// A migration in SQift 5.1's form. The caller runs its body.
    init(number: UInt64) {
        self.init("\(number)", replacesVersion: number) { _ in }
        isNumbered = true
    }

    /// A hash of the SQL that shows whether it was edited, or nil for a closure.
    var checksum: String? { sql.map { Migration.normalized($0).stableHash } }

    /// The bytes of the SQL without the byte order mark, carriage returns and white space at the
    /// end: editors and version control change these.
    static func normalized(_ sql: SQL) -> ArraySlice<UInt8> {
        let bytes = sql.utf8.filter { $0 != UInt8(ascii: "\r") }
        let text = bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        guard let last = text.lastIndex(where: { $0 > UInt8(ascii: " ") }) else { return [] }
        return text[...last]
    }
}

import Foundation

/// One step from an older schema to a newer one, which runs once in each database.
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
    /// How a migration differs from the usual.
    public struct Options: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: Int

        /// Creates options from bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// It runs outside any transaction, as VACUUM and a change of the journal mode have to: of
        /// SQL, one statement. One that is killed between that and its record runs it again, and
        /// two processes that start at once may both run it.
        public static let withoutTransaction = Options(rawValue: 1)
        /// Foreign keys are enforced while it runs, with their actions, instead of being checked at
        /// its end.
        public static let enforcingForeignKeys = Options(rawValue: 2)
    }

    /// What it is known by, in the code and in databases: never change it once it has run.
    public let name: String
    /// How it differs from the usual.
    public let options: Options
    /// The version of SQift 5.1's numbered form that includes it: it counts as applied where that
    /// or a later one is.
    public let replacesVersion: UInt64?
    /// The SQL; nil for a closure.
    let sql: SQL?
    let file: String?
    let body: @Sendable (Connection) throws -> Void

    /// A migration that is a script.
    ///
    /// BEGIN, COMMIT and ROLLBACK in it are denied; savepoints are fine.
    public init(_ name: String, sql: SQL, options: Options = [], replacesVersion: UInt64? = nil) {
        self.init(name, sql, file: nil, options, replacesVersion)
    }

    /// A migration that is a closure, whose `connection.transaction { }` is a savepoint.
    public init(
        _ name: String,
        options: Options = [],
        replacesVersion: UInt64? = nil,
        body: @escaping @Sendable (Connection) throws -> Void
    ) {
        (self.name, self.options, self.replacesVersion, self.body) = (
            name, options, replacesVersion, body
        )
        (sql, file) = (nil, nil)
    }

    private init(
        _ name: String,
        _ sql: SQL,
        file: String?,
        _ options: Options,
        _ replacesVersion: UInt64?
    ) {
        (self.name, self.sql, self.file) = (name, sql, file)
        (self.options, self.replacesVersion) = (options, replacesVersion)
        let runsAlone = options.contains(.withoutTransaction)
        body = { if runsAlone { try $0.run(sql) } else { try $0.execute(sql) } }
    }

    /// The migrations in a folder: its `.sql` files, in the order of the numbers that their names
    /// begin with.
    ///
    /// `0007-add-tags.sql` is the migration `0007-add-tags`. Numbers may have gaps, and be dates. A
    /// line says how a file differs: `-- sqift: withoutTransaction`, `-- sqift:
    /// enforcingForeignKeys` or `-- sqift: replacesVersion 3`.
    ///
    /// - Throws: `MigratorError` for a name without a number, two files with the same one, a file
    ///   that is empty, not UTF-8 or can't be read, other words after `-- sqift:`, and a folder that
    ///   can't be read.
    public static func load(from folder: URL) throws -> [Migration] {
        var migrations: [UInt64: Migration] = [:]
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        } catch {
            throw MigratorError.unreadable(folder, "folder", because: error)
        }
        for name in names where name.lowercased().hasSuffix(".sql") && !name.hasPrefix(".") {
            let migration = try Migration(file: folder.appendingPathComponent(name))
            guard let number = UInt64(name.prefix { "0"..."9" ~= $0 }) else {
                throw MigratorError(
                    .unusableFile,
                    migration.name,
                    "\(name) doesn't begin with a number"
                )
            }
            if let other = migrations.updateValue(migration, forKey: number) {
                throw MigratorError(
                    .unusableFile,
                    migration.name,
                    "\(name) has the same number as \(other.name).sql"
                )
            }
        }
        return migrations.sorted { $0.key < $1.key }.map(\.value)
    }

    private init(file: URL) throws {
        let name = file.deletingPathExtension().lastPathComponent
        let bytes: Data
        do {
            bytes = try FileHandle(forReadingFrom: file).readToEnd() ?? Data()
        } catch {
            throw MigratorError.unreadable(file, "file", because: error)
        }
        let sql = String(decoding: bytes, as: UTF8.self)
        func unusable(_ why: String) -> MigratorError {
            .init(.unusableFile, name, "\(file.lastPathComponent) \(why)")
        }
        guard sql.utf8.elementsEqual(bytes) else { throw unusable("isn't UTF-8") }
        guard !Migration.essence(of: sql).isEmpty else {
            throw unusable("is empty: a comment says if that is meant")
        }
        var options: Options = []
        var version: UInt64?
        for line in String(decoding: Migration.essence(of: sql), as: UTF8.self).split(
            separator: "\n"
        )
        where line.hasPrefix("-- sqift:") {
            let words = line.dropFirst(9).split(separator: " ")
            switch (words.first, words.count) {
            case ("withoutTransaction", 1): options.insert(.withoutTransaction)
            case ("enforcingForeignKeys", 1): options.insert(.enforcingForeignKeys)
            case ("replacesVersion", 2) where UInt64(words[1]) != nil: version = UInt64(words[1])
            default: throw unusable("says what isn't known: \(line)")
            }
        }
        self.init(name, sql, file: file.relativePath, options, version)
    }

    /// A number for the text of the SQL, by which a change is noticed; nil for a closure. FNV-1a,
    /// 64 bits.
    var checksum: String? {
        let start: UInt64 = 0xcbf2_9ce4_8422_2325
        return sql.map { sql in
            Migration.essence(of: sql).reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        }.map { String($0, radix: 16) }
    }

    /// The text without what editors and version control change: the byte order mark, line ends,
    /// white space at the end.
    private static func essence(of sql: SQL) -> ArraySlice<UInt8> {
        let bytes = sql.utf8.filter { $0 != UInt8(ascii: "\r") }
        let text = bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        return text.prefix(
            (text.lastIndex { $0 > UInt8(ascii: " ") } ?? text.startIndex - 1) - text.startIndex + 1
        )
    }
}

/// Why migrations didn't run, or one of them failed.
public struct MigratorError: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// What kind of error it is.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        private let name: String

        /// The name that the reason has in Swift.
        public var description: String { name }

        /// The migration has thrown, which `underlyingError` is. The database is as before that
        /// migration, but for one without a transaction.
        public static let failed = Reason(name: "failed")
        /// The migration leaves rows whose foreign keys have no parent. The database is as before
        /// that migration, but for one without a transaction.
        public static let foreignKeyViolations = Reason(name: "foreignKeyViolations")
        /// The database has migrations that the code doesn't know: a newer version of the program
        /// made it. Nothing was changed.
        public static let databaseIsNewer = Reason(name: "databaseIsNewer")
        /// The SQL of a migration has changed since it ran. Nothing was changed.
        public static let edited = Reason(name: "edited")
        /// The connection is in a transaction, in which foreign keys can't be switched. Nothing was
        /// changed.
        public static let insideTransaction = Reason(name: "insideTransaction")
        /// Migrations are pending, and the connection can't write.
        public static let readOnly = Reason(name: "readOnly")
        /// The names contradict themselves or the database: one is there twice, isn't there, or
        /// lies behind. Nothing was changed.
        public static let inconsistent = Reason(name: "inconsistent")
        /// A file can't be used as a migration.
        public static let unusableFile = Reason(name: "unusableFile")
    }

    /// What kind of error it is.
    public let reason: Reason
    /// The name of the migration, if it is about a single one.
    public let migration: String?
    /// What happened, and where.
    public let message: String
    /// What the migration has thrown. Of SQL it is a `SQLiteError` with the offset in the script.
    public let underlyingError: (any Error)?

    init(
        _ reason: Reason,
        _ migration: String? = nil,
        _ message: String,
        underlying: (any Error)? = nil
    ) {
        (self.reason, self.migration, self.message, underlyingError) = (
            reason, migration, message, underlying
        )
    }

    /// A folder or a file that is missing, of another kind, or not the process's to read.
    static func unreadable(_ url: URL, _ kind: String, because error: any Error) -> MigratorError {
        let exists = FileManager.default.fileExists(atPath: url.path)
        let problem = exists ? "isn't a \(kind) that can be read" : "isn't there"
        return MigratorError(.unusableFile, nil, "\(url.path) \(problem)", underlying: error)
    }

    static func newer(_ what: String) -> MigratorError {
        MigratorError(
            .databaseIsNewer,
            nil,
            "the database is newer than the program: it has \(what)"
        )
    }

    /// The message.
    public var description: String { message }

    /// The same as `description`.
    public var errorDescription: String? { message }
}

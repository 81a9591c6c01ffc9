import Foundation

extension Migration {
    /// Loads the migrations in a folder: its `.sql` files, in the order of the numbers that their
    /// names begin with.
    ///
    /// ```swift
    /// let migrations = try Migration.load(from: folder)
    /// try Migrator(connection: connection, migrations: migrations).run()
    /// ```
    ///
    /// `0007-add-tags.sql` is the migration `0007-add-tags`. The numbers may have gaps, and they
    /// may be dates: `2024-05-02` is the number 20240502. A comment at the beginning of a line sets
    /// an option:
    /// `-- sqift: withoutTransaction`, `-- sqift: enforcingForeignKeys`,
    /// `-- sqift: withoutForeignKeyCheck`, `-- sqift: replacesVersion 3` or
    /// `-- sqift: replaces 0001-cars 0002-people`, which may stand there once for each history.
    ///
    /// - Throws: ``MigratorError`` if the folder can't be read, a name doesn't begin with a number,
    ///   two files have the same number, there is a folder whose name doesn't begin with a dot, or
    ///   a file is empty, isn't UTF-8, can't be read, has a comment that is nearly such an option,
    ///   or a carriage return that doesn't end a comment. A file that has a down part or a comment
    ///   without its end is refused only when it would run.
    public static func load(from folder: URL) throws -> [Migration] {
        let names = try read(folder, kind: "folder") {
            try FileManager.default.contentsOfDirectory(atPath: $0.path)
        }
        var migrations: [UInt64: Migration] = [:]
        for name in names where !name.hasPrefix(".") {
            let file = folder.appendingPathComponent(name)
            try refuseFolder(file)
            guard name.lowercased().hasSuffix(".sql") else { continue }

            let migration = try Migration(file: file)
            guard let number = number(of: name) else {
                throw migration.error(
                    .unusableFile,
                    "\(name) doesn't begin with a number, or with one that is too big"
                )
            }
            if let other = migrations.updateValue(migration, forKey: number) {
                var message = "\(name) has the same number as \(other.name).sql"
                if let down = [migration, other].first(where: \.isDownFile) {
                    message += ": \(down.name).sql \(onlyForward)"
                }
                throw migration.error(.unusableFile, message)
            }
        }
        return migrations.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The number that a file's name begins with. A date such as `2024-05-02` is the number that
    /// its digits make.
    private static func number(of name: String) -> UInt64? {
        let digits = name.replacingOccurrences(
            of: "^((?:19|20)[0-9]{2})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(?![0-9])",
            with: "$1$2$3",
            options: .regularExpression
        )
        return UInt64(digits.prefix { "0"..."9" ~= $0 })
    }

    /// Throws if it is a folder: its files wouldn't run.
    private static func refuseFolder(_ url: URL) throws {
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
        guard isFolder.boolValue else { return }
        throw MigratorError(
            .unusableFile,
            "\(url.path) is a folder, and its files wouldn't run: move them up, or move it away"
        )
    }

    /// Reads a file or a folder. The error says whether it is missing or of another kind.
    private static func read<T>(_ url: URL, kind: String, by body: (URL) throws -> T) throws -> T {
        do {
            return try body(url)
        } catch {
            let problem =
                FileManager.default.fileExists(atPath: url.path)
                ? "isn't a \(kind) that can be read" : "doesn't exist"
            throw MigratorError(.unusableFile, "\(url.path) \(problem)", underlying: error)
        }
    }

    private init(file: URL) throws {
        let name = file.deletingPathExtension().lastPathComponent
        func unusable(_ problem: String) -> MigratorError {
            let message = "\(file.lastPathComponent) \(problem)"
            return MigratorError(.unusableFile, message, migration: name)
        }

        let bytes = try Migration.read(file, kind: "file") {
            try FileHandle(forReadingFrom: $0).readToEnd() ?? Data()
        }
        let sql = String(decoding: bytes, as: UTF8.self)
        guard sql.utf8.elementsEqual(bytes) else { throw unusable("isn't UTF-8") }
        if Migration.normalized(sql).isEmpty {
            throw unusable("is empty; if that is intended, put a comment in it")
        }

        var options: Options = []
        var version: UInt64?
        var replaced: [[String]] = []
        for comment in sql.comments {
            if comment.hasPrefix("--"), comment.utf8.contains(UInt8(ascii: "\r")) {
                throw unusable("has a comment that a carriage return doesn't end: SQLite needs LF")
            }
            // What is nearly such an option is looked at too.
            let line = comment.withLineBefore
            let start = line.lazy.filter { !" \t-".contains($0) }.prefix(6)
            guard String(start).lowercased() == "sqift:" else { continue }

            let words = line.dropFirst("-- sqift:".count).split(separator: " ").map(String.init)
            switch (line.hasPrefix("-- sqift:") ? words.first : nil, words.count) {
            case ("withoutTransaction", 1):
                options.insert(.withoutTransaction)
            case ("enforcingForeignKeys", 1):
                options.insert(.enforcingForeignKeys)
            case ("withoutForeignKeyCheck", 1):
                options.insert(.withoutForeignKeyCheck)
            case ("replacesVersion", 2) where UInt64(words[1]) != nil:
                version = UInt64(words[1])
            case ("replaces", 2...):
                replaced.append(Array(words.dropFirst()))
            default:
                throw unusable("says in line \(comment.lineNumber) what isn't known: \(line)")
            }
        }
        self.init(
            name,
            sql: sql,
            options: options,
            replacesVersion: version,
            replaces: replaced
        )
        self.file = file.relativePath
    }
}

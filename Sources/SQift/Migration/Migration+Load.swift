import Foundation

extension Migration {
    /// Loads the migrations in a folder: its `.sql` files, in the order of the numbers that their
    /// names begin with.
    ///
    /// `0007-add-tags.sql` is the migration `0007-add-tags`. The numbers may have gaps, and they
    /// may be dates. A line in the file sets an option: `-- sqift: withoutTransaction`,
    /// `-- sqift: enforcingForeignKeys`, `-- sqift: replacesVersion 3` or
    /// `-- sqift: replaces 0001-cars 0002-people`.
    ///
    /// - Throws: ``MigratorError`` if the folder can't be read, a name doesn't begin with a number,
    ///   two files have the same number, or a file is empty, isn't UTF-8, can't be read or has
    ///   other words after `-- sqift:`.
    public static func load(from folder: URL) throws -> [Migration] {
        let names = try read(folder, kind: "folder") {
            try FileManager.default.contentsOfDirectory(atPath: $0.path)
        }
        var migrations: [UInt64: Migration] = [:]
        for name in names where name.lowercased().hasSuffix(".sql") && !name.hasPrefix(".") {
            let migration = try Migration(file: folder.appendingPathComponent(name))
            guard let number = UInt64(name.prefix { "0"..."9" ~= $0 }) else {
                throw migration.error(.unusableFile, "\(name) doesn't begin with a number")
            }
            if let other = migrations.updateValue(migration, forKey: number) {
                let problem = "\(name) has the same number as \(other.name).sql"
                throw migration.error(.unusableFile, problem)
            }
        }
        return migrations.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Reads a file or a folder. The error says whether it is missing or of another kind.
    private static func read<T>(_ url: URL, kind: String, by body: (URL) throws -> T) throws -> T {
        do {
            return try body(url)
        } catch {
            let exists = FileManager.default.fileExists(atPath: url.path)
            let problem = exists ? "isn't a \(kind) that can be read" : "isn't there"
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
        let text = String(decoding: Migration.normalized(sql), as: UTF8.self)
        guard !text.isEmpty else { throw unusable("is empty: a comment says if that is meant") }

        var options: Options = []
        var version: UInt64?
        var replaced: [String] = []
        let mark = "-- sqift:"
        for line in text.split(separator: "\n") where line.hasPrefix(mark) {
            let words = line.dropFirst(mark.count).split(separator: " ")
            switch (words.first, words.count) {
            case ("withoutTransaction", 1):
                options.insert(.withoutTransaction)
            case ("enforcingForeignKeys", 1):
                options.insert(.enforcingForeignKeys)
            case ("replacesVersion", 2) where UInt64(words[1]) != nil:
                version = UInt64(words[1])
            case ("replaces", 2...):
                replaced += words.dropFirst().map(String.init)
            default:
                throw unusable("says what isn't known: \(line)")
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

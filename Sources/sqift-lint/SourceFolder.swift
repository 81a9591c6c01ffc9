import Foundation

/// Finds and reads the files in a folder.
enum SourceFolder {
    /// The Swift and SQL files in a folder.
    static func paths(_ folder: String) throws -> [String] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
        let sources = paths.filter { path in
            !path.contains(".build/")
                && (path.hasSuffix(".swift") || path.hasSuffix(".sql"))
        }
        return sources.map(folder.path).sorted()
    }

    static func read(_ path: String) throws -> SourceFile {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        return SourceFile(path: path, bytes: [UInt8](data))
    }

    /// The files whose names begin with numbers, by folder and in their order.
    static func migrations(_ paths: [String]) throws -> [String: [MigrationSource]] {
        let number = { (path: String) in
            UInt64(path.fileName.prefix { $0.isASCII && $0.isNumber })
        }
        let numbered = paths.filter { number($0) != nil }
        return try Dictionary(grouping: numbered, by: \.folder).mapValues { paths in
            try paths.sorted { number($0) ?? 0 < number($1) ?? 0 }.map { path in
                let name = (path.fileName as NSString).deletingPathExtension
                return migration(name, try read(path))
            }
        }
    }

    private static func migration(_ name: String, _ file: SourceFile) -> MigrationSource {
        MigrationSource(name: name, steps: [MigrationStep(sql: SQLText(file))])
    }

    /// The schema in a file of SQL or in a database.
    static func schema(_ path: String) throws -> MigrationList {
        var file = try read(path)
        if file.bytes.starts(with: "SQLite format 3".utf8) {
            let sql = ScratchDatabase.schema(of: path)
            file = SourceFile(path: path, bytes: [UInt8](sql.utf8))
        }
        return MigrationList(migrations: [migration(path, file)])
    }
}

extension String {
    var fileName: String { (self as NSString).lastPathComponent }

    var folder: String { (self as NSString).deletingLastPathComponent }

    /// The path of a file in this folder.
    func path(of name: String) -> String {
        (self as NSString).appendingPathComponent(name)
    }
}

import Foundation

/// Finds and reads the files in a folder.
enum SourceFolder {
    /// The Swift and SQL files in a folder, or the file itself.
    static func paths(_ folder: String) throws -> [String] {
        if isSource(folder) {
            return [folder]
        }
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
        return paths.filter(isSource).map(folder.path).sorted()
    }

    private static func isSource(_ path: String) -> Bool {
        [".swift", ".sql"].contains(where: path.hasSuffix) && !path.contains(".build/")
    }

    /// Bytes that aren't UTF-8 are replaced, as SQLite gets them.
    static func read(_ path: String) throws -> SourceFile {
        let text = try Data(contentsOf: URL(fileURLWithPath: path)).text
        return SourceFile(path: path, bytes: [UInt8](text.utf8))
    }

    /// The files of each folder whose names begin with numbers, in their order.
    static func migrations(_ paths: [String]) throws -> [[MigrationStep]] {
        let numbered = paths.filter {
            $0.fileName.utf8.first?.isDigit == true
        }
        let folders = Dictionary(
            grouping: numbered.sorted {
                $0.compare($1, options: .numeric) == .orderedAscending
            },
            by: \.folder
        )
        return try folders.sorted {
            $0.key < $1.key
        }.map {
            try $0.value.map(migration)
        }
    }

    /// What the SQL in a file does, or that of a database's schema.
    static func migration(_ path: String) throws -> MigrationStep {
        var file = try read(path)
        if file.bytes.starts(with: "SQLite format 3".utf8) {
            let sql = ScratchDatabase.schema(of: path)
            file = SourceFile(path: path, bytes: [UInt8](sql.utf8))
        }
        return MigrationStep(name: path.fileName, sql: SQLText(file))
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

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

    /// The text of a file, in which bytes that aren't UTF-8 are replaced, as SQLite gets it. That of
    /// a database is its schema.
    static func read(_ path: String) throws -> SourceFile {
        var text = try Data(contentsOf: URL(fileURLWithPath: path)).text
        if text.hasPrefix("SQLite format 3") {
            text = ScratchDatabase(reading: path).definitions
        }
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

    /// What the SQL in a file does.
    static func migration(_ path: String) throws -> MigrationStep {
        MigrationStep(name: path.fileName, sql: SQLText(try read(path)))
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

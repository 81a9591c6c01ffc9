import Foundation

extension SourceFile {
    /// Reads the Swift and SQL files in folders, or the files themselves. The number that a name
    /// begins with gives migrations their order.
    static func all(in folders: [String]) throws -> [SourceFile] {
        let isSource = { (path: String) in
            [".swift", ".sql"].contains(where: path.hasSuffix)
                && !path.contains(".build/")
        }
        let paths = try folders.flatMap { folder in
            isSource(folder)
                ? [folder]
                : try FileManager.default.subpathsOfDirectory(atPath: folder)
                    .filter(isSource)
                    .map(folder.path)
        }
        return try Set(paths).sorted()
            .sorted(using: String.Comparator(options: .numeric))
            .map(SourceFile.init(reading:))
    }

    /// Reads a file, in which bytes that aren't UTF-8 are replaced, as SQLite gets it. The text of
    /// a database is its schema.
    convenience init(reading path: String) throws {
        var text = try Data(contentsOf: URL(fileURLWithPath: path)).text
        if text.hasPrefix("SQLite format 3") {
            text = ScratchDatabase(reading: path).definitions
        } else if path.hasSuffix(".sql") {
            // What SQLite and SQift make themselves is in a schema that the shell has written.
            text = text.replacingOccurrences(
                of: "CREATE TABLE s(?=qlite_|qift_migr|chema_migr)",
                with: "CREATE TABLE _",
                options: .regularExpression
            )
        }
        self.init(path: path, bytes: [UInt8](text.utf8))
    }
}

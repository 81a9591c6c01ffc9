import Foundation

extension SourceFile {
    /// The paths of the Swift and SQL files in a folder, or that of the file itself.
    static func paths(in folder: String) throws -> [String] {
        let isSource = { (path: String) in
            [".swift", ".sql"].contains(where: path.hasSuffix) && !path.contains(".build/")
        }
        if isSource(folder) {
            return [folder]
        }
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
        return paths.filter(isSource).map(folder.path)
    }

    /// Reads a file, in which bytes that aren't UTF-8 are replaced, as SQLite gets it. The text of
    /// a database is its schema.
    convenience init(reading path: String) throws {
        var text = try Data(contentsOf: URL(fileURLWithPath: path)).text
        if text.hasPrefix("SQLite format 3") {
            text = ScratchDatabase(reading: path).definitions
        } else if path.hasSuffix(".sql") {
            // What SQLite and SQift make themselves is in a schema that the shell has written.
            for name in ["sqlite_", "sqift_m", "schema_m"] {
                let unused = "unused_m".prefix(name.count)
                text.replace("CREATE TABLE \(name)", with: "CREATE TABLE \(unused)")
            }
        }
        self.init(path: path, bytes: [UInt8](text.utf8))
    }
}

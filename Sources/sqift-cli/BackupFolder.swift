import Foundation
import SQift

/// A folder with a database's backups, of which `backup --keep` keeps the newest.
struct BackupFolder {
    /// The new backup's.
    let newName: String
    private let folder: URL
    /// What the names of this database's backups begin with.
    private let beginning: String
    private let count: Int

    init(_ path: String, of database: String, keeping count: Int) throws {
        folder = URL(fileURLWithPath: path)
        self.count = count
        // A missing folder isn't made: the disk that it is on may not be mounted.
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        guard isFolder.boolValue else {
            throw UnusableFile(description: "\(path) isn't a folder, which --keep needs")
        }
        beginning = URL(fileURLWithPath: database).deletingPathExtension().lastPathComponent + "-"
        let now: String = try Connection().query("SELECT strftime('%Y-%m-%dT%H%M%SZ', 'now')")
        newName = "\(beginning)\(now).sqlite"
    }

    func path(of name: String) -> String {
        folder.appendingPathComponent(name).relativePath
    }

    /// Deletes the oldest backups, never the new one, and returns their paths.
    func deleteOldest() throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let others = names.filter { $0 != newName && isBackup($0) }.sorted(by: >)
        return try others.dropFirst(count - 1).map { name in
            try FileManager.default.removeItem(atPath: path(of: name))
            return path(of: name)
        }
    }

    /// Whether a file has exactly the name that a backup of this database gets.
    private func isBackup(_ name: String) -> Bool {
        // Bytes, since strings of other bytes may be equal.
        guard name.utf8.starts(with: beginning.utf8) else { return false }
        let rest = String(decoding: name.utf8.dropFirst(beginning.utf8.count), as: UTF8.self)
        let attributes = try? FileManager.default.attributesOfItem(atPath: path(of: name))
        return attributes?[.type] as? FileAttributeType == .typeRegular
            && rest.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{6}Z\.sqlite/) != nil
    }
}

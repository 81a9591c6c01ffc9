import Foundation
import SQift

/// The contents of a folder's files, by their names.
package func contents(of folder: URL) throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        let url = folder.appendingPathComponent(name)
        // Not by Data(contentsOf:), which leaks a buffer for an empty file on Linux.
        found[name] = (try? FileHandle(forReadingFrom: url).readToEnd()) ?? Data()
    }
    return found
}

/// The contents of a file.
package func fileBytes(_ path: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path))
}

/// A file's permissions.
package func permissions(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
}

package func setPermissions(_ mode: Int, of path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
}

/// The bytes of a file.
package func bytes(of path: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path))
}

/// Writes a file that holds this text.
package func write(_ text: String, toFile path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
}

/// Overwrites bytes of a file.
package func overwrite(_ path: String, at offset: Int, with bytes: Data) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64(offset))
    try file.write(contentsOf: bytes)
    try file.close()
}

/// Empties a page of the index on `t`, in a file that isn't open. Reading `t` doesn't notice it.
package func damageIndex(_ path: String) throws {
    let (root, pageSize): (Int, Int) = try {
        let connection = try Connection(path: path)
        let root: Int = try connection.query("SELECT rootpage FROM sqlite_schema WHERE name = 'i'")
        return try (root, connection.query("PRAGMA page_size"))
    }()
    // The page of an index that is a leaf and has no cell.
    let emptyLeaf = Data([10, 0, 0, 0, 0, UInt8(pageSize >> 8 & 0xff), UInt8(pageSize & 0xff), 0])
    try overwrite(path, at: (root - 1) * pageSize, with: emptyLeaf)
}

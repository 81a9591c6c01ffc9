import Foundation

/// A folder that is removed with this object.
final class TemporaryFolder {
    let path: String

    /// In memory where the system has a folder there: no technique here needs a real disk, and
    /// syncs take no time.
    init() throws {
        let shared = "/dev/shm"
        let isWritable = FileManager.default.isWritableFile(atPath: shared)
        let parent = isWritable ? shared : FileManager.default.temporaryDirectory.path
        // The system knows the files by their paths without links.
        let realParent = URL(fileURLWithPath: parent).resolvingSymlinksInPath().path
        path = "\(realParent)/SQiftFaults-\(getpid())-\(UUID().uuidString.prefix(8))"
        try makeFolder(path)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
}

/// Removes everything in a folder, or makes it.
func makeEmptyFolder(_ path: String) throws {
    if FileManager.default.fileExists(atPath: path) {
        try FileManager.default.removeItem(atPath: path)
    }
    try makeFolder(path)
}

/// Makes a folder, or empties it, and copies the files of another one into it.
func copyFolder(_ folder: String, to copy: String) throws {
    try makeEmptyFolder(copy)
    for name in try fileNames(in: folder) {
        try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: "\(copy)/\(name)")
    }
}

/// The names in a folder, in order.
func fileNames(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
}

import Foundation

/// Reads the files of a folder beside the connections that have them open.
///
/// It keeps each descriptor until the end: when a process closes any descriptor of a file, the
/// system drops all locks that the process has on the file, SQLite's too.
final class FolderWatch {
    private struct Identity: Hashable {
        let device: UInt64
        let number: UInt64
    }

    private let folder: String
    private var descriptors: [Identity: Int32] = [:]

    init(folder: String) {
        self.folder = folder
    }

    deinit {
        descriptors.values.forEach { _ = close($0) }
    }

    /// The files, as paths in the folder.
    func names() -> [String] {
        let paths = FileManager.default.subpaths(atPath: folder) ?? []
        var isFolder: ObjCBool = false
        return paths.filter {
            FileManager.default.fileExists(atPath: "\(folder)/\($0)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    func bytes(of name: String) -> Data {
        var status = stat()
        let path = "\(folder)/\(name)"
        guard stat(path, &status) == 0 else { return Data() }
        let identity = Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
        let descriptor = descriptors[identity] ?? open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return Data() }
        descriptors[identity] = descriptor
        var data = Data(count: Int(status.st_size))
        let count = data.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return data.prefix(max(count, 0))
    }
}

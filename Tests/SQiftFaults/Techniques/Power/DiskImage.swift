import Foundation

/// The files of a folder. The shared memory of a WAL isn't one: SQLite makes it anew.
struct DiskImage: Equatable, CustomStringConvertible {
    var files: [String: [UInt8]]

    init(files: [String: [UInt8]]) {
        self.files = files
    }

    init(of folder: String) throws {
        files = [:]
        for name in try fileNames(in: folder) where !name.hasSuffix("-shm") {
            let data = FileManager.default.contents(atPath: "\(folder)/\(name)")
            try expect(data != nil, "\(folder)/\(name) can't be read")
            files[name] = Array(data ?? Data())
        }
    }

    /// A number that is the same for the same files, and as good as never for others.
    var fingerprint: Int {
        var hasher = Hasher()
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
            hasher.combine(name)
            hasher.combine(bytes.count)
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        return hasher.finalize()
    }

    var description: String {
        files.sorted { $0.key < $1.key }.map { "\($0.key) of \($0.value.count) bytes" }
            .joined(separator: ", ")
    }

    /// Makes a folder with these files only.
    func write(to folder: String) throws {
        try makeEmptyFolder(folder)
        for (name, bytes) in files {
            let path = "\(folder)/\(name)"
            let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
            try expect(file >= 0, "can't create \(path)")
            defer { close(file) }
            let count = bytes.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            try expect(count == bytes.count, "can't write \(path)")
        }
    }
}

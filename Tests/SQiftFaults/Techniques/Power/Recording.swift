/// What a process has changed in a folder, in order.
struct Recording {
    /// A file as such, whatever its name is.
    typealias FileNumber = Int

    enum Change {
        case create(String, FileNumber)
        case write(FileNumber, offset: Int, [UInt8])
        case truncate(FileNumber, size: Int)
        case sync(FileNumber)
        case syncFolder
        case unlink(String)
        case rename(String, to: String, FileNumber)
        /// The caller was told that the work is done.
        case promise
    }

    /// The folder's files before.
    let names: [String: FileNumber]
    let contents: [FileNumber: [UInt8]]
    let changes: [Change]

    /// Runs the body, and records what it changes in the folder.
    ///
    /// - Throws: What the body throws; `Broken` if there are changes that weren't recorded.
    init(of folder: String, _ body: () throws -> Void) throws {
        var reader = try RecordReader(folder: folder)
        names = reader.names
        contents = reader.contents
        changes = try reader.changes(of: body)
        try checkCompleteness(of: folder)
    }

    /// All changes together have to make the folder as it is, or something was changed by a call
    /// that isn't recorded.
    private func checkCompleteness(of folder: String) throws {
        var disk = SimulatedDisk(self, order: .kept)
        for change in changes {
            disk.take(change)
        }
        var generator = SeededGenerator(state: 0)
        let recorded = disk.image(after: .everything, using: &generator)
        let real = try DiskImage(of: folder)
        try expect(recorded == real, "recorded \(recorded), but there are \(real)")
    }
}

extension Recording.Change {
    /// Whether it changes which names the folder has.
    var isOfNames: Bool {
        switch self {
        case .create, .unlink, .rename: true
        default: false
        }
    }

    var isPromise: Bool {
        if case .promise = self { true } else { false }
    }

    var createdFile: Recording.FileNumber? {
        switch self {
        case .create(_, let file): file
        default: nil
        }
    }

    /// The file whose content it changes.
    var changedFile: Recording.FileNumber? {
        switch self {
        case .write(let file, _, _), .truncate(let file, _): file
        default: nil
        }
    }
}

extension Recording.Change: CustomStringConvertible {
    var description: String {
        switch self {
        case .create(let name, _): "the creation of \(name)"
        case .write(_, let offset, let bytes): "a write of \(bytes.count) bytes at \(offset)"
        case .truncate(_, let size): "a truncation to \(size) bytes"
        case .sync: "a sync of a file"
        case .syncFolder: "a sync of the folder"
        case .unlink(let name): "the removal of \(name)"
        case .rename(let name, let newName, _): "the renaming of \(name) to \(newName)"
        case .promise: "the work was done"
        }
    }
}

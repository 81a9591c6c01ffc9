import CSQiftFaults
import Foundation

/// Gives the files of a record their numbers.
struct RecordReader {
    typealias FileNumber = Recording.FileNumber

    let folder: String
    /// The files with names at the moment: at first those that were there.
    private(set) var names: [String: FileNumber] = [:]
    /// What was in the files at first.
    private(set) var contents: [FileNumber: [UInt8]] = [:]
    private var numbersByInode: [UInt64: FileNumber] = [:]
    private var fileCount = 0

    /// Reads the files in a folder.
    init(folder: String) throws {
        self.folder = folder
        for (name, bytes) in try DiskImage(of: folder).files {
            let path = "\(folder)/\(name)"
            var status = stat()
            try expect(stat(path, &status) == 0, "\(path) is gone")
            let number = addFile(named: name, inode: UInt64(status.st_ino))
            contents[number] = bytes
        }
    }

    /// Runs the body, and returns what it changes in the folder.
    mutating func changes(of body: () throws -> Void) throws -> [Recording.Change] {
        sqift_faults_watch(folder)
        defer { sqift_faults_watch(nil) }
        sqift_faults_start_record()
        let result = Result { try body() }
        var count = 0
        let record = UnsafeBufferPointer(start: sqift_faults_stop_record(&count), count: count)
        try result.get()
        return try record.map { try read($0) }
    }

    private mutating func addFile(named name: String, inode: UInt64) -> FileNumber {
        let number = fileCount
        fileCount += 1
        names[name] = number
        // The system may use the inode of a file that is gone.
        numbersByInode[inode] = number
        return number
    }

    private mutating func read(_ change: sqift_change) throws -> Recording.Change {
        let name = change.name.map { String(cString: $0) } ?? ""
        switch change.kind {
        case SQIFT_CHANGE_CREATE:
            return .create(name, addFile(named: name, inode: change.file))
        case SQIFT_CHANGE_WRITE:
            let bytes = UnsafeRawBufferPointer(start: change.bytes, count: change.count)
            return .write(try number(of: change), offset: Int(change.offset), Array(bytes))
        case SQIFT_CHANGE_TRUNCATE:
            return .truncate(try number(of: change), size: Int(change.offset))
        case SQIFT_CHANGE_SYNC:
            return .sync(try number(of: change))
        case SQIFT_CHANGE_SYNC_FOLDER:
            return .syncFolder
        case SQIFT_CHANGE_UNLINK:
            names[name] = nil
            return .unlink(name)
        case SQIFT_CHANGE_RENAME:
            let newName = change.newName.map { String(cString: $0) } ?? ""
            guard let number = names.removeValue(forKey: name) else {
                throw Broken(description: "\(name) was renamed, but not created")
            }
            names[newName] = number
            return .rename(name, to: newName, number)
        default:
            return .promise
        }
    }

    private func number(of change: sqift_change) throws -> FileNumber {
        guard let number = numbersByInode[change.file] else {
            throw Broken(description: "a file was changed, but not created")
        }
        return number
    }
}

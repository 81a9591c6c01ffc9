import CSQift
import Foundation
import SQift
import Testing

/// Stands in for a program that replicates a database by its WAL, such as Litestream.
///
/// It holds a read transaction, so that no one else can start the WAL from its beginning. It copies
/// the frames of the WAL, and makes the checkpoints itself: under the lock for writing, after it has
/// copied everything. https://litestream.io/how-it-works/
package final class Replicator {
    /// How far it came. It is kept in a file, so that another process can go on.
    private struct Position: Codable {
        var salt = Data()
        var copiedFrames = 0
        /// Whether nothing was left to be copied at the last checkpoint: the next WAL follows.
        var isAtEndOfWAL = false
        var checkpoints = 0
        /// How often frames were lost, because someone else made a checkpoint.
        var gaps = 0
    }

    /// What was copied, in a file that can be opened as a database.
    private let replica: FileHandle
    private let positionFile: URL
    private let walPath: String
    private let reader: Connection
    private let writer: Connection
    private var position = Position()

    /// How many frames of the WAL are copied.
    package var copiedFrames: Int { position.copiedFrames }

    /// - Parameter replicaPath: Where the copy is made. It is continued if it exists.
    package init(of path: String, to replicaPath: String) throws {
        func connect() throws -> Connection {
            var configuration = Connection.Configuration()
            configuration.busyTimeout = patience
            let connection = try Connection(path: path, configuration: configuration)
            try connection.execute("PRAGMA wal_autocheckpoint = 0")
            try connection.withUnsafeHandle {
                _ = sqift_db_switch($0, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nil)
            }
            return connection
        }
        reader = try connect()
        writer = try connect()
        walPath = path + "-wal"
        positionFile = URL(fileURLWithPath: replicaPath + "-position")
        let isNew = !FileManager.default.fileExists(atPath: positionFile.path)
        if isNew {
            try Data().write(to: URL(fileURLWithPath: replicaPath))
        }
        replica = try #require(FileHandle(forUpdatingAtPath: replicaPath))
        try beginReading()
        if isNew {
            try copyFile()
            let index = try WALIndex(reader)
            position.salt = index.salt
            position.isAtEndOfWAL = index.backfilledFrames == index.frames
        } else {
            let data = try Data(contentsOf: positionFile)
            position = try JSONDecoder().decode(Position.self, from: data)
        }
    }

    private func beginReading() throws {
        try reader.execute("BEGIN; SELECT count(*) FROM sqlite_schema")
    }

    /// Copies the database file, through SQLite's own handle: opening and closing the file would
    /// release the locks.
    private func copyFile() throws {
        let bytes = try reader.withUnsafeFile { file, methods in
            var size: sqlite3_int64 = 0
            try #require(methods.xFileSize(file, &size) == SQLITE_OK)
            var bytes = Data(count: Int(size))
            let code = bytes.withUnsafeMutableBytes {
                methods.xRead(file, $0.baseAddress, Int32($0.count), 0)
            }
            try #require(code == SQLITE_OK)
            return bytes
        }
        try replica.write(contentsOf: bytes)
    }

    /// Copies what was committed since the last time.
    package func copyFrames() throws {
        let index = try WALIndex(reader)
        if index.salt != position.salt {
            // The first half counts the WALs.
            func number(_ salt: Data) -> UInt32 {
                salt.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
            }
            if !position.isAtEndOfWAL || number(index.salt) != number(position.salt) &+ 1 {
                position.gaps += 1
            }
            position.salt = index.salt
            position.copiedFrames = 0
        }
        guard index.frames > position.copiedFrames else { return }

        position.isAtEndOfWAL = false
        let wal = try #require(FileHandle(forReadingAtPath: walPath))
        defer { try? wal.close() }
        let frameSize = 24 + index.pageSize
        for frame in position.copiedFrames..<index.frames {
            try wal.seek(toOffset: UInt64(32 + frame * frameSize))
            let bytes = try #require(try wal.read(upToCount: frameSize))
            try #require(bytes.count == frameSize && bytes[8..<16] == index.salt)
            func number(at offset: Int) -> UInt64 {
                bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt64($1) }
            }
            try replica.seek(toOffset: (number(at: 0) - 1) * UInt64(index.pageSize))
            try replica.write(contentsOf: bytes[24...])
            if case let pageCount = number(at: 4), pageCount > 0 {
                try replica.truncate(atOffset: pageCount * UInt64(index.pageSize))
            }
        }
        position.copiedFrames = index.frames
    }

    /// Moves the WAL into the file.
    package func checkpoint() throws {
        // No one else writes, so that nothing is committed between the copying and the checkpoint.
        try writer.execute("BEGIN IMMEDIATE")
        try copyFrames()
        try reader.execute("COMMIT")
        do {
            position.isAtEndOfWAL = try reader.checkpoint(mode: .passive).isComplete
            position.checkpoints += 1
        } catch let error as SQLiteError where .busy ~= error.resultCode {
            // Someone else makes a checkpoint.
        }
        try beginReading()
        try writer.execute("ROLLBACK")
    }

    /// Copies the rest, and notes where to go on.
    ///
    /// - Returns: How many checkpoints were made, and how often frames were lost.
    @discardableResult package func stop() throws -> (checkpoints: Int, gaps: Int) {
        try copyFrames()
        try replica.close()
        try JSONEncoder().encode(position).write(to: positionFile)
        try reader.execute("COMMIT")
        try reader.close()
        try writer.close()
        return (position.checkpoints, position.gaps)
    }
}

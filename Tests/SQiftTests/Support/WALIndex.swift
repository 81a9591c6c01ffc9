import CSQift
import Foundation
import SQift
import Testing

/// What the processes that use a WAL tell each other in the `-shm` file.
///
/// https://sqlite.org/walformat.html#the_wal_index_file_format
package struct WALIndex: Equatable {
    /// The random number of this WAL, as in its file. It changes whenever the WAL is started from
    /// its beginning.
    package let salt: Data
    /// How many frames are committed.
    package let frames: Int
    /// How many of them a checkpoint has moved into the database file.
    package let backfilledFrames: Int
    package let pageSize: Int

    /// Reads the index that a connection has mapped. Opening and closing the file would release the
    /// process's locks. https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
    package init(_ connection: Connection) throws {
        // SQLite maps it at the first read.
        _ = try count("sqlite_schema", on: connection)
        let index = try connection.withUnsafeFile { file, methods in
            var pointer: UnsafeMutableRawPointer?
            let code = methods.xShmMap(file, 0, 32 << 10, 0, &pointer)
            try #require(code == SQLITE_OK)
            return try #require(pointer)
        }
        // The header is there twice. Both are equal unless it is being written.
        var bytes = Data()
        repeat {
            bytes = Data(bytes: index, count: 136)
        } while bytes[0..<48] != bytes[48..<96]

        func number<T: FixedWidthInteger>(at offset: Int, as type: T.Type) -> T {
            bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
        }
        let size = number(at: 14, as: UInt16.self)
        pageSize = size == 1 ? 65_536 : Int(size)
        frames = Int(number(at: 16, as: UInt32.self))
        salt = Data(bytes[32..<40])
        backfilledFrames = Int(number(at: 96, as: UInt32.self))
    }
}

extension Connection {
    /// Calls `body` with SQLite's own handle of the main database's file.
    package func withUnsafeFile<T>(
        _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) throws -> T
    ) throws -> T {
        try withUnsafeHandle { handle in
            var file: UnsafeMutablePointer<sqlite3_file>?
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
            let found = try #require(file)
            return try body(found, found.pointee.pMethods.pointee)
        }
    }
}

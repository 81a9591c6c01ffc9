internal import CSQift

extension Connection {
    /// Opens another connection, to the same database or to one that belongs to it: with this one's
    /// key, busy timeout and hardening.
    ///
    /// - Parameters:
    ///   - database: The database whose VFS it uses; nil for SQLite's default one.
    ///   - isIndependent: Whether it goes on although this connection's work is cancelled.
    ///   - change: Changes the configuration.
    func openSibling(
        at location: StorageLocation,
        onVFSOf database: String? = nil,
        isIndependent: Bool = false,
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> Connection {
        var configuration = sharedConfiguration
        configuration.vfs = database.flatMap(vfsName)
        change(&configuration)
        let sibling = try Connection(storageLocation: location, configuration: configuration)
        if !isIndependent {
            sibling.makeCancellable(by: Cancellation(sharingFlagOf: cancellation))
        }
        return sibling
    }

    /// The name of the VFS that a database's file is on. The connection must be open.
    ///
    /// SQLite: [SQLITE_FCNTL_VFS_POINTER](
    /// https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntlvfspointer)
    func vfsName(of database: String) -> String? {
        var vfs: UnsafeMutablePointer<sqlite3_vfs>?
        sqlite3_file_control(handle, database, SQLITE_FCNTL_VFS_POINTER, &vfs)
        return vfs.map { String(cString: $0.pointee.zName) }
    }
}

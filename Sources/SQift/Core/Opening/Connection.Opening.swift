internal import CSQift

extension Connection {
    /// How a connection was opened.
    struct Opening {
        /// Whether `file:` URIs are understood, by ATTACH too.
        let usesURIs: Bool
        /// Whether it shares one cache with the process's other connections to the file.
        let sharesCache: Bool
        /// Whether the name is one by which the `memdb` VFS shares databases.
        let sharesMemoryByName: Bool
        /// What other connections to the same database are opened with: the busy timeout, the key
        /// and its settings, and whether they distrust the file.
        let sharedConfiguration: Configuration

        init(of location: StorageLocation, _ configuration: Configuration, flags: Int32) {
            usesURIs = flags & SQLITE_OPEN_URI != 0
            sharesCache =
                flags & SQLITE_OPEN_SHAREDCACHE != 0
                || usesURIs && location.path.contains("cache=shared")
            sharesMemoryByName = location.sharesMemoryByName(vfs: configuration.vfs)

            var shared = Configuration()
            shared.busyTimeout = configuration.busyTimeout
            shared.key = configuration.key
            shared.cipherSettings = configuration.cipherSettings
            shared.hardened = configuration.hardened
            sharedConfiguration = shared
        }
    }

    /// Whether it distrusts the file.
    var isHardened: Bool { sharedConfiguration.hardened }

    /// What other connections to the same database are opened with.
    var sharedConfiguration: Configuration { opening.sharedConfiguration }

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

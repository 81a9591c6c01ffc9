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
}

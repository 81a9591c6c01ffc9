import Foundation

extension Database {
    /// Changes the key as the asynchronous form does, on the calling thread.
    ///
    /// - Throws: As the asynchronous form, but no `CancellationError`.
    @available(
        *,
        noasync,
        message: "use await in a function, not at main.swift's top level; return Sendable values"
    )
    public func rekey(to newKey: Data) throws {
        try writer.access(.autocommit) { try rekey($0, to: newKey) }
    }

    /// Changes the key of an encrypted database, as `Connection.rekey` does.
    ///
    /// It waits for the write and the reads that have begun. Later ones wait for it, and then use
    /// the new key. A snapshot continues to read the state that it has; until it is closed, the
    /// file keeps pages with the old key, which a `checkpoint` then removes. With
    /// `Checkpoints.external` that is left to the other process, too. Other `Database`s and
    /// other processes must open the file again with the new key.
    ///
    /// A file that a preparation closure attaches without `key:` is opened with the database's key:
    /// after this call with the new one. Pass such a file's key, or `Data()` if it has none;
    /// otherwise each later read fails.
    ///
    /// - Throws: As `Connection.rekey`, and `AccessError`; `CancellationError` if the task is
    ///   cancelled before the key has changed. While it waits for reads, a cancellation has to wait
    ///   for them too, and each of them at most as long as `acquisitionTimeout`, after which it
    ///   throws ``AccessError/Reason/poolExhausted``. After an error the database is usable, with
    ///   its old key.
    public func rekey(to newKey: Data) async throws {
        try await writer.asyncAccess(.autocommit, isFinal: true) { writer in
            try self.rekey(writer, to: newKey)
        }
    }

    private func rekey(_ writer: Connection, to newKey: Data) throws {
        try readerConnectionPool.withoutConnections {
            try writer.rekey(to: newKey)
            readerSource.newKey.withLock { $0 = (newKey, $0.count + 1) }
        }
    }
}

internal import CSQift

// A journal is hot if its transaction wasn't finished: it has to be rolled back before the file is
// read, which a connection that only reads can't do.
extension Connection {
    /// Lets this connection, which only reads, roll hot journals back: by another connection, which
    /// can write.
    func rollBackHotJournals() {
        // If it fails, another connection may be doing the same.
        rollBackHotJournal = { try? $0.readForWriting() }
    }

    /// Opens the file for writing and reads it once. It is never created.
    ///
    /// SQLite: [Rollback](https://sqlite.org/atomiccommit.html#_rollback)
    private func readForWriting() throws {
        let writer = try openSibling(at: .onDisk(fileName), onVFSOf: "main") { configuration in
            configuration.flags &= ~SQLITE_OPEN_CREATE
        }
        _ = writer.readFirstPage()
    }
}

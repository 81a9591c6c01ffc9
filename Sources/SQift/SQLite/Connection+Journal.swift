internal import CSQift

extension Connection {
    /// Lets this connection, which only reads, roll back the unfinished transaction of a hot
    /// journal: by another connection, which can write.
    func rollBackHotJournals() {
        _ = attachment(JournalAttachment.self)
    }

    /// Opens the file for writing and reads it once. It is never created.
    ///
    /// SQLite: [Rollback](https://sqlite.org/atomiccommit.html#_rollback)
    fileprivate func rollBackHotJournal() throws {
        let writer = try openSibling(at: .onDisk(fileName), onVFSOf: "main") {
            $0.flags &= ~SQLITE_OPEN_CREATE
        }
        _ = writer.readFirstPage()
    }
}

private final class JournalAttachment: ConnectionAttachment {
    override func rollsBackHotJournal() -> Bool {
        // If this fails, another connection may be doing the same.
        try? connection.rollBackHotJournal()
        return true
    }
}

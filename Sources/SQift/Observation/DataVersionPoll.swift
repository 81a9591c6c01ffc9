internal import CSQift

/// Finds out whether others have committed, on the connection that writes: it sees a new data
/// version for their commits only.
final class DataVersionPoll: Sendable {
    private struct State {
        /// The connection and its data version at the last look.
        var last: (connection: ObjectIdentifier, version: Int64)?
        var isInLine = false
    }

    private let state = Locked(State())
    private let hub: ChangeHub
    private let report: @Sendable () -> Void
    /// How often the connection had been used when the poll began, nil if it was in use then.
    private let useCount: UInt?

    init(of database: Database, _ report: @escaping @Sendable () -> Void) {
        self.report = report
        hub = database.changeHub
        // In this order, so that a use that begins between the two is counted.
        let count = hub.useCount
        useCount = database.writerConnectionQueue.lane.isIdle ? count : nil
    }

    /// Looks once the connection isn't lent, unless a look waits for that already.
    func look(at database: Database) {
        let isFirst = state.withLock { state in
            defer { state.isInLine = true }
            return !state.isInLine
        }
        guard isFirst else { return }
        // The queue drops the closure, uncalled, if the connection may not be used.
        let turn = Turn(of: self)
        database.writerConnectionQueue.whenIdle { connection in
            withExtendedLifetime(turn) {
                if self.hasNewCommit(connection) {
                    self.report()
                }
            }
        }
    }

    private func hasNewCommit(_ connection: Connection) -> Bool {
        let before = connection.pagerVersion
        guard let version = try? connection.dataVersion else { return false }
        let isUnseen = before != connection.pagerVersion
        if isUnseen {
            // Later looks of other polls don't find it unseen any more.
            hub.noteUse()
        }
        return state.withLock { state in
            defer { state.last = (ObjectIdentifier(connection), version) }
            // At the first look, what others have committed since the connection was last used. If
            // it was used since the poll began, that is no answer.
            guard let last = state.last else { return isUnseen || useCount != hub.useCount }
            return last != (ObjectIdentifier(connection), version)
        }
    }

    /// A look's turn, which is over with the last reference.
    private final class Turn: Sendable {
        private let poll: DataVersionPoll

        init(of poll: DataVersionPoll) {
            self.poll = poll
        }

        deinit {
            poll.state.withLock { $0.isInLine = false }
        }
    }
}

extension Connection {
    /// The version of the main database that this connection knows, without a look at the file.
    /// <https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntldataversion>
    fileprivate var pagerVersion: UInt32 {
        guard let handle else { return 0 }
        var version: UInt32 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return version
    }
}

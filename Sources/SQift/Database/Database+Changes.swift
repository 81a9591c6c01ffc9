import Foundation

extension Database {
    /// The changes that commits of this database make from now on, each after it can be read.
    ///
    /// ```swift
    /// for await changes in database.changes(in: ["orders"]) {
    ///     print("changed:", changes.tables)
    /// }
    /// ```
    ///
    /// There may be any number of listeners. What is committed while a loop is busy is united, so
    /// nothing is missed and nothing piles up. The loop ends when its task is cancelled, and when
    /// the database is closed or released. What counts as a change: ``Connection/didCommit(_:)``.
    ///
    /// If a write is running when the first listener begins, its tables aren't known: it is
    /// reported with `includesAllTables`. So is a restore.
    ///
    /// - Parameters:
    ///   - tables: The tables to listen to, in any case, as `database.table` if they are attached;
    ///     nil for all. Changes of the schema concern every table.
    ///   - interval: How often to look for commits of other connections, also of other processes,
    ///     in seconds from 0.001 on; nil for never. They are reported with `includesAllTables` and
    ///     `isExternal`.
    public func changes(
        in tables: [String]? = nil,
        pollingEvery interval: TimeInterval? = nil
    ) -> DatabaseChanges {
        DatabaseChanges(
            subscription: ChangeSubscription(to: self, tables: tables, pollingEvery: interval)
        )
    }

    /// Calls `body` after commits, as `changes(in:pollingEvery:)` reports them, until it is removed
    /// or the database is closed.
    ///
    /// It is called on a dispatch queue of its own, one call at a time, and may use the database.
    ///
    /// - Returns: For ``removeListener(_:)``.
    @discardableResult public func onChanges(
        in tables: [String]? = nil,
        pollingEvery interval: TimeInterval? = nil,
        _ body: @escaping @Sendable (TableChanges) -> Void
    ) -> ChangeListener {
        let queue = DispatchQueue(label: "SQift.changes \(label)")
        let buffer = ChangeBuffer(tables: tables) { buffer in
            queue.async {
                let changes = buffer.take()
                if !changes.isEmpty {
                    body(changes)
                }
            }
        }
        return ChangeListener(number: addListener(buffer, pollingEvery: interval))
    }

    /// Removes a closure of `onChanges`. A call of it that has begun continues. Removing it again
    /// does nothing.
    public func removeListener(_ listener: ChangeListener) {
        // A call that is in line finds nothing to report.
        changeHub.remove(listener.number)?.take()
    }

    /// The result of `body` now, and again after each commit that may have changed it.
    ///
    /// ```swift
    /// let values = database.values { try $0.query("SELECT name FROM cars") as [String] }
    /// for try await names in values {
    ///     print(names)
    /// }
    /// ```
    ///
    /// `body` is called as `read` does, when the loop asks for the next value. It is called again
    /// if a table has changed that its statements read the last time, in views, subqueries and
    /// functions too. Several commits while a loop is busy lead to one call. The last value is
    /// always that of the newest state.
    ///
    /// - Parameters:
    ///   - interval: As in ``changes(in:pollingEvery:)``.
    ///   - body: What to read. It may be called on any thread.
    /// - Returns: A sequence that throws what `read` throws, and then ends.
    public func values<Value: Sendable>(
        pollingEvery interval: TimeInterval? = nil,
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) -> DatabaseValues<Value> {
        DatabaseValues(database: self, interval: interval, body: body)
    }

    // MARK: Listening

    /// - Returns: The listener's number.
    func addListener(_ buffer: ChangeBuffer, pollingEvery interval: TimeInterval?) -> Int {
        let number = changeHub.add(buffer)
        if let interval {
            poll(for: number, every: interval)
        }
        return number
    }

    /// Looks for commits of others at an interval. The connection that writes sees a new data
    /// version for these only, not for its own.
    private func poll(for number: Int, every interval: TimeInterval) {
        // While a write runs, the version can't be read. The first look then reports a commit,
        // since there may have been one.
        let version = writerConnectionQueue.ifIdle { DataVersion(of: $0) }
        let lastVersion = Locked(version ?? DataVersion())
        let timer = DispatchSource.makeTimerSource()
        // A timer of 0 ms would fire without a pause.
        let milliseconds = max(Int(interval.milliseconds), 1)
        timer.schedule(deadline: .now(), repeating: .milliseconds(milliseconds))
        timer.setEventHandler { [weak self] in
            guard let self else { return }
            let changeHub = changeHub
            writerConnectionQueue.whenIdle { connection in
                guard let version = DataVersion(of: connection) else { return }
                let last = lastVersion.withLock { last in
                    defer { last = version }
                    return last
                }
                if last != version {
                    changeHub.reportCommitOfOthers(to: number)
                }
            }
        }
        changeHub.keep(timer, for: number)
        // Even if it is cancelled already: releasing a suspended timer would stop the process.
        timer.resume()
    }
}

/// The state of the database as a connection sees it, its own commits left out.
private struct DataVersion: Equatable {
    private var connection: ObjectIdentifier?
    private var number: Int64?

    /// Differs from that of every connection.
    init() {}

    init?(of connection: Connection) {
        guard let number = try? connection.dataVersion else { return nil }
        self.connection = ObjectIdentifier(connection)
        self.number = number
    }
}

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
    /// There may be any number of listeners. What is committed while a loop is busy is merged, so
    /// nothing is missed and nothing piles up. The loop ends when its task is cancelled, and when
    /// the database is closed or released. What counts as a change:
    /// ``Connection/didCommit(once:_:)``.
    ///
    /// If a write is running when the first listener begins, its tables aren't known, so it is
    /// reported with `includesAllTables`, as a restore is.
    ///
    /// - Parameters:
    ///   - tables: The tables to listen to, case-insensitively, as `database.table` if they are
    ///     attached; nil for all. Changes of the schema concern every table.
    ///   - interval: How often to look for commits of other connections, also of other processes,
    ///     in seconds from 0.001 on; nil for never. They are reported with `includesAllTables` and
    ///     `isExternal`. Those to an attached database aren't noticed.
    public func changes(
        in tables: [String]? = nil,
        pollingEvery interval: TimeInterval? = nil
    ) -> DatabaseChanges {
        DatabaseChanges(
            listener: DatabaseChangeListener(to: self, in: tables, pollingEvery: interval)
        )
    }

    /// Tells the database's listeners that tables may have changed, for writes that SQift can't
    /// see: those of C code, for example, or of another process that says so.
    ///
    /// ```swift
    /// try importer.write(to: path)
    /// database.notifyChanges(in: ["cars"])
    /// ```
    ///
    /// Call it after the commit, on any thread. Without listeners it does nothing.
    ///
    /// - Parameter tables: Their names, as `database.table` if they are attached; nil for all,
    ///   which listeners hear as `includesAllTables`.
    public func notifyChanges(in tables: [String]? = nil) {
        changeHub.publish(tables.map { TableChanges(tables: Set($0)) } ?? .unknown)
    }

    /// Calls `body` after commits, as `changes(in:pollingEvery:)` reports them, until the listener
    /// ends or the database is closed.
    ///
    /// ```swift
    /// let listener = database.onChanges(in: ["cars"]) { changes in
    ///     print("changed:", changes.tables)
    /// }
    /// // From now on, each commit that changes the table prints: changed: ["cars"]
    /// listener.end()
    /// ```
    ///
    /// It is called on another thread, one call at a time, and may use the database. Eight threads
    /// call the closures of all listeners: a closure that waits for another one may wait forever.
    ///
    /// - Returns: A listener whose `end()` ends the calls. It needn't be kept.
    @discardableResult public func onChanges(
        in tables: [String]? = nil,
        pollingEvery interval: TimeInterval? = nil,
        _ body: @escaping @Sendable (TableChanges) -> Void
    ) -> DatabaseChangeListener {
        let listener = DatabaseChangeListener(to: self, in: tables, pollingEvery: interval)
        Task.detached {
            for await _ in listener.wakes.stream {
                try? await onAnotherThread(of: .listeners) {
                    let changes = listener.take()
                    if !changes.isEmpty {
                        body(changes)
                    }
                }
            }
        }
        return listener
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
    /// always that of the newest state. While the database is suspended, a loop waits. It keeps the
    /// database alive.
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
}

extension ThreadGroup {
    /// For the closures of listeners, of which there may be any number.
    fileprivate static let listeners = ThreadGroup(limit: 8)
}

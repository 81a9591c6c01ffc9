internal import CSQift

extension Connection {
    /// Sets the closure that receives the SQL of each statement when it starts, with the bound
    /// values filled in; nil removes it.
    ///
    /// For a trigger it receives comments such as `-- TRIGGER name`. It is independent of
    /// `traceEvent` and `profile`, and follows the same rules.
    ///
    /// <https://sqlite.org/c3ref/trace_v2.html>
    public func trace(_ closure: ((String) -> Void)?) {
        setTrace { $0.trace = closure }
    }

    /// Sets the closure that receives the SQL and the time of each statement when it has ended; nil
    /// removes it.
    ///
    /// ```swift
    /// connection.profile { sql, seconds in
    ///     if seconds > 0.1 { print("slow:", seconds, sql) }
    /// }
    /// ```
    ///
    /// The SQL has its placeholders, so the bound values don't appear in a log. The time is
    /// measured from the statement's first step to its end, to the millisecond, and includes the
    /// caller's work between the rows. Transactions count as statements: a slow `COMMIT` waited for
    /// the disk, a slow `BEGIN IMMEDIATE` for another writer. It is independent of `traceEvent` and
    /// `trace`, and follows the same rules.
    ///
    /// <https://sqlite.org/c3ref/trace_v2.html>
    public func profile(_ closure: ((_ sql: SQL, _ seconds: Double) -> Void)?) {
        setTrace { $0.profile = closure }
    }

    /// Sets the closure that receives the connection's events, in order; nil removes it.
    ///
    /// ```swift
    /// connection.traceEvent(mask: Connection.TraceEvent.statementMask) { event in
    ///     if case .statement(_, let sql) = event { print("starts:", sql) }
    /// }
    /// ```
    ///
    /// It is called in the middle of a statement, on its thread, and must not use the connection.
    /// The connection keeps it until it is replaced or removed, or the connection is closed. Set in
    /// a closure of a queue, a pool or a `Database`, it ends with that closure's access. The SQL is
    /// expanded for each event, so ask only for the events that you need. Work that SQLite does
    /// without SQL, such as reading the schema, causes no events. The work of a virtual table, such
    /// as FTS5, has SQL.
    ///
    /// - Parameters:
    ///   - mask: The events to receive: the sum of their masks, nil for all.
    ///   - closure: Receives the events; nil removes the closure that is set.
    ///
    /// <https://sqlite.org/c3ref/trace_v2.html>
    public func traceEvent(mask: UInt32? = nil, closure: ((TraceEvent) -> Void)?) {
        setTrace {
            $0.eventMask = closure == nil ? 0 : (mask ?? TraceEvent.all) & TraceEvent.all
            $0.eventClosure = closure
        }
    }

    private func setTrace(_ change: (inout TraceClosures) -> Void) {
        guard let handle else { return }
        let attachment = attachment(TraceAttachment.self)
        restoringAfterAccess { [old = attachment.closures] connection in
            connection.setTrace { $0 = old }
        }
        change(&attachment.closures)
        attachment.install(on: handle)
    }
}

/// The three closures that listen to SQLite's one trace callback.
private struct TraceClosures {
    var trace: ((String) -> Void)?
    var profile: ((SQL, Double) -> Void)?
    var eventMask: UInt32 = 0
    var eventClosure: ((Connection.TraceEvent) -> Void)?
}

private final class TraceAttachment: ConnectionAttachment {
    private typealias Event = Connection.TraceEvent

    var closures = TraceClosures()

    /// SQLite can't report the closing any more.
    override func detach(from handle: OpaquePointer) {
        sqlite3_trace_v2(handle, 0, nil, nil)
        send(Event.connectionClosedMask, .connectionClosed(connection: handle))
    }

    func install(on handle: OpaquePointer) {
        // Without a bit SQLite reports nothing.
        let statements = closures.trace == nil ? 0 : Event.statementMask
        let profiles = closures.profile == nil ? 0 : Event.profileMask
        sqlite3_trace_v2(
            handle,
            closures.eventMask | statements | profiles,
            { kind, attachment, subject, detail in
                if let attachment = TraceAttachment.at(attachment), let subject {
                    attachment.receive(kind, of: OpaquePointer(subject), detail: detail)
                }
                return 0
            },
            pointer
        )
    }

    /// - Parameters:
    ///   - subject: The statement, or the connection that is closed.
    ///   - detail: The SQL for a start, the nanoseconds for an end.
    private func receive(
        _ kind: UInt32,
        of subject: OpaquePointer,
        detail: UnsafeMutableRawPointer?
    ) {
        if kind == Event.connectionClosedMask {
            return send(kind, .connectionClosed(connection: subject))
        }
        // Statements that SQLite runs to read the schema, or for a blob, have no SQL.
        guard let sql = sqlite3_sql(subject).map(String.init) else { return }
        lazy var expandedSQL = self.expandedSQL(of: subject, sql: sql)

        switch kind {
        case Event.statementMask:
            let text = detail.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? ""
            // Inside another statement, SQLite makes the SQL a comment.
            let startedSQL = text == "-- " + sql ? sql : text
            closures.trace?(startedSQL == sql ? expandedSQL : startedSQL)
            send(kind, .statement(statement: expandedSQL, sql: startedSQL))
        case Event.profileMask:
            let seconds = Double(detail?.load(as: Int64.self) ?? 0) / 1e9
            closures.profile?(sql, seconds)
            send(kind, .profile(statement: expandedSQL, seconds: seconds))
        default:
            send(kind, .row(statement: expandedSQL))
        }
    }

    /// - Parameter event: Made only if it is asked for: expanding the SQL costs a copy.
    private func send(_ kind: UInt32, _ event: @autoclosure () -> Connection.TraceEvent) {
        if closures.eventMask & kind != 0 {
            closures.eventClosure?(event())
        }
    }

    /// Returns the SQL with the bound values. It returns the plain SQL for an ATTACH with a key
    /// (Connection+Attach.swift), if there is no memory, or inside another statement, where SQLite
    /// makes the expanded SQL a comment.
    private func expandedSQL(of statement: OpaquePointer, sql: SQL) -> String {
        let text = sql.hasSuffix(" KEY ?") ? nil : sqlite3_expanded_sql(statement)
        defer { sqlite3_free(text) }
        guard let text else { return sql }
        let expandedSQL = String(cString: text)
        return expandedSQL.hasPrefix("-- ") && !sql.hasPrefix("--") ? sql : expandedSQL
    }
}

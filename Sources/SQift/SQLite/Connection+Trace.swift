internal import CSQift

extension Connection {
    /// Sets the closure that receives the SQL of each statement when it starts, with the bound
    /// values filled in; nil removes it.
    ///
    /// For a trigger it receives comments such as `-- TRIGGER name`. It replaces a closure that
    /// `traceEvent` has set, and follows the same rules.
    ///
    /// SQLite: [sqlite3_trace_v2](https://sqlite.org/c3ref/trace_v2.html)
    public func trace(_ closure: ((String) -> Void)?) {
        guard let closure else { return traceEvent(closure: nil) }
        traceEvent(mask: TraceEvent.statementMask) { event in
            guard case .statement(let statement, let sql) = event else { return }
            // Only the comment for a trigger is a single line.
            let isTrigger = sql.hasPrefix("-- ") && !sql.utf8.contains { $0 == "\n" }
            closure(isTrigger ? sql : statement)
        }
    }

    /// Sets the closure that receives the connection's events, in order; nil removes it.
    ///
    /// ```swift
    /// let profiles = Connection.TraceEvent.profileMask
    /// connection.traceEvent(mask: profiles, expandsSQL: false) { event in
    ///     guard case .profile(let sql, let seconds) = event, seconds > 0.1 else { return }
    ///     print("slow:", seconds, sql)
    /// }
    /// ```
    ///
    /// A connection has one such closure: setting another one replaces it. It is called in the
    /// middle of a statement, on its thread, and must not use the connection. The connection keeps
    /// it until it is replaced or removed, or the connection is closed. Set in a closure of a
    /// queue, a pool or a `Database`, it ends with that closure's access.
    ///
    /// Work that SQLite does without SQL, such as reading the schema, causes no events. The work of
    /// a virtual table, such as FTS5, has SQL.
    ///
    /// - Parameters:
    ///   - mask: The events to receive: the sum of their masks, nil for all.
    ///   - expandsSQL: Whether the events' `statement` is the SQL with the bound values, which is
    ///     made for each event. Otherwise it has its placeholders, so that no value is in a log.
    ///   - closure: Receives the events; nil removes the closure that is set.
    ///
    /// SQLite: [sqlite3_trace_v2](https://sqlite.org/c3ref/trace_v2.html)
    public func traceEvent(
        mask: UInt32? = nil,
        expandsSQL: Bool = true,
        closure: ((TraceEvent) -> Void)?
    ) {
        guard let handle else { return }
        let attachment = attachment(TraceAttachment.self)
        let oldMask = attachment.mask
        let oldExpandsSQL = attachment.expandsSQL
        restoringAfterAccess { [old = attachment.closure] in
            $0.traceEvent(mask: oldMask, expandsSQL: oldExpandsSQL, closure: old)
        }
        attachment.closure = closure
        attachment.expandsSQL = expandsSQL
        attachment.mask = closure == nil ? 0 : (mask ?? TraceEvent.all) & TraceEvent.all
        // "Each call to either sqlite3_trace() or sqlite3_trace_v2() overrides (cancels) any prior
        // calls": https://sqlite.org/c3ref/trace_v2.html
        sqlite3_trace_v2(
            handle,
            attachment.mask,
            { kind, attachment, subject, detail in
                if let subject {
                    TraceAttachment.at(attachment)?
                        .receive(kind, of: OpaquePointer(subject), detail: detail)
                }
                return 0
            },
            attachment.pointer
        )
    }
}

private final class TraceAttachment: ConnectionAttachment {
    private typealias Event = Connection.TraceEvent

    var closure: ((Connection.TraceEvent) -> Void)?
    var mask: UInt32 = 0
    var expandsSQL = true

    /// SQLite can't report the closing any more.
    override func detach(from handle: OpaquePointer) {
        sqlite3_trace_v2(handle, 0, nil, nil)
        if mask & Event.connectionClosedMask != 0 {
            closure?(.connectionClosed(connection: handle))
        }
    }

    /// - Parameters:
    ///   - subject: The statement, or the connection that is closed.
    ///   - detail: The SQL for a start, the nanoseconds for an end.
    func receive(
        _ kind: UInt32,
        of subject: OpaquePointer,
        detail: UnsafeMutableRawPointer?
    ) {
        guard let closure else { return }
        if kind == Event.connectionClosedMask {
            return closure(.connectionClosed(connection: subject))
        }
        // Statements that SQLite runs to read the schema, or for a blob, have no SQL.
        guard let sql = sqlite3_sql(subject).map(String.init) else { return }
        let statement = expandsSQL ? expandedSQL(of: subject, sql: sql) : sql

        switch kind {
        case Event.statementMask:
            let text = detail.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? ""
            // Inside another statement, SQLite makes the SQL a comment.
            closure(.statement(statement: statement, sql: text == "-- " + sql ? sql : text))
        case Event.profileMask:
            let seconds = Double(detail?.load(as: Int64.self) ?? 0) / 1e9
            closure(.profile(statement: statement, seconds: seconds))
        default:
            closure(.row(statement: statement))
        }
    }

    /// Returns the SQL with the bound values. It returns the plain SQL for an ATTACH with a key
    /// (Connection+Attach.swift), if there is no memory, or inside another statement, where SQLite
    /// makes the expanded SQL a comment.
    private func expandedSQL(of statement: OpaquePointer, sql: SQL) -> String {
        guard !sql.hasSuffix(" KEY ?"), let text = sqlite3_expanded_sql(statement) else {
            return sql
        }
        defer { sqlite3_free(text) }
        let expandedSQL = String(cString: text)
        return expandedSQL.hasPrefix("-- ") && !sql.hasPrefix("--") ? sql : expandedSQL
    }
}

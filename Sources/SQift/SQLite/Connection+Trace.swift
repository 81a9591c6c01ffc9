internal import CSQift
import Foundation

extension Connection {
    /// What a connection does, as SQLite tells it. Expanded SQL has the bound values in it: mind
    /// where it is logged.
    ///
    /// https://sqlite.org/c3ref/c_trace.html
    public enum TraceEvent: CustomStringConvertible {
        /// A statement starts: its expanded SQL, and its SQL. For a part of a trigger the latter is
        /// a comment, such as `-- TRIGGER name`; a foreign key's action repeats the statement. A
        /// statement that runs inside another one, from a function, comes with its placeholders.
        case statement(statement: String, sql: SQL)
        /// A statement has ended: its expanded SQL, and the time from its start, which includes the
        /// caller's between rows. `profile(_:)` gives the SQL without the values.
        case profile(statement: String, seconds: Double)
        /// A statement gives a row: its expanded SQL.
        case row(statement: String)
        /// `close()` was called, which may still refuse, or the last reference to the connection is
        /// gone; the `sqlite3 *` is a name here and nothing to call.
        case connectionClosed(connection: OpaquePointer)

        /// The bit of `.statement` in a mask.
        public static let statementMask = UInt32(SQLITE_TRACE_STMT)
        /// The bit of `.profile` in a mask.
        public static let profileMask = UInt32(SQLITE_TRACE_PROFILE)
        /// The bit of `.row` in a mask.
        public static let rowMask = UInt32(SQLITE_TRACE_ROW)
        /// The bit of `.connectionClosed` in a mask.
        public static let connectionClosedMask = UInt32(SQLITE_TRACE_CLOSE)

        /// The event in one line.
        public var description: String {
            switch self {
            case .statement(let statement, let sql):
                "statement: \(statement.inOneLine) (\(sql.inOneLine))"
            case .profile(let statement, let seconds):
                String(format: "%.6f s: ", seconds) + statement.inOneLine
            case .row(let statement): "row of: \(statement.inOneLine)"
            case .connectionClosed(let connection): "connection closed: \(connection)"
            }
        }
    }

    /// Sets the closure that receives each statement's SQL, with the bound values filled in, when
    /// the statement starts; nil removes it.
    ///
    /// For a trigger it receives comments such as `-- TRIGGER name`. It is independent of
    /// `traceEvent` and `profile`, and the same rules hold.
    ///
    /// https://sqlite.org/c3ref/trace_v2.html
    public func trace(_ closure: ((String) -> Void)?) {
        setTrace { $0.trace = closure }
    }

    /// Sets the closure that receives each statement's SQL and time when the statement has ended;
    /// nil removes it.
    ///
    /// ```swift
    /// connection.profile { sql, seconds in
    ///     if seconds > 0.1 { print("slow:", seconds, sql) }
    /// }
    /// ```
    ///
    /// The SQL is the text with its placeholders: the values that were bound stay out of the log.
    /// The seconds are those from the statement's first step to its end, to the millisecond, and
    /// include what the caller did between the rows. Transactions count as statements: a slow
    /// `COMMIT` waited for the disk, a slow `BEGIN IMMEDIATE` for another writer. It is independent
    /// of `traceEvent` and `trace`, and the same rules hold.
    ///
    /// https://sqlite.org/c3ref/trace_v2.html
    public func profile(_ closure: ((_ sql: SQL, _ seconds: Double) -> Void)?) {
        setTrace { $0.profile = closure }
    }

    /// Sets the closure that receives what happens on the connection, in order; nil removes it.
    ///
    /// ```swift
    /// connection.traceEvent(mask: Connection.TraceEvent.statementMask) { event in
    ///     if case .statement(_, let sql) = event { print("starts:", sql) }
    /// }
    /// ```
    ///
    /// It is called in the middle of a statement, on its thread, and must not use the connection,
    /// which keeps it until it is replaced, removed, or the connection is closed. The SQL is
    /// expanded for each event: leave out what isn't needed. What SQLite runs without SQL, to read
    /// the schema for instance, gives no events; what a virtual table runs, as FTS5 does, has SQL.
    ///
    /// - Parameter mask: The events to receive: the sum of their masks, nil for all.
    ///
    /// https://sqlite.org/c3ref/trace_v2.html
    public func traceEvent(mask: UInt32? = nil, closure: ((TraceEvent) -> Void)?) {
        let all =
            TraceEvent.statementMask | TraceEvent.profileMask | TraceEvent.rowMask
            | TraceEvent.connectionClosedMask
        setTrace { callbacks in callbacks.traceEvent = closure.map { ((mask ?? all) & all, $0) } }
    }

    private func setTrace(_ change: (Callbacks) -> Void) {
        guard let handle else { return }
        change(callbacks)
        let mask =
            (callbacks.traceEvent?.mask ?? 0)
            | (callbacks.trace == nil ? 0 : TraceEvent.statementMask)
            | (callbacks.profile == nil ? 0 : TraceEvent.profileMask)
        guard mask != 0 else {
            _ = sqlite3_trace_v2(handle, 0, nil, nil)
            return
        }
        sqlite3_trace_v2(
            handle,
            mask,
            { kind, callbacks, subject, detail in
                if let callbacks = Callbacks.at(callbacks), let subject {
                    callbacks.receive(kind, OpaquePointer(subject), detail)
                }
                return 0
            },
            callbacks.pointer
        )
    }
}

extension Callbacks {
    /// Reports that a connection is closed.
    func receiveClosing(of connection: OpaquePointer) {
        guard let traceEvent, traceEvent.mask & Connection.TraceEvent.connectionClosedMask != 0
        else { return }
        traceEvent.closure(.connectionClosed(connection: connection))
    }

    /// - Parameters:
    ///   - subject: The statement, or the connection that is closed.
    ///   - detail: The SQL, or the nanoseconds.
    fileprivate func receive(
        _ kind: UInt32,
        _ subject: OpaquePointer,
        _ detail: UnsafeMutableRawPointer?
    ) {
        if kind == Connection.TraceEvent.connectionClosedMask {
            return receiveClosing(of: subject)
        }
        // What SQLite runs to read the schema, or for a blob, has no SQL.
        guard let sql = sqlite3_sql(subject).map({ String(cString: $0) }) else { return }
        // Expanding costs a copy, and shows the bound values: only for those who get it.
        lazy var expandedSQL = Self.expandedSQL(of: subject, sql)

        var event: Connection.TraceEvent?
        var isWanted: Bool { traceEvent.map { $0.mask & kind != 0 } ?? false }
        switch kind {
        case Connection.TraceEvent.statementMask:
            var started =
                detail.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? ""
            if started == "-- " + sql {
                started = sql
            }
            trace?(started == sql ? expandedSQL : started)
            if isWanted {
                event = .statement(statement: expandedSQL, sql: started)
            }
        case Connection.TraceEvent.profileMask:
            let seconds = Double(detail?.load(as: Int64.self) ?? 0) / 1e9
            profile?(sql, seconds)
            if isWanted {
                event = .profile(statement: expandedSQL, seconds: seconds)
            }
        default:
            if isWanted {
                event = .row(statement: expandedSQL)
            }
        }
        if let event {
            traceEvent?.closure(event)
        }
    }

    /// The SQL with the bound values. Without memory for that, the SQL says which statement it is;
    /// so it does inside another statement, where SQLite makes it a comment.
    private static func expandedSQL(of statement: OpaquePointer, _ sql: SQL) -> String {
        let text = sqlite3_expanded_sql(statement)
        defer { sqlite3_free(text) }
        guard let text else { return sql }
        let expandedSQL = String(cString: text)
        return expandedSQL.hasPrefix("-- ") && !sql.hasPrefix("--") ? sql : expandedSQL
    }
}

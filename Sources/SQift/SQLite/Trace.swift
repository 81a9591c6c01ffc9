internal import CSQift
import Foundation

extension Connection {
    /// What a connection does, as SQLite tells it. Expanded SQL has the bound values in it: mind where it is logged.
    ///
    /// https://sqlite.org/c3ref/c_trace.html
    public enum TraceEvent: CustomStringConvertible {
        /// A statement starts: its expanded SQL, and its SQL. For a part of a trigger the latter is a comment, such as
        /// `-- TRIGGER name`; a foreign key's action repeats the statement. A statement that runs inside another one, from a function,
        /// comes with its placeholders.
        case statement(statement: String, sql: SQL)
        /// A statement has ended: its expanded SQL, and the time from its start, which includes the caller's between rows.
        case profile(statement: String, seconds: Double)
        /// A statement gives a row: its expanded SQL.
        case row(statement: String)
        /// `close()` was called, which may still refuse; the `sqlite3 *` is a name here and nothing to call.
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

    /// Sets the closure that receives each statement's SQL, with the bound values filled in, when the statement starts; nil
    /// removes it.
    ///
    /// For a trigger it receives comments such as `-- TRIGGER name`. It is independent of `traceEvent`, and the same rules hold.
    ///
    /// https://sqlite.org/c3ref/trace_v2.html
    public func trace(_ closure: ((String) -> Void)?) { setTrace { $0.trace = closure } }

    /// Sets the closure that receives what happens on the connection, in order; nil removes it.
    ///
    /// ```swift
    /// connection.traceEvent(mask: Connection.TraceEvent.profileMask) { event in
    ///     if case .profile(let sql, let seconds) = event, seconds > 0.1 { print("slow:", sql) }
    /// }
    /// ```
    ///
    /// It is called in the middle of a statement, on its thread, and must not use the connection, which keeps it until it is
    /// replaced, removed, or the connection is closed. The SQL is expanded for each event: leave out what isn't needed.
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
    /// - Parameters:
    ///   - subject: The statement, or the connection that is closed.
    ///   - detail: The SQL, or the nanoseconds.
    fileprivate func receive(
        _ kind: UInt32,
        _ subject: OpaquePointer,
        _ detail: UnsafeMutableRawPointer?
    ) {
        if kind == Connection.TraceEvent.connectionClosedMask {
            return traceEvent?.closure(.connectionClosed(connection: subject)) ?? ()
        }
        let plain = sqlite3_sql(subject).map { String(cString: $0) } ?? ""
        // Without memory for the expanded SQL, the SQL says which statement it is. Inside another statement it is a comment.
        let text = sqlite3_expanded_sql(subject)
        defer { sqlite3_free(text) }
        var statement = text.map { String(cString: $0) } ?? plain
        if !plain.hasPrefix("--"), statement.hasPrefix("-- ") { statement = plain }
        var event = Connection.TraceEvent.row(statement: statement)
        if kind == Connection.TraceEvent.statementMask {
            var sql = detail.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? ""
            if sql == "-- " + plain { sql = plain }
            trace?(sql == plain ? statement : sql)
            event = .statement(statement: statement, sql: sql)
        } else if kind == Connection.TraceEvent.profileMask {
            let nanoseconds = detail?.load(as: Int64.self) ?? 0
            event = .profile(statement: statement, seconds: Double(nanoseconds) / 1e9)
        }
        if let traceEvent, traceEvent.mask & kind != 0 { traceEvent.closure(event) }
    }
}

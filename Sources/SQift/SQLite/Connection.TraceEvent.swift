internal import CSQift
import Foundation

extension Connection {
    /// An event that SQLite reports about a connection. Expanded SQL contains the bound values, so
    /// be careful with logs; `traceEvent(expandsSQL: false)` has none.
    ///
    /// SQLite: [SQL Trace Event Codes](https://sqlite.org/c3ref/c_trace.html)
    public enum TraceEvent: CustomStringConvertible {
        /// A statement starts: its expanded SQL, and its SQL.
        ///
        /// For a part of a trigger, the SQL is a comment such as `-- TRIGGER name`. For the action
        /// of a foreign key, it is that of the statement again. For a statement that runs inside
        /// another one, from a function, both have their placeholders.
        case statement(statement: String, sql: SQL)
        /// A statement has ended: its expanded SQL, and the time since its start, which includes
        /// the caller's work between rows.
        case profile(statement: String, seconds: Double)
        /// A statement returns a row: its expanded SQL.
        case row(statement: String)
        /// `close()` was called, which may still fail, or the last reference to the connection is
        /// gone. The `sqlite3 *` identifies the connection; don't call anything with it.
        case connectionClosed(connection: OpaquePointer)

        /// The bit of `.statement` in a mask.
        public static let statementMask = UInt32(SQLITE_TRACE_STMT)

        /// The bit of `.profile` in a mask.
        public static let profileMask = UInt32(SQLITE_TRACE_PROFILE)

        /// The bit of `.row` in a mask.
        public static let rowMask = UInt32(SQLITE_TRACE_ROW)

        /// The bit of `.connectionClosed` in a mask.
        public static let connectionClosedMask = UInt32(SQLITE_TRACE_CLOSE)

        static let all = statementMask | profileMask | rowMask | connectionClosedMask

        /// The event in one line.
        public var description: String {
            switch self {
            case .statement(let statement, let sql):
                "statement: \(statement.inOneLine) (\(sql.inOneLine))"
            case .profile(let statement, let seconds):
                String(format: "%.6f s: ", seconds) + statement.inOneLine
            case .row(let statement):
                "row of: \(statement.inOneLine)"
            case .connectionClosed(let connection):
                "connection closed: \(connection)"
            }
        }
    }
}

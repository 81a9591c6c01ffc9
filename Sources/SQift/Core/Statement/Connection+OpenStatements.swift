internal import CSQift

// What SQLite has open on a connection.
extension Connection {
    /// SQLite's own statements. One without SQL is a blob's.
    var statementHandles: [OpaquePointer] {
        var handles: [OpaquePointer] = []
        while let handle, let next = sqlite3_next_stmt(handle, handles.last) {
            handles.append(next)
        }
        return handles
    }

    /// Throws if a statement is in the middle of its rows, or a blob is open. Whatever may have to
    /// reset statements calls it before it begins, because a caller further up the stack would then
    /// read its rows from the beginning again.
    ///
    /// - Parameter problem: What can't be done.
    func refuseRunningStatements(_ problem: String) throws {
        let running = statementHandles.filter { sqlite3_stmt_busy($0) != 0 }
        if !running.isEmpty {
            throw unfinishedError(.misuse, problem, running)
        }
    }

    /// The error that names the statements and blobs that are in the way. Without any, it is a
    /// backup.
    func unfinishedError(
        _ code: ResultCode,
        _ problem: String,
        _ statements: [OpaquePointer]
    ) -> SQLiteError {
        let texts = statements.map { statement in
            sqlite3_sql(statement).map { String(cString: $0).excerpt(around: 0) } ?? "a blob"
        }
        let left = texts.isEmpty ? "a backup" : texts.joined(separator: " | ")
        return SQLiteError(code: code, message: "\(problem) yet, open: \(left)")
    }
}

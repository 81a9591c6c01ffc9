/// The rows of a query, one after the other, as the caller asks for them.
///
/// ```swift
/// let cursor = try connection.cursor("SELECT name, price FROM cars ORDER BY name")
/// while let row = try cursor.next() {
///     print(try row.get("name") as String)
/// }
/// ```
///
/// A cursor is for what `query` and `forEachRow` can't do, such as reading two results side by
/// side. It only reads. From the first ``next()`` it holds a read lock, until `next()` has returned
/// nil or thrown, or the cursor is closed, or released together with its last row. Several cursors
/// may run the same SQL.
///
/// A cursor belongs to the thread of its connection. It ends with the access that it was made in,
/// and with its connection. If it hasn't returned nil before, `next()` throws from then on.
public final class Cursor {
    private let connection: Connection
    // A constant: if the end set it to nil, each row would be retained. A cursor of a prepared
    // statement therefore keeps it until the cursor is released.
    @usableFromInline let statement: Statement
    /// The statement's entry in the cache; nil for a prepared one.
    private let entry: StatementCache.Entry?

    @usableFromInline enum State {
        case open
        /// SQLite is computing a row. It may call a function that uses this cursor.
        case stepping
        case atEnd
        case closed
    }

    @usableFromInline @exclusivity(unchecked) var state = State.closed
    @usableFromInline @exclusivity(unchecked) var rowNumber = 0

    /// Takes over a statement that is bound.
    init(_ statement: Statement, from entry: StatementCache.Entry? = nil) throws {
        connection = statement.connection
        self.statement = statement
        self.entry = entry
        guard statement.isReadOnly else {
            throw statement.misuse(
                "a cursor only reads, since an early end could undo a write unseen: use query"
            )
        }
        try statement.begin()
        state = .open
        connection.cursors[ObjectIdentifier(self)] = Unmanaged.passUnretained(self)
    }

    deinit {
        close()
    }

    /// Returns the next row, or nil after the last one. The row is valid until the next call, and
    /// keeps the cursor meanwhile.
    ///
    /// - Throws: ``SQLiteError``: also `SQLITE_MISUSE` after the cursor was closed, or ended by an
    ///   error or with its access or its connection.
    @inlinable public func next() throws -> Row? {
        guard case .open = state else {
            try checkEnd()
            return nil
        }
        try statement.checkObstacles()

        state = .stepping
        do {
            if try statement.step() {
                state = .open
                rowNumber &+= 1
                return Row(of: self)
            }
        } catch {
            end(as: .closed)
            throw error
        }
        end(as: .atEnd)
        return nil
    }

    /// Returns the next row as a value, or nil after the last one.
    ///
    /// - Throws: As `next()`; ``ExtractionError`` with the row's number, and what the type's own
    ///   conversion throws. The cursor has then ended.
    @inlinable public func next<T: RowDecodable>(as type: T.Type = T.self) throws -> T? {
        guard let row = try next() else { return nil }
        do {
            return try T.decode(from: row)
        } catch {
            close()
            throw statement.adding(row: rowNumber, to: error)
        }
    }

    /// Ends the query. Closing a cursor again does nothing.
    public func close() {
        // SQLite can't reset a statement while it runs.
        if case .open = state {
            end(as: .closed)
        }
    }

    @usableFromInline func end(as end: State) {
        state = end
        connection.cursors[ObjectIdentifier(self)] = nil
        statement.finish()
        if let entry {
            connection.giveBack(entry)
        }
    }

    /// Throws unless the cursor has returned its last row.
    @usableFromInline func checkEnd() throws {
        try connection.checkObstacles()
        if state != .atEnd {
            throw misuse(
                state == .stepping
                    ? "a function mustn't use the cursor that calls it"
                    : "the cursor was closed, or ended by an error or with its access"
            )
        }
    }
}

extension Connection {
    /// Ends the cursors that are open.
    func closeCursors() {
        // The end of one may release another one.
        for id in cursors.keys {
            cursors[id]?.takeUnretainedValue().close()
        }
    }
}

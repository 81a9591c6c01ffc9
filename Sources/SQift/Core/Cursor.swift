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
/// nil or thrown, or the cursor is closed or released. Several cursors may run the same SQL.
///
/// A cursor belongs to the thread of its connection. It ends with the access that it was made in,
/// and with its connection. If it hasn't returned nil before, `next()` throws from then on.
public final class Cursor {
    private let connection: Connection
    /// Nil once the cursor has ended.
    @usableFromInline @exclusivity(unchecked) private(set) var statement: Statement?
    private let isCached: Bool
    private var hasReachedEnd = false
    /// Whether SQLite is computing a row, which may call a function that uses this cursor.
    @usableFromInline @exclusivity(unchecked) var isStepping = false
    @usableFromInline @exclusivity(unchecked) var rowNumber = 0

    /// Takes over a statement that is bound.
    init(_ statement: Statement, isCached: Bool) throws {
        connection = statement.connection
        self.isCached = isCached
        guard statement.isReadOnly else {
            throw SQLiteError.misuse(
                "a cursor only reads, since an early end could undo a write unseen: use query",
                sql: statement.sql
            )
        }
        try statement.begin()
        self.statement = statement
        connection.cursors[ObjectIdentifier(self)] = Unmanaged.passUnretained(self)
    }

    deinit {
        close()
    }

    /// Returns the next row, or nil after the last one. The row is valid until the next call.
    ///
    /// - Throws: ``SQLiteError``: also `SQLITE_MISUSE` after the cursor was closed, or ended by an
    ///   error or with its access or its connection.
    @inlinable public func next() throws -> Row? {
        guard let statement, !isStepping else { return try nextWithoutStatement() }
        try statement.checkObstacles()
        isStepping = true
        defer { isStepping = false }
        do {
            if try statement.step() {
                rowNumber &+= 1
                return statement.currentRow
            }
        } catch {
            end()
            throw error
        }
        end(hasReachedEnd: true)
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
            let numbered = statement?.adding(row: rowNumber, to: error)
            end()
            throw numbered ?? error
        }
    }

    /// Ends the query. Closing a cursor again does nothing.
    public func close() {
        // SQLite can't reset a statement while it runs.
        if !isStepping {
            end()
        }
    }

    @usableFromInline func end(hasReachedEnd: Bool = false) {
        guard let statement else { return }
        self.statement = nil
        self.hasReachedEnd = hasReachedEnd
        connection.cursors[ObjectIdentifier(self)] = nil
        statement.finish()
        if isCached {
            connection.giveBack(statement)
        }
    }

    @usableFromInline @inline(never) func nextWithoutStatement() throws -> Row? {
        try connection.checkObstacles()
        guard hasReachedEnd else {
            throw SQLiteError.misuse(
                isStepping
                    ? "a function mustn't use the cursor that calls it"
                    : "the cursor was closed, or ended by an error or with its access"
            )
        }
        return nil
    }
}

@available(*, unavailable, message: "a cursor belongs to its connection's thread")
extension Cursor: Sendable {}

extension Connection {
    /// Ends the cursors that are open.
    func closeCursors() {
        // The end of one may release another one.
        for id in cursors.keys {
            cursors[id]?.takeUnretainedValue().close()
        }
    }
}

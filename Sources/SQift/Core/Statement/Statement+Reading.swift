// What every query is made of: a run of the statement, and its rows. Only a cursor, which is
// between two of its rows when it returns, steps by itself.
extension Statement {
    /// Runs the statement from its beginning. `body` reads its rows with `first` or `forEach`.
    /// Afterwards the statement is reset.
    @inlinable @inline(__always) func reading<T>(_ body: () throws -> T) throws -> T {
        try begin()
        defer { finish() }
        return try body()
    }

    /// Returns the result of `body` for the next row, or nil if there is none.
    ///
    /// A statement that writes, such as INSERT … RETURNING, then runs to its end. Outside a
    /// transaction that commits. A reset would commit too, but its error would be lost.
    @inlinable @inline(__always) func first<T>(_ body: (Row) throws -> T) throws -> T? {
        guard try step() else { return nil }
        let result = try body(currentRow)
        if !isReadOnly {
            while try step() {}
        }
        return result
    }

    /// Calls `body` with each row, and gives an `ExtractionError` the number of its row.
    @inlinable @inline(__always) func forEach(_ body: (Row) throws -> Void) throws {
        var number = 0
        do {
            while try step() {
                number &+= 1
                try body(currentRow)
            }
        } catch {
            throw adding(row: number, to: error)
        }
    }

    @usableFromInline @inline(never)
    func adding(row: Int, to error: any Error) -> any Error {
        // The row's closure may have run another statement: an error of that one isn't about this
        // row.
        guard var error = error as? ExtractionError, error.row == nil, error.sql == sql else {
            return error
        }
        error.row = row
        return error
    }
}

import Foundation
import SQift

extension OperationMachine {
    private static let sql = [
        "SELECT a, b FROM t WHERE a > ?",
        "INSERT INTO t(b) VALUES(:b)",
        "SELECT count(*), max(b) FROM t",
        "UPDATE t SET b = ? WHERE a = ?",
        "DELETE FROM t WHERE a = ?",
        "SELECT operate(2) FROM t LIMIT 2",
        "INSERT INTO t(b) SELECT operate(1)",
        "INSERT INTO t(a, b) VALUES(1, ?) ON CONFLICT DO NOTHING RETURNING a",
        "SELEC",
        " -- nothing",
        "SELECT 1; SELECT 2",
        "PRAGMA user_version",
    ]

    /// Does one operation.
    func operate(_ number: Int) throws {
        guard let connection else { return }
        switch number {
        case 0: try closeOrOpen(connection)
        case 1, 2: try insert(on: connection)
        case 3: try delete(on: connection)
        case 4, 5: try runTransaction(on: connection)
        case 6: try runScript(on: connection)
        case 7, 8: try prepare(on: connection)
        case 9: try bind()
        case 10, 11: try runStatement(on: connection)
        case 12: dropStatement()
        case 13: try openCursor(on: connection)
        case 14, 15: try advanceCursor()
        case 16: cursors.popLast()?.close()
        case 17: interrupt(connection)
        case 18: try openBlob(on: connection)
        case 19: try useBlob()
        case 20: try changeSchema(on: connection)
        case 21: try replaceContent(of: connection)
        case 22: try queryAll(on: connection)
        default: connection.releaseMemory()
        }
    }

    // MARK: The connection

    private func closeOrOpen(_ connection: Connection) throws {
        if isClosed, depth == 0 {
            return try open()
        }
        let isInUse = !statements.isEmpty || !blobs.isEmpty
        try attempt("close", isPossible: isClosed || !isInUse) {
            do {
                try connection.close()
            } catch {
                // Its cursors have ended all the same.
                cursors = []
                throw error
            }
            isClosed = true
            cursors = []
        }
        guard isClosed else { return }
        if depth > 0 {
            // The transactions around this can't be committed.
            isModelExact = false
        }
        var error: (any Error)?
        do {
            try connection.run("SELECT 1")
        } catch let thrown {
            error = thrown
        }
        let code = (error as? SQLiteError)?.extendedResultCode
        try expect(code == .misuse, "a closed connection threw \(error as Any)")
        try expect(!connection.isInsideTransaction, "a closed connection is in a transaction")
    }

    private func interrupt(_ connection: Connection) {
        connection.interrupt()
        // It stops what runs, and what starts until that has ended. An open blob runs, too.
        if !cursors.isEmpty || !blobs.isEmpty || depth > 0 {
            isModelExact = false
        }
    }

    private func changeSchema(on connection: Connection) throws {
        try connection.execute(
            [
                "CREATE TABLE IF NOT EXISTS u(x)",
                "DROP TABLE IF EXISTS u",
                "CREATE INDEX IF NOT EXISTS i ON t(b)",
                "DROP INDEX IF EXISTS i",
                "ALTER TABLE t ADD COLUMN c\(input.byte())",
                "VACUUM",
            ][input.number(below: 6)]
        )
    }

    private func replaceContent(of connection: Connection) throws {
        guard let image = try? connection.serialize() else { return }
        try Connection(image: image).backup(to: connection, pagesPerStep: -1)
    }

    // MARK: Rows

    private func insert(on connection: Connection) throws {
        let value = input.value()
        try attempt("insert", isPossible: !isClosed) {
            try connection.run("INSERT INTO t(b) VALUES(?)", value)
            rowCount += 1
        }
    }

    private func delete(on connection: Connection) throws {
        try attempt("delete", isPossible: !isClosed) {
            try connection.run("DELETE FROM t WHERE a = (SELECT max(a) FROM t)")
            rowCount -= connection.changes
        }
    }

    private func queryAll(on connection: Connection) throws {
        try attempt("query", isPossible: !isClosed) {
            let rows: [Row] = try connection.query("SELECT * FROM t")
            if isModelExact, depth == 0 {
                try expect(rows.count == rowCount, "\(rows.count) rows instead of \(rowCount)")
            }
            for row in rows.prefix(3) {
                try readEverything(of: row)
            }
        }
    }

    // MARK: Transactions

    private func runTransaction(on connection: Connection) throws {
        guard depth < 4 else { return }
        let kind = input.number(below: 5)
        let count = input.number(below: 6)
        let isToFail = input.byte() & 1 == 1
        let before = rowCount
        let body = {
            try self.nest {
                for _ in 0..<count {
                    try self.runOperation()
                }
                if isToFail {
                    throw Wanted()
                }
            }
        }
        try attempt("transaction", isPossible: !isClosed && !isToFail) {
            do {
                switch kind {
                case 0: try connection.transaction(closure: body)
                case 1: try connection.transaction(transactionType: .immediate, closure: body)
                case 2: try connection.transaction(transactionType: .exclusive, closure: body)
                case 3: try connection.savepoint(closure: body)
                default: try connection.savepoint(named: "it's \"x\"", closure: body)
                }
            } catch {
                rowCount = before
                throw error
            }
        }
    }

    /// BEGIN, COMMIT and ROLLBACK as a script has them.
    private func runScript(on connection: Connection) throws {
        let kind = input.number(below: 5)
        if depth > 0 || kind > 2 {
            isModelExact = false
        }
        let isOpen = rowCountBefore != nil
        switch kind {
        case 0:
            try attempt("BEGIN", isPossible: !isClosed && !isOpen) {
                try connection.execute("BEGIN")
                rowCountBefore = rowCount
            }
        case 1:
            try attempt("COMMIT", isPossible: !isClosed && isOpen) {
                try connection.execute("COMMIT")
                rowCountBefore = nil
            }
        case 2:
            try attempt("ROLLBACK", isPossible: !isClosed && isOpen) {
                try connection.execute("ROLLBACK")
                rowCount = rowCountBefore ?? rowCount
                rowCountBefore = nil
            }
        case 3:
            try connection.execute("SAVEPOINT s; INSERT INTO t(b) VALUES(1); ROLLBACK TO s")
        default:
            try connection.execute("RELEASE s")
        }
    }

    // MARK: Statements and cursors

    private func prepare(on connection: Connection) throws {
        let index = input.number(below: Self.sql.count)
        guard statements.count < 6 else { return }
        try attempt("prepare", isPossible: !isClosed && !(8...10).contains(index)) {
            statements.append(try connection.prepare(Self.sql[index]))
        }
    }

    private func bind() throws {
        guard let statement = pick(statements) else { return }
        let isNamed = input.byte() & 1 == 1
        if isNamed {
            try statement.bind(["b": input.value()])
        } else {
            try statement.bind((0..<input.number(below: 3)).map { _ in input.value() })
        }
    }

    private func runStatement(on connection: Connection) throws {
        guard let statement = pick(statements) else { return }
        let changes = connection.totalChanges
        defer {
            if statement.sql.hasPrefix("INSERT") {
                rowCount += connection.totalChanges - changes
            } else if statement.sql.hasPrefix("DELETE") {
                rowCount -= connection.totalChanges - changes
            }
        }
        if input.byte() & 1 == 1 {
            try statement.run()
        } else {
            try statement.forEachRow { try readEverything(of: $0) }
        }
        try expect(!statement.isBusy || depth > 0, "a statement is left in its rows")
    }

    private func dropStatement() {
        if !statements.isEmpty {
            statements.remove(at: input.number(below: statements.count))
        }
    }

    private func openCursor(on connection: Connection) throws {
        guard cursors.count < 4 else { return }
        if input.byte() & 1 == 1, let statement = pick(statements) {
            cursors.append(try statement.cursor())
        } else {
            cursors.append(try connection.cursor("SELECT a, b, 'x' FROM t ORDER BY a"))
        }
    }

    private func advanceCursor() throws {
        guard let cursor = pick(cursors) else { return }
        if let row = try cursor.next() {
            try readEverything(of: row)
        }
    }

    private func pick<T>(_ elements: [T]) -> T? {
        elements.isEmpty ? nil : elements[input.number(below: elements.count)]
    }

    // MARK: Blobs

    private func openBlob(on connection: Connection) throws {
        guard blobs.count < 3 else { return }
        let rowID = Int64(input.number(below: 5))
        let isReadOnly = input.byte() & 1 == 1
        blobs.append(
            try connection.openBlob(table: "t", column: "b", rowID: rowID, readOnly: isReadOnly)
        )
    }

    private func useBlob() throws {
        guard let blob = pick(blobs) else { return }
        let offset = Int(Int8(bitPattern: input.byte()))
        let length = Int(Int8(bitPattern: input.byte()))
        switch input.number(below: 4) {
        case 0:
            let read = try blob.read(at: offset, count: length)
            try expect(read.count == length && offset >= 0, "\(read.count) bytes of \(length)")
        case 1:
            try blob.write(Data(count: max(length, 0)), at: offset)
        case 2:
            try blob.reopen(rowID: Int64(offset))
        default:
            // One that was closed stays: each use of it throws.
            try blob.close()
        }
    }
}

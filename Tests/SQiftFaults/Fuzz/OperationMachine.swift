import Foundation
import SQift

/// Does what bytes say with a connection, its statements, cursors and blobs, beside a model: how
/// many rows the table has, and whether a transaction is open.
final class OperationMachine {
    struct Wanted: Error {}

    var input: FuzzInput
    var connection = try? OperationMachine.makeConnection()
    var isClosed = false
    var statements: [Statement] = []
    var cursors: [Cursor] = []
    var blobs: [Blob] = []

    var rowCount = 0
    /// The count before the transaction that the script began, if it has begun one.
    var rowCountBefore: Int?
    /// False as soon as something happened of which the model doesn't know the effect.
    var isModelExact = true

    /// How many closures of transactions and functions the machine is in.
    var depth = 0
    private var operationCount = 0
    private var broken: Broken?

    init(_ input: FuzzInput) {
        self.input = input
    }

    private static func makeConnection() throws -> Connection {
        let connection = try Connection()
        try connection.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b)")
        return connection
    }

    func run() throws {
        try open()
        while !input.isAtEnd, operationCount < 200 {
            try runOperation()
            if let broken {
                throw broken
            }
            try checkModel()
        }
        statements = []
        cursors = []
        blobs = []
        try connection?.close()
        connection = nil
    }

    /// Opens a new database in place of the one that was closed.
    func open() throws {
        let connection = try Self.makeConnection()
        try connection.addFunction(named: "operate") { [weak self] (count: Int) throws -> Int? in
            try self?.runInside(operationCount: count)
        }
        self.connection = connection
        isClosed = false
        rowCount = 0
        rowCountBefore = nil
        isModelExact = true
    }

    /// Does some operations in a closure that SQLite calls.
    private func runInside(operationCount: Int) throws -> Int {
        guard depth < 4 else { return 0 }
        isModelExact = false
        try nest {
            for _ in 0..<operationCount {
                try runOperation()
            }
        }
        return operationCount
    }

    func nest<T>(_ body: () throws -> T) rethrows -> T {
        depth += 1
        defer { depth -= 1 }
        return try body()
    }

    func runOperation() throws {
        operationCount += 1
        do {
            try allowingErrors { try operate(input.number(below: 24)) }
        } catch let error as Broken {
            // SQLite would make another error of it, if it went through a function.
            broken = broken ?? error
            throw error
        }
    }

    // MARK: The model

    private func checkModel() throws {
        guard !isClosed, let connection else { return }
        if !isModelExact {
            try learnState(of: connection)
        }
        let isOpen = connection.isInsideTransaction
        try expect(isOpen == (rowCountBefore != nil), "in a transaction: \(isOpen)")
        let count: Int = try connection.query("SELECT count(*) FROM t")
        try expect(count == rowCount, "\(count) rows instead of \(rowCount)")
    }

    /// Ends everything that runs: after that the connection can be used, whatever was before.
    private func learnState(of connection: Connection) throws {
        for cursor in cursors {
            cursor.close()
        }
        cursors = []
        // A blob that expired throws when it is closed, and is closed.
        for blob in blobs {
            try allowingErrors { try blob.close() }
        }
        blobs = []
        if connection.isInsideTransaction {
            try connection.execute("ROLLBACK")
        }
        rowCountBefore = nil
        rowCount = try connection.query("SELECT count(*) FROM t")
        isModelExact = true
    }

    /// Does something of which the model knows what has to come of it.
    ///
    /// - Parameter isPossible: Whether it has to succeed. Otherwise it has to throw.
    func attempt(_ what: String, isPossible: Bool, _ body: () throws -> Void) throws {
        // An open blob counts as a statement that writes: no commit and no savepoint goes past it.
        let isCertain = isModelExact && depth == 0 && blobs.isEmpty
        var failure: (any Error)?
        do {
            try body()
        } catch let error as Broken {
            throw error
        } catch {
            failure = error
        }
        if failure != nil, !blobs.isEmpty {
            // What was written since a blob was opened for writing isn't committed before it is
            // closed: a transaction that fails undoes that as well.
            isModelExact = false
        }
        guard isCertain, isModelExact else { return }
        if isPossible, let failure {
            throw Broken(description: "\(what) threw \(failure)")
        }
        try expect(isPossible || failure != nil, "\(what) threw nothing")
    }
}

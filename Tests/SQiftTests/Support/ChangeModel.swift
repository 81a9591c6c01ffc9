import Foundation
import SQift
import Testing

/// Random transactions, and what their listeners must hear.
package final class ChangeModel {
    private typealias Operation = ChangeModelStatements.Operation

    /// What the listeners must hear.
    private struct Expectation {
        /// What was written and not undone.
        var written: Set<String> = []
        /// What may be reported besides.
        var allowed: Set<String> = []
    }

    private enum End: CaseIterable {
        case statement
        case transaction
        case outermostSavepoint
        case script
    }

    private let folder: TemporaryFolder
    private let connection: Connection
    /// Changes the schema while the connection isn't in a transaction.
    private let other: Connection
    private let heard: Notes<TableChanges>
    private var generator: SeededGenerator
    private let seed: UInt64
    private var lastNumber = 0
    private var expected = Expectation()
    /// Whether what each statement has written is known. The comparison reads between them, which
    /// mustn't make a difference.
    private var isWatching = true
    /// Whether the other connection has changed the schema since the transaction's beginning.
    private var othersHaveChangedSchema = false
    /// Whether a full-text index may have been written to in this transaction.
    private var hasWrittenIndex = false
    /// The statements of the transaction, for the message of a failure.
    private var history: [String] = []

    package private(set) var operationCount = 0
    package private(set) var commitCount = 0
    package private(set) var rollbackCount = 0
    package private(set) var reported: Set<String> = []

    package init(seed: UInt64) throws {
        self.seed = seed
        generator = SeededGenerator(state: seed)
        folder = try TemporaryFolder()
        connection = try folder.connection()
        other = try folder.connection()
        try connection.attachDatabase(from: .onDisk(folder.path("aux")), withName: "aux")
        try connection.execute(ChangeModelStatements.schema)
        if ChangeModelStatements.hasFullText {
            try connection.execute(ChangeModelStatements.fullTextSchema)
        }
        if ChangeModelStatements.hasRTree {
            try connection.execute("CREATE VIRTUAL TABLE boxes USING rtree(id, a, b)")
        }
        heard = connection.hearChanges()
        try connection.addFunction(named: "write_log") { [unowned connection] (number: Int) in
            try connection.run("INSERT INTO log VALUES(?)", number)
            return number
        }
    }

    private func pick(_ count: Int) -> Int {
        Int.random(in: 0..<count, using: &generator)
    }

    // MARK: Contents

    private static let indexes: Set = ["docs", "search"]
    private static let query = ChangeModelStatements.contents
        .map { "SELECT ifnull(\($0.sql), '')" }.joined(separator: " UNION ALL ")

    private func contents() throws -> [String] {
        try connection.query(Self.query)
    }

    private func difference(_ before: [String], _ after: [String]) -> Set<String> {
        var tables: Set<String> = []
        for (index, content) in ChangeModelStatements.contents.enumerated()
        where before[index] != after[index] {
            tables.insert(content.table)
        }
        if othersHaveChangedSchema {
            tables.remove(ChangeModelStatements.schemaName)
        }
        // Its triggers keep the index up to date.
        if tables.contains("notes") {
            tables.insert("search")
        }
        return tables
    }

    // MARK: Statements

    private func perform(_ operation: Operation) throws {
        lastNumber += 1
        operationCount += 1
        let values = [1 + pick(6), lastNumber]
        history.append("\(operation.sql) \(values)")
        // SQLite can't roll an interrupted change of an R-tree back.
        let mayInterrupt = pick(12) == 0 && !operation.reach.contains("boxes")
        if mayInterrupt {
            var left = 1 + pick(300)
            connection.progressHandler(every: 1) {
                left -= 1
                return left == 0
            }
        }
        defer {
            if mayInterrupt {
                connection.progressHandler(nil)
            }
        }
        // One half is compiled anew, and the other one is cached.
        if pick(2) == 0 {
            let sql = operation.sql.replacingOccurrences(of: "?1", with: "\(values[0])")
            try connection.execute(sql.replacingOccurrences(of: "?2", with: "\(values[1])"))
        } else {
            let statement = try connection.prepare(operation.sql)
            try statement.bind(Array(values.prefix(statement.parameterCount))).run()
        }
    }

    /// Runs a random statement, and notes what it has written.
    private func runStatement() throws {
        let operation = ChangeModelStatements.all[pick(ChangeModelStatements.all.count)]
        let wasInside = connection.isInsideTransaction
        let before = isWatching ? try contents() : []
        var failure: (any Error)?
        do {
            try perform(operation)
        } catch {
            failure = error
        }
        if let failure, wasInside, !connection.isInsideTransaction {
            throw failure
        }
        if isWatching {
            let written = try difference(before, contents())
            expected.written.formUnion(written)
            // A statement that has written may have written to all of these. One that failed may
            // have undone it, and a full-text index writes its tables during later statements.
            let isUncertain = failure != nil && wasInside && operation.reach.count > 1
            let isCounted = Capability.countsEmptiedTables
            if !written.isEmpty || isUncertain || hasWrittenIndex || !isCounted {
                expected.allowed.formUnion(operation.reach)
            }
            hasWrittenIndex = hasWrittenIndex || !operation.reach.isDisjoint(with: Self.indexes)
        } else {
            expected.allowed.formUnion(operation.reach)
        }
        if let failure {
            throw failure
        }
    }

    // MARK: Transactions

    private func block(_ depth: Int) throws {
        for _ in 0...pick(4) {
            do {
                switch pick(depth < 3 ? 12 : 9) {
                case 9, 10: try undoableSavepoint(depth)
                case 11: try undoneSavepointInSQL(depth)
                case 8 where pick(4) == 0: throw TestError()
                default: try runStatement()
                }
            } catch _ where connection.isInsideTransaction && pick(4) > 0 {}
        }
    }

    private func undoableSavepoint(_ depth: Int) throws {
        let before = expected
        history.append("(")
        do {
            try connection.savepoint {
                try block(depth + 1)
                if pick(3) == 0 {
                    throw TestError()
                }
            }
            history.append(")")
        } catch {
            expected = before
            history.append(") undone")
            throw error
        }
    }

    /// What it undoes may be reported.
    private func undoneSavepointInSQL(_ depth: Int) throws {
        let before = expected
        try connection.run("SAVEPOINT s")
        history.append("SAVEPOINT")
        do {
            try block(depth + 1)
        } catch _ where connection.isInsideTransaction {}
        try connection.execute("ROLLBACK TO s; RELEASE s")
        history.append("ROLLBACK TO")
        expected.allowed.formUnion(expected.written)
        expected.written = before.written
    }

    private func runScript() throws {
        try connection.execute("BEGIN")
        do {
            try block(0)
        } catch _ where connection.isInsideTransaction {}
        do {
            if pick(4) == 0 {
                throw TestError()
            }
            try connection.execute("COMMIT")
        } catch {
            try connection.execute("ROLLBACK")
            throw error
        }
    }

    /// Runs a random transaction, and compares what its listeners hear.
    package func transact() throws {
        expected = Expectation()
        history = []
        hasWrittenIndex = false
        isWatching = pick(4) > 0
        othersHaveChangedSchema = false
        let end = End.allCases[pick(End.allCases.count)]
        let before = try contents()
        if pick(8) == 0 {
            // Nothing may read the schema before the first statement does.
            isWatching = false
            othersHaveChangedSchema = true
            let all = ChangeModelStatements.schemaChangesOfOthers
            let sql = all[pick(all.count)]
            history.append("another connection: \(sql)")
            try other.run(sql)
        }
        var failure: (any Error)?
        do {
            switch end {
            case .statement: try runStatement()
            case .transaction: try connection.transaction { try block(0) }
            case .outermostSavepoint: try connection.savepoint { try block(0) }
            case .script: try runScript()
            }
        } catch {
            failure = error
        }
        let told = heard.take()
        #expect(!connection.isInsideTransaction, comment(end, failure))
        let changed = try difference(before, contents())
        if end == .statement || failure == nil {
            expectCommit(told, changed, comment(end, failure))
        } else {
            rollbackCount += 1
            #expect(changed == [], comment(end, failure))
            #expect(told == [], comment(end, failure))
        }
    }

    private func comment(_ end: End, _ failure: (any Error)?) -> Comment {
        let error = failure.map { "\($0)" } ?? "no error"
        return "seed \(seed), \(end), \(error):\n\(history.joined(separator: "\n"))"
    }

    /// - Parameter changed: What differs from before the transaction.
    private func expectCommit(
        _ told: [TableChanges],
        _ changed: Set<String>,
        _ comment: Comment
    ) {
        guard let changes = told.first, told.count == 1 else {
            #expect(told == [], comment)
            #expect(changed == [], comment)
            #expect(expected.written == [], comment)
            return
        }
        commitCount += 1
        let schemaName = ChangeModelStatements.schemaName
        // Those in which an index keeps its content may be named beside it.
        let named = changes.tables.filter { name in
            !["docs_", "search_", "boxes_"].contains { name.hasPrefix($0) }
        }
        let tables = named.union(changes.schemaChanged ? [schemaName] : [])
        reported.formUnion(tables)
        #expect(tables != [], comment)
        #expect(changed.subtracting(tables) == [], "not reported, \(comment)")
        #expect(expected.written.subtracting(tables) == [], "not reported, \(comment)")
        let known = expected.written.union(expected.allowed)
        #expect(tables.subtracting(known) == [], "not written, \(comment)")
        #expect(!changes.includesAllTables && !changes.isExternal, comment)
    }
}

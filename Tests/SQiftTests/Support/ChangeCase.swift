// Only the library makes `TableChanges`.
import Foundation
import Testing

@testable import SQift

/// A statement, and the tables that it changes.
package struct ChangeCase: Sendable, CustomTestStringConvertible {
    package let schema: String
    package let sql: String
    package let tables: Set<String>

    /// - Parameter changes: Statements, and the tables that each changes, with commas between them.
    package static func all(
        _ schema: String,
        _ changes: KeyValuePairs<String, String>
    ) -> [Self] {
        changes.map { sql, tables in
            Self(schema: schema, sql: sql, tables: Set(list(tables)))
        }
    }

    package var testDescription: String { sql }

    /// How a statement is run.
    package enum Manner: CaseIterable, Sendable {
        case alone
        case inAScript
        case inATransaction
        case inASavepointOfATransaction
        case inATransactionOfAScript
        case preparedBeforeTheListener
        case runBeforeTheListener
        case inATransactionThatIsRolledBack
        case inASavepointThatIsUndone
    }

    /// Runs the statement, and expects that the listeners hear of its tables, and of nothing else
    /// but perhaps tables that it could have written to.
    package func check(
        _ manner: Manner,
        within reach: Set<String> = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let connection = try Connection()
        try connection.execute("PRAGMA foreign_keys = ON; \(schema)")
        var statement: Statement?
        if manner == .preparedBeforeTheListener {
            statement = try connection.prepare(sql)
        }
        if manner == .runBeforeTheListener {
            // It stays in the cache, compiled.
            _ = expectThrows(TestError.self) {
                try connection.transaction {
                    try connection.run(sql)
                    throw TestError()
                }
            }
        }

        let heard = connection.hearChanges()
        switch manner {
        case .alone, .runBeforeTheListener:
            try connection.run(sql)
        case .inAScript:
            try connection.execute(sql)
        case .inATransaction:
            try connection.transaction { try connection.run(sql) }
        case .inASavepointOfATransaction:
            try connection.transaction { try connection.savepoint { try connection.run(sql) } }
        case .inATransactionOfAScript:
            try connection.execute("BEGIN; \(sql); COMMIT")
        case .preparedBeforeTheListener:
            try statement?.run()
        case .inATransactionThatIsRolledBack:
            expectThrows(TestError.self) {
                try connection.transaction {
                    try connection.run(sql)
                    throw TestError()
                }
            }
            #expect(heard.all == [], sourceLocation: sourceLocation)
            return
        case .inASavepointThatIsUndone:
            try connection.transaction {
                expectThrows(TestError.self) {
                    try connection.savepoint {
                        try connection.run(sql)
                        throw TestError()
                    }
                }
            }
            #expect(heard.all == [], sourceLocation: sourceLocation)
            return
        }
        // An old SQLite doesn't tell whether a DELETE has found a row.
        let deletes = sql.contains("DELETE") || schema.contains("DELETE")
        if tables.isEmpty, deletes, !Capability.countsEmptiedTables {
            return
        }
        #expect(heard.all.count == (tables.isEmpty ? 0 : 1), sourceLocation: sourceLocation)
        guard let told = heard.all.first else { return }
        #expect(told == TableChanges(tables: told.tables), sourceLocation: sourceLocation)
        #expect(told.tables.isSuperset(of: tables), sourceLocation: sourceLocation)
        let others = told.tables.subtracting(tables)
        #expect(others.isSubset(of: reach), sourceLocation: sourceLocation)
    }
}

/// What has commas between its parts.
package func list(_ text: String) -> [String] {
    text.isEmpty ? [] : text.components(separatedBy: ", ")
}

import Foundation
import SQift

extension Scenario {
    /// Listeners to changes: they hear of what was committed, and of nothing else.
    static var changes: [Scenario] {
        [
            forEachJournal("commit-listener", prepare: makeLogged, run: listenToCommits),
            forEachJournal(
                "change-listener",
                traits: [.usesDatabase],
                prepare: makeLogged,
                run: listenToDatabase
            ),
            forEachJournal(
                "async-changes",
                traits: [.usesDatabase, .isAsynchronous],
                prepare: makeLogged,
                run: awaitChanges
            ),
            forEachJournal(
                "async-values",
                traits: [.usesDatabase, .isAsynchronous],
                run: awaitValues
            ),
        ].flatMap(\.self)
    }

    /// A trigger writes to a second table, whose rows SQLite's hook tells.
    private static func makeLogged(_ work: Workplace, journal: String) throws {
        try work.makeDatabase(journal: journal)
        let connection = try work.open()
        try connection.execute(
            """
            CREATE TABLE log(a PRIMARY KEY) WITHOUT ROWID;
            CREATE TRIGGER note AFTER UPDATE ON t WHEN new.a = 1
            BEGIN INSERT OR REPLACE INTO log VALUES(new.k); END
            """
        )
        try work.close(connection)
    }

    private static func listenToCommits(_ work: Workplace, _: String) throws {
        let connection = try work.open()
        let before: Int = try connection.query("SELECT min(k) FROM t")
        let heard = Locked<[TableChanges]>([])
        connection.didCommit { changes in heard.withLock { $0.append(changes) } }
        work.keep(
            heard,
            use: { [unowned connection] in
                // A connection that was broken has been closed by now.
                guard (try? connection.withUnsafeHandle { _ in }) != nil else { return }
                let k: Int = try connection.query("SELECT min(k) FROM t")
                // Using the connection has set `user_version`, which names no table.
                let told = heard.withLock { $0.filter { !$0.tables.isEmpty } }
                try expect(told.isEmpty || k == 2, "heard of what isn't there: \(told)")
                try expect(before == 2 || k == 1 || !told.isEmpty, "heard nothing of a commit")
            },
            close: {}
        )

        try connection.transaction {
            try connection.run("UPDATE t SET k = 2")
            try? connection.savepoint {
                try connection.run("DELETE FROM child")
                throw Broken(description: "wanted")
            }
        }
        work.promise()

        let told = heard.withLock { $0 }
        try expect(told.count == 1 && told[0].concerns("t"), "heard \(told)")
        try expect(told[0].concerns("log"), "heard \(told)")
        try work.close(heard)
        try work.close(connection)
    }

    private static func listenToDatabase(_ work: Workplace, journal: String) throws {
        let database = try work.openDatabase(journal: journal)
        let hasHeard = DispatchSemaphore(value: 0)
        let listener = database.onChanges(in: ["log"]) { _ in hasHeard.signal() }
        try database.write { try $0.run("UPDATE t SET k = 2") }
        work.promise()
        if work.interruption?.action != .close {
            // A database that was closed meanwhile tells nothing any more.
            try expect(hasHeard.wait(timeout: .now() + 60) == .success, "heard nothing")
        }
        listener.end()
        try work.close(database)
    }

    private static func awaitChanges(_ work: Workplace, journal: String) throws {
        let database = try work.openDatabase(journal: journal)
        let changes = database.changes(in: ["t"])
        try database.write { try $0.run("UPDATE t SET k = 2") }
        work.promise()
        let heard: Bool? = try work.awaiting {
            for await change in changes {
                return change.concerns("t")
            }
            return nil
        }
        // Without one, the task was cancelled, or the database closed.
        try expect(heard != false, "heard of another table")
        try work.close(database)
    }

    private static func awaitValues(_ work: Workplace, journal: String) throws {
        let database = try work.openDatabase(journal: journal)
        let sums = database.values { try $0.query("SELECT min(k) FROM t") as Int }
        let last = try work.awaiting {
            var last: Int?
            for try await sum in sums {
                last = sum
                if sum == 2 {
                    break
                }
                try await database.write { try $0.run("UPDATE t SET k = 2") }
            }
            return last
        }
        guard last == 2 else {
            // The task was cancelled, or the database closed, which ends the loop.
            throw CancellationError()
        }
        work.promise()
        try work.close(database)
    }
}

import Foundation
import SQift

extension Scenario {
    /// Transactions and savepoints, on one file and on two.
    static var transactions: [Scenario] {
        [
            forEachJournal("transaction", run: update),
            forEachJournal("transaction-spilling", run: updateBeyondTheCache),
            forEachJournal("savepoint", run: nestSavepoints),
            forEachJournal("transaction-failing", run: rollBack),
            forEachJournal("checkpoint", run: checkpoint),
            forEachJournal(
                "attach",
                prepare: { work, journal in
                    try work.makeDatabase(journal: journal)
                    try work.makeDatabase("other.db", journal: journal)
                },
                run: updateBothFiles
            ).map { scenario in
                var scenario = scenario
                // A WAL is of one file: a commit of two can be in one of them only.
                if scenario.name.hasSuffix("wal") {
                    scenario.traits.insert(.writesSeveralFiles)
                }
                return scenario
            },
        ].flatMap(\.self)
    }

    private static func update(_ work: Workplace, _: String) throws {
        let connection = try work.open()
        try connection.transaction(transactionType: .immediate) {
            try connection.run("UPDATE t SET k = 2")
            try connection.run("UPDATE t SET x = zeroblob(401)")
        }
        work.promise()
        try work.close(connection)
    }

    /// Pages are written before the commit.
    private static func updateBeyondTheCache(_ work: Workplace, _: String) throws {
        let connection = try work.open()
        try connection.execute("PRAGMA cache_size = 5")
        try connection.transaction {
            try connection.run("UPDATE t SET k = 2, x = zeroblob(3000)")
            try connection.run("DELETE FROM t WHERE a > 30")
        }
        work.promise()
        try work.close(connection)
    }

    private static func nestSavepoints(_ work: Workplace, _: String) throws {
        let connection = try work.open()
        try connection.savepoint {
            try connection.run("UPDATE t SET k = 2")
            do {
                try connection.savepoint(named: "inner") {
                    try connection.run("DELETE FROM t")
                    throw CancellationError()
                }
            } catch is CancellationError {
                // It undoes the inner one only.
            }
            try connection.savepoint { try connection.run("UPDATE t SET x = 1 WHERE a = 1") }
        }
        work.promise()
        try work.expectRows(40, k: 2, in: connection)
        try work.close(connection)
    }

    private static func rollBack(_ work: Workplace, _: String) throws {
        let connection = try work.open()
        do {
            try connection.transaction {
                try connection.run("UPDATE t SET k = 3")
                try connection.run("INSERT INTO t(a) VALUES(1)")
            }
        } catch let error as SQLiteError where error.resultCode == .constraint {
            // That is what it is for.
        }
        try work.expectRows(40, k: 1, in: connection)
        try expect(!connection.isInsideTransaction, "a transaction is open")
        try work.close(connection)
    }

    private static func checkpoint(_ work: Workplace, journal: String) throws {
        let connection = try work.open()
        try connection.run("UPDATE t SET k = 2")
        work.promise()
        if journal == "wal" {
            try connection.checkpoint(mode: .passive)
            try connection.run("UPDATE t SET x = x")
            try connection.checkpoint(mode: .truncate)
        }
        let _: String = try connection.query("PRAGMA journal_mode = delete")
        let _: String = try connection.query("PRAGMA journal_mode = \(journal)")
        try work.close(connection)
    }

    private static func updateBothFiles(_ work: Workplace, _: String) throws {
        let connection = try work.open()
        try connection.attachDatabase(from: .onDisk(work.path("other.db")), withName: "other")
        try connection.transaction {
            try connection.run("UPDATE main.t SET k = 2")
            try connection.run("UPDATE other.t SET k = 2")
        }
        work.promise()
        try connection.detachDatabase(named: "other")
        try work.close(connection)
    }
}

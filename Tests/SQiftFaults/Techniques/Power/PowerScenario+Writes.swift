import Foundation
import SQift

extension PowerScenario {
    private typealias JournalMode = Database.Configuration.JournalMode
    private typealias Synchronous = Database.Configuration.Synchronous

    /// Writes with each journal and each degree of syncing, through a `Database` and through a
    /// `Connection`.
    ///
    /// A journal other than a WAL with NORMAL is left out: SQLite says itself that a power failure
    /// can damage the database then. https://sqlite.org/pragma.html#pragma_synchronous
    static var writes: [PowerScenario] {
        let journals: [JournalMode] = [.wal, .delete, .truncate, .persist]
        let degrees: [Synchronous] = [.full, .extra, .normal, .off]
        return journals.flatMap { journal in
            degrees.filter { journal == .wal || $0 != .normal }.flatMap { synchronous in
                [true, false].map { usesDatabase in
                    PowerScenario(
                        scenario: write(journal, synchronous, usesDatabase: usesDatabase),
                        loss: loss(of: journal, synchronous)
                    )
                }
            }
        }
    }

    private static func loss(of journal: JournalMode, _ synchronous: Synchronous) -> Loss {
        switch (synchronous, journal) {
        case (.off, _): .anything
        case (.normal, _): .commits
        case (.full, .delete): .lastCommit
        default: .nothing
        }
    }

    /// Transactions that make a database, change it, and change it again after it was closed.
    private static func write(
        _ journal: JournalMode,
        _ synchronous: Synchronous,
        usesDatabase: Bool
    ) -> Scenario {
        let form = usesDatabase ? "database" : "connection"
        return Scenario(
            name: "write-\(form)-\(journal)-\(synchronous)",
            // There is no file yet.
            prepare: { _ in },
            // There is an empty one.
            stages: [
                { work in
                    try work.open().run("PRAGMA user_version = 0")
                }
            ],
            run: { work in
                for numbers in [1...4, 5...6] {
                    if usesDatabase {
                        try write(numbers, journal, synchronous, throughDatabaseOf: work)
                    } else {
                        try write(numbers, journal, synchronous, throughConnectionOf: work)
                    }
                }
            }
        )
    }

    private static func write(
        _ numbers: ClosedRange<Int>,
        _ journal: JournalMode,
        _ synchronous: Synchronous,
        throughDatabaseOf work: Workplace
    ) throws {
        var configuration = Database.Configuration()
        configuration.journalMode = journal
        configuration.synchronous = synchronous
        configuration.writerConnectionPreparation = { try $0.haveMuchToWrite() }
        let database = try Database(path: work.path("main.db"), configuration: configuration)
        work.keep(database, use: {}, close: { try database.close() })
        for number in numbers {
            try database.write { try $0.fill(with: number) }
            work.promise()
        }
        try work.close(database)
    }

    private static func write(
        _ numbers: ClosedRange<Int>,
        _ journal: JournalMode,
        _ synchronous: Synchronous,
        throughConnectionOf work: Workplace
    ) throws {
        let connection = try work.open()
        let _: String = try connection.query("PRAGMA journal_mode = \(journal)")
        try connection.execute("PRAGMA synchronous = \(synchronous.rawValue)")
        try connection.haveMuchToWrite()
        for number in numbers {
            try connection.transaction { try connection.fill(with: number) }
            work.promise()
        }
        try work.close(connection)
    }
}

extension Connection {
    /// Lets a transaction write pages before its end, and lets checkpoints come soon.
    fileprivate func haveMuchToWrite() throws {
        try execute("PRAGMA cache_size = 5; PRAGMA wal_autocheckpoint = 8")
    }

    /// Sets all rows to a number, or makes them.
    fileprivate func fill(with number: Int) throws {
        try execute(
            """
            CREATE TABLE IF NOT EXISTS t(a INTEGER PRIMARY KEY, k INTEGER, x BLOB);
            CREATE INDEX IF NOT EXISTS i ON t(k)
            """
        )
        try run(
            """
            WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 60)
            INSERT OR REPLACE INTO t SELECT i, ?, zeroblob(400) FROM n
            """,
            number
        )
    }
}

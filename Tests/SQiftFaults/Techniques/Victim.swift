import Foundation
import SQift

/// A process that is killed while it works.
struct Victim {
    let name: String
    var isPossible: () -> Bool = { true }

    /// Makes what it works on.
    let prepare: (_ folder: String) throws -> Void

    /// Works until it is killed, and says a line for each thing that is done.
    let work: (_ folder: String, _ round: Int) throws -> Void

    /// Checks what it has left, and that the next one can begin.
    let check: (_ folder: String, _ said: [String]) throws -> Void

    static var all: [Victim] {
        ["delete", "wal"].flatMap { journal in
            [write(journal), migrate(journal), backUp(journal), restore(journal)]
                + changingKey(journal)
        }
    }
}

extension Victim {
    /// Batches of 20 rows, each in a transaction.
    private static func write(_ journal: String) -> Victim {
        Victim(
            name: "write-\(journal)",
            prepare: { folder in
                let connection = try Connection(path: folder + "/main.db")
                let _: String = try connection.query("PRAGMA journal_mode = \(journal)")
                try connection.execute("CREATE TABLE t(batch, x); CREATE INDEX i ON t(batch)")
                try connection.close()
            },
            work: { folder, _ in
                let database = try openDatabase(folder + "/main.db", journal: journal)
                while true {
                    let batch = try database.write { connection in
                        let batch: Int = try connection.query("SELECT ifnull(max(batch), 0) FROM t")
                        for _ in 0..<20 {
                            try connection.run(
                                "INSERT INTO t VALUES(?, randomblob(300))",
                                batch + 1
                            )
                        }
                        return batch + 1
                    }
                    say("\(batch)")
                }
            },
            check: { folder, said in
                let connection = try openChecked(folder + "/main.db")
                let counts: [Int] = try connection.query("SELECT count(*) FROM t GROUP BY batch")
                try expect(counts.allSatisfy { $0 == 20 }, "a batch is in parts: \(counts)")
                try expect(counts.count >= said.lastNumber, "\(counts.count) batches")
                try closeAlone(connection, in: folder)
            }
        )
    }

    /// Sixty migrations, each a table with rows and an index.
    private static func migrate(_ journal: String) -> Victim {
        Victim(
            name: "migrate-\(journal)",
            prepare: { folder in
                let connection = try Connection(path: folder + "/main.db")
                let _: String = try connection.query("PRAGMA journal_mode = \(journal)")
                try connection.close()
            },
            work: { folder, _ in
                let migrations = (1...60).map { number in
                    Migration(
                        "m\(number)",
                        sql: """
                            CREATE TABLE m\(number)(a, b);
                            WITH RECURSIVE n(i) AS (
                                VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 100
                            )
                            INSERT INTO m\(number) SELECT i, randomblob(100) FROM n;
                            CREATE INDEX i\(number) ON m\(number)(a)
                            """
                    )
                }
                let connection = try Connection(path: folder + "/main.db")
                while true {
                    try Migrator(connection: connection, migrations: migrations)
                        .run(didRun: { say("\($0.name.dropFirst())") })
                    say("60")
                    let tables: [String] = try connection.query(
                        "SELECT name FROM sqlite_schema WHERE type = 'table'"
                    )
                    try connection.transaction {
                        for table in tables {
                            try connection.run("DROP TABLE \(table)")
                        }
                    }
                    say("0")
                }
            },
            check: { folder, said in
                let connection = try openChecked(folder + "/main.db")
                let applied = try Migrator(connection: connection, migrations: []).unknown()
                let tables: [String] = try connection.query(
                    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'm[0-9]*'"
                )
                try expect(applied.sorted() == tables.sorted(), "\(applied) but \(tables)")
                for table in tables {
                    let count: Int = try connection.query("SELECT count(*) FROM \(table)")
                    try expect(count == 100, "\(count) rows in \(table)")
                    try expect(try connection.indexes(on: table).count == 1, "no index in \(table)")
                }
                // It may have begun from the beginning again.
                let isEnough = tables.count >= said.lastNumber || said.lastNumber == 60
                try expect(isEnough, "\(tables.count) migrations")
                try closeAlone(connection, in: folder)
            }
        )
    }

    // MARK: Help

    static func openDatabase(_ path: String, journal: String, key: Data? = nil) throws -> Database {
        var configuration = Database.Configuration()
        configuration.journalMode = journal == "wal" ? .wal : .delete
        configuration.connection.key = key
        return try Database(path: path, configuration: configuration)
    }

    /// Opens what a killed process has left. Nobody has locked it, and it is whole.
    static func openChecked(_ path: String, key: Data? = nil) throws -> Connection {
        var configuration = Connection.Configuration()
        configuration.key = key
        let connection = try Connection(path: path, configuration: configuration)
        // A journal that wasn't in use yet is removed by the next write.
        try connection.useAfterFault()
        let problems = try connection.integrityCheck()
        try expect(problems.isEmpty, "\(path) is damaged: \(problems.prefix(3))")
        return connection
    }

    /// Closes the connection, after which its file is alone.
    static func closeAlone(_ connection: Connection, in folder: String) throws {
        try connection.close()
        let names = try fileNames(in: folder).filter { $0.first != "." }
        try expect(names.allSatisfy { $0.hasSuffix(".db") }, "left: \(names)")
    }
}

extension [String] {
    /// The number in the last line, or 0.
    var lastNumber: Int { last.flatMap { Int($0) } ?? 0 }
}

import Foundation
import SQift

extension PowerScenario {
    /// A backup over what a killed process has left: a WAL, with its database or without it.
    static func backUpOverLeftover(hasDatabase: Bool) -> Scenario {
        Scenario(
            name: hasDatabase ? "backup-over-leftover" : "backup-over-stray",
            traits: [.usesDatabase],
            prepare: { work in
                try work.makeDatabase(journal: "wal", k: 2, rowCount: 90)
                try work.makeDatabase("copy.db", journal: "wal")
                try leaveWAL(of: "copy.db", in: work)
                if !hasDatabase {
                    try FileManager.default.removeItem(atPath: work.path("copy.db"))
                }
            },
            run: { work in
                let database = try work.openDatabase(journal: "wal")
                try database.backup(to: .onDisk(work.path("copy.db")), pagesPerStep: 4)
                work.promise()
                try work.close(database)
            }
        )
    }

    /// Leaves a database as a process does that is killed after a write.
    private static func leaveWAL(of name: String, in work: Workplace) throws {
        let connection = try work.open(name)
        try connection.run("UPDATE t SET k = 3")
        let suffixes = ["", "-wal"]
        for suffix in suffixes {
            try FileManager.default.copyItem(
                atPath: work.path(name + suffix),
                toPath: work.path("kept" + suffix)
            )
        }
        try work.close(connection)
        try FileManager.default.removeItem(atPath: work.path(name))
        for suffix in suffixes {
            try FileManager.default.moveItem(
                atPath: work.path("kept" + suffix),
                toPath: work.path(name + suffix)
            )
        }
    }

    /// Migrations in SQL and in Swift, each of which is reported when it is done.
    static func migrateThroughDatabase(_ journal: String) -> Scenario {
        @Sendable func text(_ name: String) -> String {
            """
            CREATE TABLE \(name)(a, b);
            INSERT INTO \(name) SELECT a, x FROM t;
            CREATE INDEX \(name)_index ON \(name)(a)
            """
        }
        return Scenario(
            name: "migrate-database-\(journal)",
            traits: [.usesDatabase],
            prepare: { try $0.makeDatabase(journal: journal) },
            run: { work in
                let database = try work.openDatabase(journal: journal)
                try database.writeWithoutTransaction { connection in
                    let migrations = [
                        Migration("one", sql: text("m1")),
                        Migration("two") { try $0.execute(text("m2")) },
                        Migration("three", sql: text("m3")),
                    ]
                    try Migrator(connection: connection, migrations: migrations)
                        .run(didRun: { _ in work.promise() })
                }
                try work.close(database)
            }
        )
    }
}

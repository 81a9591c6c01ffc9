import Foundation
import SQift

extension Victim {
    /// A database with a number, that is large enough to take some time.
    private static func makeNumbered(
        _ path: String,
        journal: String,
        number: Int,
        key: Data? = nil
    ) throws {
        var configuration = Connection.Configuration()
        configuration.key = key
        let connection = try Connection(path: path, configuration: configuration)
        let _: String = try connection.query("PRAGMA journal_mode = \(journal)")
        try connection.execute("CREATE TABLE state(number); CREATE TABLE t(a, x)")
        try connection.transaction {
            try connection.run("INSERT INTO state VALUES(?)", number)
            try connection.run(
                """
                WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                INSERT INTO t SELECT ?, randomblob(1000) FROM n
                """,
                number
            )
        }
        try connection.close()
    }

    /// The number of a whole database.
    private static func number(in connection: Connection) throws -> Int {
        let number: Int = try connection.query("SELECT number FROM state")
        let count: Int = try connection.query("SELECT count(*) FROM t WHERE a = ?", number)
        try expect(count == 300, "\(count) rows with \(number)")
        return number
    }

    /// A database is backed up again and again, with another number each time.
    static func backUp(_ journal: String) -> Victim {
        Victim(
            name: "backup-\(journal)",
            prepare: { folder in
                try makeNumbered(folder + "/main.db", journal: journal, number: 0)
                try makeNumbered(folder + "/copy.db", journal: "delete", number: 0)
            },
            work: { folder, _ in
                let database = try openDatabase(folder + "/main.db", journal: journal)
                while true {
                    let number = try database.write { connection in
                        try connection.run("UPDATE state SET number = number + 1")
                        try connection.run("UPDATE t SET a = a + 1")
                        return try connection.query("SELECT number FROM state") as Int
                    }
                    try database.backup(to: .onDisk(folder + "/copy.db"), pagesPerStep: 20)
                    say("\(number)")
                }
            },
            check: { folder, said in
                let copy = try openChecked(folder + "/copy.db")
                let connection = try openChecked(folder + "/main.db")
                let saved = try number(in: copy)
                let last = try number(in: connection)
                try expect(saved >= said.lastNumber && saved <= last, "\(saved) of \(last)")
                try copy.close()
                try closeAlone(connection, in: folder)
                let database = try openDatabase(folder + "/main.db", journal: journal)
                try database.backup(to: .onDisk(folder + "/copy.db"))
                try database.close()
                let names = try fileNames(in: folder)
                try expect(names == ["copy.db", "main.db"], "the next backup left \(names)")
            }
        )
    }

    /// Two backups are restored in turn.
    static func restore(_ journal: String) -> Victim {
        Victim(
            name: "restore-\(journal)",
            prepare: { folder in
                try makeNumbered(folder + "/main.db", journal: journal, number: 1)
                try makeNumbered(folder + "/1.db", journal: "delete", number: 1)
                try makeNumbered(folder + "/2.db", journal: "delete", number: 2)
            },
            work: { folder, _ in
                let database = try openDatabase(folder + "/main.db", journal: journal)
                while true {
                    for number in [2, 1] {
                        try database.restore(
                            from: .onDisk("\(folder)/\(number).db"),
                            pagesPerStep: 20
                        )
                        say("\(number)")
                    }
                }
            },
            check: { folder, _ in
                let connection = try openChecked(folder + "/main.db")
                let number = try number(in: connection)
                try expect([1, 2].contains(number), "number \(number)")
                try closeAlone(connection, in: folder)
            }
        )
    }

    /// The key of a database changes to and fro.
    static func changingKey(_ journal: String) -> [Victim] {
        [
            changingKey("new-key-\(journal)", [Keys.passphrase, Keys.otherPassphrase], journal),
            changingKey("first-key-\(journal)", [Keys.passphrase, nil], journal),
        ]
    }

    private static func changingKey(_ name: String, _ keys: [Data?], _ journal: String) -> Victim {
        Victim(
            name: name,
            isPossible: { Keys.areSupported },
            prepare: { folder in
                try makeNumbered(folder + "/main.db", journal: journal, number: 1, key: keys[0])
            },
            work: { folder, _ in
                let path = folder + "/main.db"
                var keys = keys
                if try !opens(path, with: keys[0]) {
                    keys.swapAt(0, 1)
                }
                var configuration = Connection.Configuration()
                say("ready")
                while true {
                    configuration.key = keys[0]
                    try Connection.changeKey(of: path, configuration: configuration, to: keys[1])
                    say("changed")
                    keys.swapAt(0, 1)
                }
            },
            check: { folder, _ in
                let path = folder + "/main.db"
                let opening = try keys.filter { try opens(path, with: $0) }
                try expect(opening.count == 1, "it opens with \(opening.count) of the keys")
                let connection = try openChecked(path, key: opening[0])
                _ = try number(in: connection)
                try closeAlone(connection, in: folder)
            }
        )
    }

    private static func opens(_ path: String, with key: Data?) throws -> Bool {
        var configuration = Connection.Configuration()
        configuration.key = key
        do {
            let connection = try Connection(path: path, configuration: configuration)
            try connection.run("SELECT 1 FROM sqlite_schema")
            try connection.close()
            return true
        } catch let error as SQLiteError where error.resultCode == .notADatabase {
            return false
        }
    }
}

import Foundation
import SQift

extension Scenario {
    /// Connections of several kinds are opened and closed.
    static var opening: [Scenario] {
        let plain = forEachJournal("open") { work, _ in
            let connection = try work.open()
            try work.expectRows(40, k: 1, in: connection)
            try work.close(connection)
        }
        let hardened = forEachJournal("open-hardened") { work, _ in
            var configuration = Connection.Configuration()
            configuration.hardened = true
            configuration.readOnly = true
            configuration.foreignKeys = true
            configuration.busyTimeout = 0.05
            let connection = try work.open("main.db", configuration)
            try work.expectRows(40, k: 1, in: connection)
            try work.close(connection)
        }
        return plain + hardened + [create, memory, sharedMemory]
    }

    private static var create: Scenario {
        Scenario(
            name: "create",
            prepare: { _ in },
            stages: [
                // The file without anything, and with a journal mode.
                { try Data().write(to: URL(fileURLWithPath: $0.path("main.db"))) },
                { let _: String = try $0.open().query("PRAGMA journal_mode = wal") },
            ],
            run: { work in
                let connection = try work.open()
                let _: String = try connection.query("PRAGMA journal_mode = wal")
                try connection.execute("CREATE TABLE IF NOT EXISTS t(a)")
                work.promise()
                try work.close(connection)
            }
        )
    }

    private static var memory: Scenario {
        Scenario(
            name: "memory",
            prepare: { _ in },
            run: { work in
                let connection = try work.open(.inMemory)
                try connection.execute("CREATE TABLE t(a, b UNIQUE); INSERT INTO t VALUES(1, 2)")
                let temporary = try work.open(.temporary)
                try temporary.execute("CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(9000))")
                connection.releaseMemory()
                try work.close(temporary)
                try work.close(connection)
            }
        )
    }

    private static var sharedMemory: Scenario {
        Scenario(
            name: "memory-shared",
            needs: [.sharedMemory],
            prepare: { _ in },
            run: { work in
                let location = StorageLocation.uri("file:/sqift-faults?vfs=memdb")
                let one = try work.open(location)
                try one.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1)")
                let other = try work.open(location)
                let count: Int = try other.query("SELECT count(*) FROM t")
                try expect(count == 1, "\(count) rows in the other connection")
                try work.close(other)
                try work.close(one)
            }
        )
    }
}

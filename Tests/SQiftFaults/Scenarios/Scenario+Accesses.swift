import Foundation
import SQift

extension Scenario {
    /// Accesses through a `Database`, a queue and a pool.
    static var accesses: [Scenario] {
        [
            forEachJournal("database-write", traits: [.usesDatabase], run: writeAndRead),
            forEachJournal("database-read", traits: [.usesDatabase]) { work, journal in
                let database = try work.openDatabase(journal: journal)
                let names: [Int] = try database.read { try $0.query("SELECT a FROM t") }
                try expect(names.count == 40, "\(names.count) rows")
                try work.close(database)
            },
            forEachJournal("database-prepared", traits: [.usesDatabase], run: writeWithFunction),
            forEachJournal("queue", run: useQueue),
            forEachJournal("pool", run: usePool),
            [
                Scenario(
                    name: "database-snapshot",
                    traits: [.usesDatabase],
                    prepare: { try $0.makeDatabase(journal: "wal") },
                    run: useSnapshot
                ),
                Scenario(
                    name: "database-checkpoint",
                    traits: [.usesDatabase],
                    prepare: { try $0.makeDatabase(journal: "wal") },
                    run: { work in
                        let database = try work.openDatabase(journal: "wal")
                        try database.write { try $0.run("UPDATE t SET k = 2") }
                        work.promise()
                        try database.checkpoint(mode: .truncate)
                        database.releaseMemory()
                        try database.suspend()
                        database.resume()
                        try work.close(database)
                    }
                ),
            ],
        ].flatMap(\.self)
    }

    private static func writeAndRead(_ work: Workplace, journal: String) throws {
        let database = try work.openDatabase(journal: journal)
        try database.write { try $0.run("UPDATE t SET k = 2") }
        work.promise()
        try database.read { try work.expectRows(40, k: 2, in: $0) }
        try work.close(database)
    }

    private static func writeWithFunction(_ work: Workplace, journal: String) throws {
        let database = try work.openDatabase(journal: journal)
        database.prepareConnections { connection in
            try connection.addFunction(named: "two") { () in 2 }
        }
        try database.write { try $0.run("UPDATE t SET k = two()") }
        work.promise()
        try database.read { try work.expectRows(40, k: 2, in: $0) }
        try work.close(database)
    }

    private static func useQueue(_ work: Workplace, _: String) throws {
        let connection = try Connection(path: work.path("main.db"))
        work.interruption?.watch(connection)
        let queue = ConnectionQueue(connection: connection)
        work.keep(
            queue,
            use: { try queue.write { try $0.useAfterFault() } },
            close: {}
        )
        try queue.write { try $0.run("UPDATE t SET k = 2") }
        work.promise()
        try queue.read { try work.expectRows(40, k: 2, in: $0) }
        try work.close(queue)
    }

    private static func usePool(_ work: Workplace, _: String) throws {
        let interruption = work.interruption
        let pool = ConnectionPool(
            storageLocation: .onDisk(work.path("main.db")),
            maximumConnectionCount: 2,
            connectionPreparation: { interruption?.watch($0) }
        )
        work.keep(
            pool,
            use: { try pool.read { try $0.useAfterFault(isReadOnly: true) } },
            close: {}
        )
        try pool.read { try work.expectRows(40, k: 1, in: $0) }
        try pool.execute { try work.expectRows(40, k: 1, in: $0) }
        try work.close(pool)
    }

    private static func useSnapshot(_ work: Workplace) throws {
        let database = try work.openDatabase(journal: "wal")
        let snapshot = try database.snapshot()
        let sum: Int = try snapshot.read { try $0.query("SELECT sum(k) FROM t") }
        try database.write { try $0.run("UPDATE t SET k = 2") }
        work.promise()
        let later: Int = try snapshot.read { try $0.query("SELECT sum(k) FROM t") }
        try expect(later == sum, "the snapshot went from \(sum) to \(later)")
        try snapshot.close()
        try work.close(database)
    }
}

import Common
import Foundation
import GRDB

private struct Item: FetchableRecord {
    let id: Int64
    let name: String
    let weight: Double

    init(row: Row) {
        id = row["id"]
        name = row["name"]
        weight = row["weight"]
    }
}

private struct CodableItem: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "items"

    let id: Int64
    let name: String
    let weight: Double
}

private struct Job: FetchableRecord {
    let id: Int64
    let payload: String

    init(row: Row) {
        id = row["id"]
        payload = row["payload"]
    }
}

@main
enum GRDBPeer: Peer {
    static func openClose(_ count: Int) -> Work {
        {
            var sum: Int64 = 0
            for _ in 0..<count {
                let queue = try DatabaseQueue()
                sum += try queue.inDatabase { try Int64.fetchOne($0, sql: "SELECT 1") }!
            }
            return sum
        }
    }

    static func selectOne(_ count: Int) throws -> Work {
        let queue = try DatabaseQueue()
        return {
            try queue.inDatabase { database in
                var sum: Int64 = 0
                for _ in 0..<count {
                    let statement = try database.cachedStatement(sql: "SELECT 1")
                    sum += try Int64.fetchOne(statement)!
                }
                return sum
            }
        }
    }

    static func distinctSQL(_ count: Int) throws -> Work {
        let queue = try DatabaseQueue()
        return {
            try queue.inDatabase { database in
                var sum: Int64 = 0
                for number in 0..<count {
                    let sql = "SELECT \(number) + ?"
                    sum += try Int64.fetchOne(database, sql: sql, arguments: [7])!
                }
                return sum
            }
        }
    }

    // MARK: Writing

    static func insertPrepared(_ count: Int) throws -> Work {
        try insert(DatabaseQueue(), count) { database, names in
            let insert = try database.makeStatement(sql: SQL.insertItem)
            for (number, name) in names.enumerated() {
                try insert.execute(arguments: [number, name, Double(number)])
            }
        }
    }

    static func insertRun(_ count: Int) throws -> Work {
        try insert(DatabaseQueue(), count) { database, names in
            for (number, name) in names.enumerated() {
                let insert = try database.cachedStatement(sql: SQL.insertItem)
                try insert.execute(arguments: [number, name, Double(number)])
            }
        }
    }

    static func encodables(_ count: Int) throws -> Work? {
        try insert(DatabaseQueue(), count) { database, names in
            for (number, name) in names.enumerated() {
                let item = CodableItem(id: Int64(number), name: name, weight: Double(number))
                try item.insert(database)
            }
        }
    }

    static func bulk(_ count: Int) throws -> Work {
        let folder = try Folder()
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        let path = folder.newPath("bulk.sqlite")
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let work = try insert(queue, count, andThen: SQL.createIndex) { database, names in
            let insert = try database.makeStatement(sql: SQL.insertItem)
            for (number, name) in names.enumerated() {
                insert.setUncheckedArguments([number, name, Double(number)])
                try insert.execute()
            }
        }
        return {
            _ = folder
            return try work()
        }
    }

    private static func insert(
        _ queue: DatabaseQueue,
        _ count: Int,
        andThen sql: String = "",
        _ insert: @escaping (GRDB.Database, [String]) throws -> Void
    ) throws -> Work {
        let names = names(count)
        try queue.write { try $0.execute(sql: "\(SQL.createItems); \(sql)") }
        return {
            try queue.write { database in
                try database.execute(sql: SQL.deleteItems)
                try insert(database, names)
            }
            return try queue.read { try Int64.fetchOne($0, sql: "SELECT sum(id) FROM items") }!
        }
    }

    static func commits(_ count: Int) throws -> Work {
        let names = names(count)
        let folder = try Folder()
        let pool = try DatabasePool(path: folder.newPath("commits.sqlite"))
        try pool.write { try $0.execute(sql: SQL.createItems) }
        return {
            _ = folder
            try pool.write { try $0.execute(sql: SQL.deleteItems) }
            for (number, name) in names.enumerated() {
                try pool.write { database in
                    let insert = try database.cachedStatement(sql: SQL.insertItem)
                    try insert.execute(arguments: [number, name, Double(number)])
                }
            }
            return try pool.read { try Int64.fetchOne($0, sql: "SELECT sum(id) FROM items") }!
        }
    }

    static func awaitedWrites(_ count: Int, tasks: Int) throws -> Work? {
        let names = names(count)
        let folder = try Folder()
        let pool = try DatabasePool(path: folder.newPath("writes.sqlite"))
        try pool.write { try $0.execute(sql: SQL.createItems) }
        return {
            _ = folder
            try pool.write { try $0.execute(sql: SQL.deleteItems) }
            _ = try awaiting(tasks: tasks, Array(names.enumerated())) { items in
                for (number, name) in items {
                    try await pool.write { database in
                        let insert = try database.cachedStatement(sql: SQL.insertItem)
                        try insert.execute(arguments: [number, name, Double(number)])
                    }
                }
                return 0
            }
            return try pool.read { try Int64.fetchOne($0, sql: "SELECT sum(id) FROM items") }!
        }
    }

    static func claims(_ count: Int) throws -> Work? {
        let folder = try Folder()
        let pool = try DatabasePool(path: folder.newPath("claims.sqlite"))
        try pool.write { try $0.execute(sql: SQL.jobs(count)) }
        return {
            _ = folder
            try pool.write { try $0.execute(sql: SQL.reopenJobs) }
            var sum: Int64 = 0
            for _ in 0..<count {
                let job = try pool.write { database in
                    try Job.fetchOne(database.cachedStatement(sql: SQL.claimJob))!
                }
                sum += job.id + Int64(job.payload.utf8.count)
            }
            return sum
        }
    }

    static func backup(_ count: Int) throws -> Work {
        let folder = try Folder()
        let source = try DatabaseQueue(path: folder.newPath("source.sqlite"))
        try source.writeWithoutTransaction { try $0.execute(sql: SQL.blobs(count)) }
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        return {
            let path = folder.newPath("copy.sqlite")
            let copy = try DatabaseQueue(path: path, configuration: configuration)
            try source.backup(to: copy, pagesPerStep: 100)
            return try copy.read { try Int64.fetchOne($0, sql: "SELECT count(*) FROM blobs") }!
        }
    }

    // MARK: Reading

    /// Reads the table that the SQL makes.
    private static func read(
        _ sql: String,
        _ body: @escaping (GRDB.Database) throws -> Int64
    ) throws -> Work {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: sql) }
        return {
            try queue.read(body)
        }
    }

    static func intsColumn(_ count: Int) throws -> Work {
        try read(SQL.ints(count)) { database in
            try Int64.fetchAll(database, sql: "SELECT a FROM ints").reduce(0, +)
        }
    }

    static func intsIndex(_ count: Int) throws -> Work {
        try read(SQL.ints(count)) { database in
            var sum: Int64 = 0
            let rows = try Row.fetchCursor(database, sql: "SELECT * FROM ints")
            while let row = try rows.next() {
                for column in 0..<10 {
                    sum += row[column] as Int64
                }
            }
            return sum
        }
    }

    static func intsName(_ count: Int) throws -> Work {
        try read(SQL.ints(count)) { database in
            var sum: Int64 = 0
            let rows = try Row.fetchCursor(database, sql: "SELECT * FROM ints")
            while let row = try rows.next() {
                sum += row["a"] as Int64
                sum += row["b"] as Int64
                sum += row["c"] as Int64
                sum += row["d"] as Int64
                sum += row["e"] as Int64
                sum += row["f"] as Int64
                sum += row["g"] as Int64
                sum += row["h"] as Int64
                sum += row["i"] as Int64
                sum += row["j"] as Int64
            }
            return sum
        }
    }

    static func strings(_ count: Int) throws -> Work {
        try read(SQL.texts(count)) { database in
            var sum = 0
            let rows = try Row.fetchCursor(database, sql: "SELECT short, long FROM texts")
            while let row = try rows.next() {
                let short: String = row[0]
                let long: String = row[1]
                sum += short.utf8.count + long.utf8.count
            }
            return Int64(sum)
        }
    }

    static func blobs(_ count: Int) throws -> Work {
        try read(SQL.blobs(count)) { database in
            var sum = 0
            let rows = try Row.fetchCursor(database, sql: "SELECT data FROM blobs")
            while let row = try rows.next() {
                let data: Data = row[0]
                sum += data.count + Int(data[999])
            }
            return Int64(sum)
        }
    }

    static func structs(_ count: Int) throws -> Work {
        try read(SQL.items(count)) { database in
            let items = try Item.fetchAll(database, sql: "SELECT * FROM items")
            return items.reduce(0) { $0 + $1.id + Int64($1.name.utf8.count) + Int64($1.weight) }
        }
    }

    static func decodables(_ count: Int) throws -> Work? {
        try read(SQL.items(count)) { database in
            let items = try CodableItem.fetchAll(database, sql: "SELECT * FROM items")
            return items.reduce(0) { $0 + $1.id + Int64($1.name.utf8.count) + Int64($1.weight) }
        }
    }

    static func dates(_ count: Int) throws -> Work {
        try read(SQL.dates(count)) { database in
            let dates = try Date.fetchAll(database, sql: "SELECT date FROM dates")
            return dates.reduce(0) { $0 + Int64(($1.timeIntervalSince1970 * 1000).rounded()) }
        }
    }

    static func pointReads(_ count: Int) throws -> Work {
        let keys = keys(count)
        return try read(SQL.items(count)) { database in
            var sum = 0
            for key in keys {
                let sql = "SELECT name FROM items WHERE id = ?"
                let statement = try database.cachedStatement(sql: sql)
                sum += try String.fetchOne(statement, arguments: [key])!.utf8.count
            }
            return Int64(sum)
        }
    }

    static func reads(_ count: Int) throws -> Work? {
        let keys = keys(count)
        let folder = try Folder()
        let pool = try DatabasePool(path: folder.newPath("reads.sqlite"))
        try pool.write { try $0.execute(sql: SQL.items(count)) }
        return {
            _ = folder
            var sum = 0
            for key in keys {
                sum += try pool.read { database in
                    let statement = try database.cachedStatement(sql: SQL.nameOfItem)
                    return try String.fetchOne(statement, arguments: [key])!.utf8.count
                }
            }
            return Int64(sum)
        }
    }

    static func awaitedReads(_ count: Int, tasks: Int) throws -> Work? {
        let keys = keys(count)
        let folder = try Folder()
        let pool = try DatabasePool(path: folder.newPath("reads.sqlite"))
        try pool.write { try $0.execute(sql: SQL.items(count)) }
        return {
            _ = folder
            return try awaiting(tasks: tasks, keys) { keys in
                var sum = 0
                for key in keys {
                    sum += try await pool.read { database in
                        let statement = try database.cachedStatement(sql: SQL.nameOfItem)
                        return try String.fetchOne(statement, arguments: [key])!.utf8.count
                    }
                }
                return Int64(sum)
            }
        }
    }

    // MARK: Functions

    static func functions(_ count: Int) throws -> Work? {
        let twice = DatabaseFunction("twice", argumentCount: 1, pure: true) { values in
            Int64.fromDatabaseValue(values[0]).map { $0 * 2 }
        }
        let queue = try DatabaseQueue()
        try queue.write { database in
            database.add(function: twice)
            try database.execute(sql: SQL.ints(count))
        }
        return {
            try queue.read { try Int64.fetchOne($0, sql: "SELECT sum(twice(a)) FROM ints") }!
        }
    }
}

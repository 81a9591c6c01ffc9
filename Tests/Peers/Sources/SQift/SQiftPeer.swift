import Common
import Foundation
import SQift

private struct Item: ExpressibleByRow {
    let id: Int64
    let name: String
    let weight: Double

    init(row: Row) throws {
        id = try row.get("id")
        name = try row.get("name")
        weight = try row.get("weight")
    }
}

private struct CodableItem: Codable, ExpressibleByRow {
    let id: Int64
    let name: String
    let weight: Double
}

private struct Job: ExpressibleByRow {
    let id: Int64
    let payload: String

    init(row: Row) throws {
        id = try row.get("id")
        payload = try row.get("payload")
    }
}

@main
enum SQiftPeer: Peer {
    static func openClose(_ count: Int) -> Work {
        {
            var sum: Int64 = 0
            for _ in 0..<count {
                let connection = try Connection()
                sum += try connection.query("SELECT 1")
            }
            return sum
        }
    }

    static func selectOne(_ count: Int) throws -> Work {
        let connection = try Connection()
        return {
            var sum: Int64 = 0
            for _ in 0..<count {
                sum += try connection.query("SELECT 1")
            }
            return sum
        }
    }

    static func distinctSQL(_ count: Int) throws -> Work {
        let connection = try Connection()
        return {
            var sum: Int64 = 0
            for number in 0..<count {
                sum += try connection.query("SELECT \(number) + ?", 7)
            }
            return sum
        }
    }

    // MARK: Writing

    static func insertPrepared(_ count: Int) throws -> Work {
        try insert(count) { connection, names in
            let insert = try connection.prepare(SQL.insertItem)
            for (number, name) in names.enumerated() {
                try insert.bind(number, name, Double(number)).run()
            }
        }
    }

    static func insertRun(_ count: Int) throws -> Work {
        try insert(count) { connection, names in
            for (number, name) in names.enumerated() {
                try connection.run(SQL.insertItem, number, name, Double(number))
            }
        }
    }

    static func encodables(_ count: Int) throws -> Work? {
        try insert(count) { connection, names in
            for (number, name) in names.enumerated() {
                let item = CodableItem(id: Int64(number), name: name, weight: Double(number))
                try connection.run("INSERT INTO items VALUES(:id, :name, :weight)", encoding: item)
            }
        }
    }

    private static func insert(
        _ count: Int,
        _ insert: @escaping (Connection, [String]) throws -> Void
    ) throws -> Work {
        let names = names(count)
        let connection = try Connection()
        try connection.execute(SQL.createItems)
        return {
            try connection.transaction {
                try connection.run(SQL.deleteItems)
                try insert(connection, names)
            }
            return try connection.query("SELECT sum(id) FROM items")
        }
    }

    static func bulk(_ count: Int) throws -> Work {
        let names = names(count)
        let folder = try Folder()
        let connection = try Connection(path: folder.newPath("bulk.sqlite"))
        try connection.execute("PRAGMA synchronous = OFF")
        try connection.execute("\(SQL.createItems); \(SQL.createIndex)")
        return {
            _ = folder
            try connection.transaction {
                try connection.run(SQL.deleteItems)
                let insert = try connection.prepare(SQL.insertItem)
                for (number, name) in names.enumerated() {
                    try insert.bind(number, name, Double(number)).run()
                }
            }
            return try connection.query("SELECT sum(id) FROM items")
        }
    }

    /// Opens a file in WAL mode, and runs the script that makes its tables.
    private static func open(_ folder: Folder, _ script: String) throws -> Database {
        var configuration = Database.Configuration()
        configuration.synchronous = .normal
        let path = folder.newPath("database.sqlite")
        let database = try Database(path: path, configuration: configuration)
        try database.write { connection in
            try connection.execute(script)
        }
        return database
    }

    static func commits(_ count: Int) throws -> Work {
        let names = names(count)
        let folder = try Folder()
        let database = try open(folder, SQL.createItems)
        return {
            _ = folder
            try database.write { connection in
                try connection.run(SQL.deleteItems)
            }
            for (number, name) in names.enumerated() {
                try database.write { connection in
                    try connection.run(SQL.insertItem, number, name, Double(number))
                }
            }
            return try database.read { try $0.query("SELECT sum(id) FROM items") }
        }
    }

    static func awaitedWrites(_ count: Int, tasks: Int) throws -> Work? {
        let names = names(count)
        let folder = try Folder()
        let database = try open(folder, SQL.createItems)
        return {
            _ = folder
            try database.write { connection in
                try connection.run(SQL.deleteItems)
            }
            _ = try awaiting(tasks: tasks, Array(names.enumerated())) { items in
                for (number, name) in items {
                    try await database.write { connection in
                        try connection.run(SQL.insertItem, number, name, Double(number))
                    }
                }
                return 0
            }
            return try database.read { try $0.query("SELECT sum(id) FROM items") }
        }
    }

    static func claims(_ count: Int) throws -> Work? {
        let folder = try Folder()
        let database = try open(folder, SQL.jobs(count))
        return {
            _ = folder
            try database.write { connection in
                try connection.run(SQL.reopenJobs)
            }
            var sum: Int64 = 0
            for _ in 0..<count {
                let job: Job = try database.write { try $0.query(SQL.claimJob) }
                sum += job.id + Int64(job.payload.utf8.count)
            }
            return sum
        }
    }

    static func backup(_ count: Int) throws -> Work {
        let folder = try Folder()
        let source = try Connection(path: folder.newPath("source.sqlite"))
        try source.execute(SQL.blobs(count))
        return {
            let copy = try Connection(path: folder.newPath("copy.sqlite"))
            try copy.execute("PRAGMA synchronous = OFF")
            try source.backup(to: copy, pagesPerStep: 100)
            return try copy.query("SELECT count(*) FROM blobs")
        }
    }

    // MARK: Reading

    static func intsColumn(_ count: Int) throws -> Work {
        let connection = try Connection()
        try connection.execute(SQL.ints(count))
        return {
            let values: [Int64] = try connection.query("SELECT a FROM ints")
            return values.reduce(0, +)
        }
    }

    static func intsIndex(_ count: Int) throws -> Work {
        let connection = try Connection()
        try connection.execute(SQL.ints(count))
        return {
            var sum: Int64 = 0
            try connection.forEachRow("SELECT * FROM ints") { row in
                for column in 0..<10 {
                    sum += try row.get(column) as Int64
                }
            }
            return sum
        }
    }

    static func intsName(_ count: Int) throws -> Work {
        let connection = try Connection()
        try connection.execute(SQL.ints(count))
        return {
            var sum: Int64 = 0
            try connection.forEachRow("SELECT * FROM ints") { row in
                sum += try row.get("a") as Int64
                sum += try row.get("b") as Int64
                sum += try row.get("c") as Int64
                sum += try row.get("d") as Int64
                sum += try row.get("e") as Int64
                sum += try row.get("f") as Int64
                sum += try row.get("g") as Int64
                sum += try row.get("h") as Int64
                sum += try row.get("i") as Int64
                sum += try row.get("j") as Int64
            }
            return sum
        }
    }

    static func strings(_ count: Int) throws -> Work {
        let connection = try Connection()
        try connection.execute(SQL.texts(count))
        return {
            var sum = 0
            try connection.forEachRow("SELECT short, long FROM texts") { row in
                let short: String = try row.get(0)
                let long: String = try row.get(1)
                sum += short.utf8.count + long.utf8.count
            }
            return Int64(sum)
        }
    }

    static func blobs(_ count: Int) throws -> Work {
        let connection = try Connection()
        try connection.execute(SQL.blobs(count))
        return {
            var sum = 0
            try connection.forEachRow("SELECT data FROM blobs") { row in
                let data: Data = try row.get(0)
                sum += data.count + Int(data[999])
            }
            return Int64(sum)
        }
    }

    static func structs(_ count: Int) throws -> Work {
        let connection = try Connection()
        try connection.execute(SQL.items(count))
        return {
            let items: [Item] = try connection.query("SELECT * FROM items")
            return items.reduce(0) { $0 + $1.id + Int64($1.name.utf8.count) + Int64($1.weight) }
        }
    }

    static func decodables(_ count: Int) throws -> Work? {
        let connection = try Connection()
        try connection.execute(SQL.items(count))
        return {
            let items: [CodableItem] = try connection.query("SELECT * FROM items")
            return items.reduce(0) { $0 + $1.id + Int64($1.name.utf8.count) + Int64($1.weight) }
        }
    }

    static func dates(_ count: Int) throws -> Work {
        let connection = try Connection()
        try connection.execute(SQL.dates(count))
        return {
            let dates: [Date] = try connection.query("SELECT date FROM dates")
            return dates.reduce(0) { $0 + Int64(($1.timeIntervalSince1970 * 1000).rounded()) }
        }
    }

    static func pointReads(_ count: Int) throws -> Work {
        let keys = keys(count)
        let connection = try Connection()
        try connection.execute(SQL.items(count))
        return {
            var sum = 0
            for key in keys {
                let name: String = try connection.query("SELECT name FROM items WHERE id = ?", key)
                sum += name.utf8.count
            }
            return Int64(sum)
        }
    }

    static func reads(_ count: Int) throws -> Work? {
        let keys = keys(count)
        let folder = try Folder()
        let database = try open(folder, SQL.items(count))
        return {
            _ = folder
            var sum = 0
            for key in keys {
                let name: String = try database.read { try $0.query(SQL.nameOfItem, key) }
                sum += name.utf8.count
            }
            return Int64(sum)
        }
    }

    static func awaitedReads(_ count: Int, tasks: Int) throws -> Work? {
        let keys = keys(count)
        let folder = try Folder()
        let database = try open(folder, SQL.items(count))
        return {
            _ = folder
            return try awaiting(tasks: tasks, keys) { keys in
                var sum = 0
                for key in keys {
                    let name: String = try await database.read { connection in
                        try connection.query(SQL.nameOfItem, key)
                    }
                    sum += name.utf8.count
                }
                return Int64(sum)
            }
        }
    }

    // MARK: Functions

    static func functions(_ count: Int) throws -> Work? {
        let connection = try Connection()
        try connection.execute(SQL.ints(count))
        try connection.addFunction(named: "twice", deterministic: true) { (value: Int64) in
            value * 2
        }
        return {
            try connection.query("SELECT sum(twice(a)) FROM ints")
        }
    }
}

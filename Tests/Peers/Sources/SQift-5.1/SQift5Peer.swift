import Common
import Foundation
import SQift

private struct Item: ExpressibleByRow {
    let id: Int64
    let name: String
    let weight: Double

    init(row: Row) throws {
        guard
            let id: Int64 = row["id"],
            let name: String = row["name"],
            let weight: Double = row["weight"]
        else {
            throw ExpressibleByRowError(type: Item.self, row: row)
        }
        self.id = id
        self.name = name
        self.weight = weight
    }
}

/// `query` returns an optional.
private struct NoValue: Error {}

@main
enum SQift5Peer: Peer {
    static func openClose(_ count: Int) -> Work {
        {
            var sum: Int64 = 0
            for _ in 0..<count {
                let connection = try Connection(storageLocation: .inMemory)
                sum += try integer(connection, "SELECT 1")
            }
            return sum
        }
    }

    static func selectOne(_ count: Int) throws -> Work {
        let connection = try Connection(storageLocation: .inMemory)
        return {
            var sum: Int64 = 0
            for _ in 0..<count {
                sum += try integer(connection, "SELECT 1")
            }
            return sum
        }
    }

    static func distinctSQL(_ count: Int) throws -> Work {
        let connection = try Connection(storageLocation: .inMemory)
        return {
            var sum: Int64 = 0
            for number in 0..<count {
                guard let value: Int64 = try connection.query("SELECT \(number) + ?", 7) else {
                    throw NoValue()
                }
                sum += value
            }
            return sum
        }
    }

    private static func integer(_ connection: Connection, _ sql: String) throws -> Int64 {
        guard let value: Int64 = try connection.query(sql) else { throw NoValue() }
        return value
    }

    // MARK: Writing

    static func insertPrepared(_ count: Int) throws -> Work {
        try insert(Connection(storageLocation: .inMemory), count) { connection, names in
            let insert = try connection.prepare(SQL.insertItem)
            for (number, name) in names.enumerated() {
                try insert.bind(number, name, Double(number)).run()
            }
        }
    }

    static func insertRun(_ count: Int) throws -> Work {
        try insert(Connection(storageLocation: .inMemory), count) { connection, names in
            for (number, name) in names.enumerated() {
                try connection.run(SQL.insertItem, number, name, Double(number))
            }
        }
    }

    static func bulk(_ count: Int) throws -> Work {
        let folder = try Folder()
        let path = folder.newPath("bulk.sqlite")
        let connection = try Connection(storageLocation: .onDisk(path))
        try connection.execute("PRAGMA synchronous = OFF")
        let work = try insert(connection, count, andThen: SQL.createIndex) { connection, names in
            let insert = try connection.prepare(SQL.insertItem)
            for (number, name) in names.enumerated() {
                try insert.bind(number, name, Double(number)).run()
            }
        }
        return {
            _ = folder
            return try work()
        }
    }

    private static func insert(
        _ connection: Connection,
        _ count: Int,
        andThen sql: String = "",
        _ insert: @escaping (Connection, [String]) throws -> Void
    ) throws -> Work {
        let names = names(count)
        try connection.execute("\(SQL.createItems); \(sql)")
        return {
            try connection.transaction {
                try connection.execute(SQL.deleteItems)
                try insert(connection, names)
            }
            return try integer(connection, "SELECT sum(id) FROM items")
        }
    }

    static func commits(_ count: Int) throws -> Work {
        let names = names(count)
        let folder = try Folder()
        let path = folder.newPath("commits.sqlite")
        let database = try Database(storageLocation: .onDisk(path))
        try database.executeWrite { connection in
            try connection.execute("PRAGMA journal_mode = WAL")
            try connection.execute("PRAGMA synchronous = NORMAL")
            try connection.execute(SQL.createItems)
        }
        return {
            _ = folder
            var sum: Int64 = 0
            try database.executeWrite { try $0.execute(SQL.deleteItems) }
            for (number, name) in names.enumerated() {
                try database.executeWrite { connection in
                    try connection.transaction(transactionType: .immediate) {
                        try connection.run(SQL.insertItem, number, name, Double(number))
                    }
                }
            }
            try database.executeRead { sum = try integer($0, "SELECT sum(id) FROM items") }
            return sum
        }
    }

    static func backup(_ count: Int) throws -> Work {
        let folder = try Folder()
        let path = folder.newPath("source.sqlite")
        let source = try Connection(storageLocation: .onDisk(path))
        try source.execute(SQL.blobs(count))
        return {
            let copy = try Connection(storageLocation: .onDisk(folder.newPath("copy.sqlite")))
            try copy.execute("PRAGMA synchronous = OFF")
            let isDone = DispatchSemaphore(value: 0)
            try source.backup(to: copy, completionQueue: .global()) { _ in
                isDone.signal()
            }
            isDone.wait()
            return try integer(copy, "SELECT count(*) FROM blobs")
        }
    }

    // MARK: Reading

    static func intsColumn(_ count: Int) throws -> Work {
        let connection = try Connection(storageLocation: .inMemory)
        try connection.execute(SQL.ints(count))
        return {
            let values: [Int64] = try connection.query("SELECT a FROM ints")
            return values.reduce(0, +)
        }
    }

    static func intsIndex(_ count: Int) throws -> Work {
        let connection = try Connection(storageLocation: .inMemory)
        try connection.execute(SQL.ints(count))
        return {
            let sums: [Int64] = try connection.query("SELECT * FROM ints") { row in
                var sum: Int64 = 0
                for column in 0..<10 {
                    let value: Int64 = row[column]
                    sum += value
                }
                return sum
            }
            return sums.reduce(0, +)
        }
    }

    static func intsName(_ count: Int) throws -> Work {
        let connection = try Connection(storageLocation: .inMemory)
        try connection.execute(SQL.ints(count))
        return {
            let sums: [Int64] = try connection.query("SELECT * FROM ints") { row in
                var sum: Int64 = 0
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
                return sum
            }
            return sums.reduce(0, +)
        }
    }

    static func strings(_ count: Int) throws -> Work {
        let connection = try Connection(storageLocation: .inMemory)
        try connection.execute(SQL.texts(count))
        return {
            let counts: [Int] = try connection.query("SELECT short, long FROM texts") { row in
                let short: String = row[0]
                let long: String = row[1]
                return short.utf8.count + long.utf8.count
            }
            return Int64(counts.reduce(0, +))
        }
    }

    static func blobs(_ count: Int) throws -> Work {
        let connection = try Connection(storageLocation: .inMemory)
        try connection.execute(SQL.blobs(count))
        return {
            let counts: [Int] = try connection.query("SELECT data FROM blobs") { row in
                let data: Data = row[0]
                return data.count + Int(data[999])
            }
            return Int64(counts.reduce(0, +))
        }
    }

    static func structs(_ count: Int) throws -> Work {
        let connection = try Connection(storageLocation: .inMemory)
        try connection.execute(SQL.items(count))
        return {
            let items: [Item] = try connection.query("SELECT * FROM items")
            return items.reduce(0) { $0 + $1.id + Int64($1.name.utf8.count) + Int64($1.weight) }
        }
    }

    static func dates(_ count: Int) throws -> Work {
        let connection = try Connection(storageLocation: .inMemory)
        try connection.execute(SQL.dates(count))
        return {
            let dates: [Date] = try connection.query("SELECT date FROM dates")
            return dates.reduce(0) { $0 + Int64(($1.timeIntervalSince1970 * 1000).rounded()) }
        }
    }

    static func pointReads(_ count: Int) throws -> Work {
        let keys = keys(count)
        let connection = try Connection(storageLocation: .inMemory)
        try connection.execute(SQL.items(count))
        let select = try connection.prepare("SELECT name FROM items WHERE id = ?")
        return {
            var sum = 0
            for key in keys {
                guard let name: String = try select.bind(key).query() else { throw NoValue() }
                sum += name.utf8.count
            }
            return Int64(sum)
        }
    }

    // MARK: Functions

    static func functions(_ count: Int) throws -> Work? {
        let connection = try Connection(storageLocation: .inMemory)
        try connection.execute(SQL.ints(count))
        try connection.addScalarFunction(named: "twice", argumentCount: 1, deterministic: true) {
            _,
            values in
            .long(values[0].long * 2)
        }
        return {
            try integer(connection, "SELECT sum(twice(a)) FROM ints")
        }
    }
}

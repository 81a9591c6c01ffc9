import Common
import Foundation
import SQLite

private typealias Column = SQLite.Expression

private struct Item {
    static let table = Table("items")
    static let id = Column<Int64>("id")
    static let name = Column<String>("name")
    static let weight = Column<Double>("weight")

    let id: Int64
    let name: String
    let weight: Double
}

private struct CodableItem: Codable {
    let id: Int64
    let name: String
    let weight: Double
}

/// Functions are left out: they crash.
@main
enum SQLiteSwiftPeer: Peer {
    static func openClose(_ count: Int) -> Work {
        {
            var sum: Int64 = 0
            for _ in 0..<count {
                let connection = try Connection()
                sum += try connection.scalar("SELECT 1") as! Int64
            }
            return sum
        }
    }

    static func selectOne(_ count: Int) throws -> Work {
        let connection = try Connection()
        return {
            var sum: Int64 = 0
            for _ in 0..<count {
                sum += try connection.scalar("SELECT 1") as! Int64
            }
            return sum
        }
    }

    static func distinctSQL(_ count: Int) throws -> Work {
        let connection = try Connection()
        return {
            var sum: Int64 = 0
            for number in 0..<count {
                sum += try connection.scalar("SELECT \(number) + ?", 7) as! Int64
            }
            return sum
        }
    }

    // MARK: Writing

    static func insertPrepared(_ count: Int) throws -> Work {
        try insert(Connection(), count) { connection, names in
            let insert = try connection.prepare(SQL.insertItem)
            for (number, name) in names.enumerated() {
                try insert.run(number, name, Double(number))
            }
        }
    }

    static func insertRun(_ count: Int) throws -> Work {
        try insert(Connection(), count) { connection, names in
            for (number, name) in names.enumerated() {
                try connection.run(SQL.insertItem, number, name, Double(number))
            }
        }
    }

    static func encodables(_ count: Int) throws -> Work? {
        try insert(Connection(), count) { connection, names in
            for (number, name) in names.enumerated() {
                let item = CodableItem(id: Int64(number), name: name, weight: Double(number))
                try connection.run(Item.table.insert(item))
            }
        }
    }

    static func bulk(_ count: Int) throws -> Work {
        let folder = try Folder()
        let connection = try Connection(folder.newPath("bulk.sqlite"))
        try connection.execute("PRAGMA synchronous = OFF")
        let work = try insert(connection, count, andThen: SQL.createIndex) { connection, names in
            let insert = try connection.prepare(SQL.insertItem)
            for (number, name) in names.enumerated() {
                try insert.run(number, name, Double(number))
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
            return try connection.scalar("SELECT sum(id) FROM items") as! Int64
        }
    }

    static func commits(_ count: Int) throws -> Work {
        let names = names(count)
        let folder = try Folder()
        let connection = try Connection(folder.newPath("commits.sqlite"))
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        try connection.execute(SQL.createItems)
        let insert = try connection.prepare(SQL.insertItem)
        return {
            _ = folder
            try connection.execute(SQL.deleteItems)
            for (number, name) in names.enumerated() {
                try connection.transaction(.immediate) {
                    try insert.run(number, name, Double(number))
                }
            }
            return try connection.scalar("SELECT sum(id) FROM items") as! Int64
        }
    }

    static func backup(_ count: Int) throws -> Work {
        let folder = try Folder()
        let source = try Connection(folder.newPath("source.sqlite"))
        try source.execute(SQL.blobs(count))
        return {
            let copy = try Connection(folder.newPath("copy.sqlite"))
            try copy.execute("PRAGMA synchronous = OFF")
            let backup = try source.backup(usingConnection: copy)
            repeat {
                try backup.step(pagesToCopy: .limited(number: 100))
            } while backup.remainingPages > 0
            return try copy.scalar("SELECT count(*) FROM blobs") as! Int64
        }
    }

    // MARK: Reading

    static func intsColumn(_ count: Int) throws -> Work {
        let connection = try Connection()
        try connection.execute(SQL.ints(count))
        return {
            let values = try connection.prepare("SELECT a FROM ints").map { $0[0] as! Int64 }
            return values.reduce(0, +)
        }
    }

    static func intsIndex(_ count: Int) throws -> Work {
        let connection = try Connection()
        try connection.execute(SQL.ints(count))
        return {
            var sum: Int64 = 0
            for row in try connection.prepare("SELECT * FROM ints") {
                for column in 0..<10 {
                    sum += row[column] as! Int64
                }
            }
            return sum
        }
    }

    static func intsName(_ count: Int) throws -> Work {
        let connection = try Connection()
        try connection.execute(SQL.ints(count))
        let columns = "abcdefghij".map { Column<Int64>(String($0)) }
        return {
            var sum: Int64 = 0
            for row in try connection.prepare(Table("ints")) {
                for column in columns {
                    sum += row[column]
                }
            }
            return sum
        }
    }

    static func strings(_ count: Int) throws -> Work {
        let connection = try Connection()
        try connection.execute(SQL.texts(count))
        return {
            var sum = 0
            for row in try connection.prepare("SELECT short, long FROM texts") {
                let short = row[0] as! String
                let long = row[1] as! String
                sum += short.utf8.count + long.utf8.count
            }
            return Int64(sum)
        }
    }

    static func blobs(_ count: Int) throws -> Work {
        let connection = try Connection()
        try connection.execute(SQL.blobs(count))
        let column = Column<Data>("data")
        return {
            var sum = 0
            for row in try connection.prepare(Table("blobs")) {
                let data = row[column]
                sum += data.count + Int(data[999])
            }
            return Int64(sum)
        }
    }

    static func structs(_ count: Int) throws -> Work {
        let connection = try Connection()
        try connection.execute(SQL.items(count))
        return {
            let items = try connection.prepare(Item.table).map { row in
                Item(id: row[Item.id], name: row[Item.name], weight: row[Item.weight])
            }
            return items.reduce(0) { $0 + $1.id + Int64($1.name.utf8.count) + Int64($1.weight) }
        }
    }

    static func decodables(_ count: Int) throws -> Work? {
        let connection = try Connection()
        try connection.execute(SQL.items(count))
        return {
            let items: [CodableItem] = try connection.prepare(Item.table).map { row in
                try row.decode()
            }
            return items.reduce(0) { $0 + $1.id + Int64($1.name.utf8.count) + Int64($1.weight) }
        }
    }

    static func dates(_ count: Int) throws -> Work {
        let connection = try Connection()
        try connection.execute(SQL.dates(count))
        let column = Column<Date>("date")
        return {
            let dates = try connection.prepare(Table("dates")).map { row in
                row[column]
            }
            return dates.reduce(0) { $0 + Int64(($1.timeIntervalSince1970 * 1000).rounded()) }
        }
    }

    static func pointReads(_ count: Int) throws -> Work {
        let keys = keys(count)
        let connection = try Connection()
        try connection.execute(SQL.items(count))
        let select = try connection.prepare("SELECT name FROM items WHERE id = ?")
        return {
            var sum = 0
            for key in keys {
                sum += (try select.scalar(key) as! String).utf8.count
            }
            return Int64(sum)
        }
    }
}

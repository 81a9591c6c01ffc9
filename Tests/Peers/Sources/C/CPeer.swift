import Common
import Foundation
import SQLite3

private struct Item {
    let id: Int64
    let name: String
    let weight: Double
}

private struct Job {
    let id: Int64
    let payload: String
}

/// The C API, called from Swift by hand: without a check that SQLite doesn't need.
@main
enum CPeer: Peer {
    static func openClose(_ count: Int) -> Work {
        {
            var sum: Int64 = 0
            for _ in 0..<count {
                sum += try Handle().integer("SELECT 1")
            }
            return sum
        }
    }

    static func selectOne(_ count: Int) throws -> Work {
        let handle = try Handle()
        let statement = try handle.prepare("SELECT 1")
        return {
            _ = handle
            var sum: Int64 = 0
            for _ in 0..<count {
                guard sqlite3_step(statement) == SQLITE_ROW else { throw Failure(code: 0) }
                sum += sqlite3_column_int64(statement, 0)
                sqlite3_reset(statement)
            }
            return sum
        }
    }

    static func distinctSQL(_ count: Int) throws -> Work {
        let handle = try Handle()
        return {
            var sum: Int64 = 0
            for number in 0..<count {
                let statement = try handle.prepare("SELECT \(number) + ?")
                defer { sqlite3_finalize(statement) }
                sqlite3_bind_int64(statement, 1, 7)
                guard sqlite3_step(statement) == SQLITE_ROW else { throw Failure(code: 0) }
                sum += sqlite3_column_int64(statement, 0)
            }
            return sum
        }
    }

    // MARK: Writing

    static func insertPrepared(_ count: Int) throws -> Work {
        try insert(Handle(), count, .transient)
    }

    static func insertRun(_ count: Int) throws -> Work {
        try insert(Handle(), count, .transient)
    }

    static func encodables(_ count: Int) throws -> Work? {
        try insert(Handle(), count, .transient)
    }

    static func bulk(_ count: Int) throws -> Work {
        let folder = try Folder()
        let handle = try Handle(folder.newPath("bulk.sqlite"))
        try handle.execute("PRAGMA synchronous = OFF")
        let work = try insert(handle, count, .constant, andThen: SQL.createIndex)
        return {
            _ = folder
            return try work()
        }
    }

    private static func insert(
        _ handle: Handle,
        _ count: Int,
        _ lifetime: Lifetime,
        andThen sql: String = ""
    ) throws -> Work {
        let names = names(count)
        try handle.execute("\(SQL.createItems); \(sql)")
        return {
            try handle.execute("BEGIN; \(SQL.deleteItems)")
            let statement = try handle.prepare(SQL.insertItem)
            for (number, name) in names.enumerated() {
                sqlite3_bind_int64(statement, 1, Int64(number))
                bind(statement, 2, name, lifetime)
                sqlite3_bind_double(statement, 3, Double(number))
                try handle.run(statement)
            }
            sqlite3_finalize(statement)
            try handle.execute("COMMIT")
            return try handle.integer("SELECT sum(id) FROM items")
        }
    }

    static func commits(_ count: Int) throws -> Work {
        let names = names(count)
        let folder = try Folder()
        let handle = try Handle(folder.newPath("commits.sqlite"))
        try handle.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        try handle.execute(SQL.createItems)
        let begin = try handle.prepare("BEGIN IMMEDIATE")
        let insert = try handle.prepare(SQL.insertItem)
        let commit = try handle.prepare("COMMIT")
        return {
            _ = folder
            try handle.execute(SQL.deleteItems)
            for (number, name) in names.enumerated() {
                try handle.run(begin)
                sqlite3_bind_int64(insert, 1, Int64(number))
                bind(insert, 2, name, .transient)
                sqlite3_bind_double(insert, 3, Double(number))
                try handle.run(insert)
                try handle.run(commit)
            }
            return try handle.integer("SELECT sum(id) FROM items")
        }
    }

    static func awaitedWrites(_ count: Int, tasks: Int) throws -> Work? {
        try commits(count)
    }

    static func claims(_ count: Int) throws -> Work? {
        let folder = try Folder()
        let handle = try Handle(folder.newPath("claims.sqlite"))
        try handle.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        try handle.execute(SQL.jobs(count))
        let begin = try handle.prepare("BEGIN IMMEDIATE")
        let claim = try handle.prepare(SQL.claimJob)
        let commit = try handle.prepare("COMMIT")
        return {
            _ = folder
            try handle.execute(SQL.reopenJobs)
            var sum: Int64 = 0
            for _ in 0..<count {
                try handle.run(begin)
                guard sqlite3_step(claim) == SQLITE_ROW else { throw Failure(code: 0) }
                let job = Job(id: sqlite3_column_int64(claim, 0), payload: text(claim, 1))
                try handle.run(claim)
                try handle.run(commit)
                sum += job.id + Int64(job.payload.utf8.count)
            }
            return sum
        }
    }

    static func backup(_ count: Int) throws -> Work {
        let folder = try Folder()
        let source = try Handle(folder.newPath("source.sqlite"))
        try source.execute(SQL.blobs(count))
        return {
            let copy = try Handle(folder.newPath("copy.sqlite"))
            try copy.execute("PRAGMA synchronous = OFF")
            let backup = sqlite3_backup_init(copy.database, "main", source.database, "main")
            var code = SQLITE_OK
            while code == SQLITE_OK {
                code = sqlite3_backup_step(backup, 100)
            }
            try check(sqlite3_backup_finish(backup))
            return try copy.integer("SELECT count(*) FROM blobs")
        }
    }

    // MARK: Reading

    static func intsColumn(_ count: Int) throws -> Work {
        let handle = try Handle()
        try handle.execute(SQL.ints(count))
        return {
            var values: [Int64] = []
            try handle.forEachRow("SELECT a FROM ints") { row in
                values.append(sqlite3_column_int64(row, 0))
            }
            return values.reduce(0, +)
        }
    }

    static func intsIndex(_ count: Int) throws -> Work {
        let handle = try Handle()
        try handle.execute(SQL.ints(count))
        return {
            var sum: Int64 = 0
            try handle.forEachRow("SELECT * FROM ints") { row in
                for column: Int32 in 0..<10 {
                    sum += sqlite3_column_int64(row, column)
                }
            }
            return sum
        }
    }

    static func intsName(_ count: Int) throws -> Work {
        try intsIndex(count)
    }

    static func strings(_ count: Int) throws -> Work {
        let handle = try Handle()
        try handle.execute(SQL.texts(count))
        return {
            var sum = 0
            try handle.forEachRow("SELECT short, long FROM texts") { row in
                sum += text(row, 0).utf8.count + text(row, 1).utf8.count
            }
            return Int64(sum)
        }
    }

    static func blobs(_ count: Int) throws -> Work {
        let handle = try Handle()
        try handle.execute(SQL.blobs(count))
        return {
            var sum = 0
            try handle.forEachRow("SELECT data FROM blobs") { row in
                guard let bytes = sqlite3_column_blob(row, 0) else { return }
                let data = Data(bytes: bytes, count: Int(sqlite3_column_bytes(row, 0)))
                sum += data.count + Int(data[999])
            }
            return Int64(sum)
        }
    }

    static func structs(_ count: Int) throws -> Work {
        let handle = try Handle()
        try handle.execute(SQL.items(count))
        return {
            var items: [Item] = []
            try handle.forEachRow("SELECT * FROM items") { row in
                items.append(
                    Item(
                        id: sqlite3_column_int64(row, 0),
                        name: text(row, 1),
                        weight: sqlite3_column_double(row, 2)
                    )
                )
            }
            return items.reduce(0) { $0 + $1.id + Int64($1.name.utf8.count) + Int64($1.weight) }
        }
    }

    static func decodables(_ count: Int) throws -> Work? {
        try structs(count)
    }

    static func dates(_ count: Int) throws -> Work {
        let handle = try Handle()
        try handle.execute(SQL.dates(count))
        return {
            var dates: [Date] = []
            try handle.forEachRow("SELECT date FROM dates") { row in
                guard let text = sqlite3_column_text(row, 0) else { return }
                dates.append(Date(timeIntervalSince1970: seconds(text)))
            }
            return dates.reduce(0) { $0 + Int64(($1.timeIntervalSince1970 * 1000).rounded()) }
        }
    }

    static func pointReads(_ count: Int) throws -> Work {
        let keys = keys(count)
        let handle = try Handle()
        try handle.execute(SQL.items(count))
        let statement = try handle.prepare("SELECT name FROM items WHERE id = ?")
        return {
            _ = handle
            var sum = 0
            for key in keys {
                sqlite3_bind_int64(statement, 1, key)
                guard sqlite3_step(statement) == SQLITE_ROW else { throw Failure(code: 0) }
                sum += text(statement, 0).utf8.count
                sqlite3_reset(statement)
            }
            return Int64(sum)
        }
    }

    static func reads(_ count: Int) throws -> Work? {
        let keys = keys(count)
        let folder = try Folder()
        let handle = try Handle(folder.newPath("reads.sqlite"))
        try handle.execute("PRAGMA journal_mode = WAL; \(SQL.items(count))")
        let begin = try handle.prepare("BEGIN")
        let statement = try handle.prepare(SQL.nameOfItem)
        let commit = try handle.prepare("COMMIT")
        return {
            _ = folder
            var sum = 0
            for key in keys {
                try handle.run(begin)
                sqlite3_bind_int64(statement, 1, key)
                guard sqlite3_step(statement) == SQLITE_ROW else { throw Failure(code: 0) }
                sum += text(statement, 0).utf8.count
                sqlite3_reset(statement)
                try handle.run(commit)
            }
            return Int64(sum)
        }
    }

    static func awaitedReads(_ count: Int, tasks: Int) throws -> Work? {
        try reads(count)
    }

    // MARK: Functions

    static func functions(_ count: Int) throws -> Work? {
        let handle = try Handle()
        try handle.execute(SQL.ints(count))
        try check(
            sqlite3_create_function_v2(
                handle.database,
                "twice",
                1,
                SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                nil,
                { context, _, arguments in
                    sqlite3_result_int64(context, sqlite3_value_int64(arguments?[0]) * 2)
                },
                nil,
                nil,
                nil
            )
        )
        return {
            try handle.integer("SELECT sum(twice(a)) FROM ints")
        }
    }
}

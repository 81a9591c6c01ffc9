import CSQift
import Foundation
import SQift

/// One round of open, use, fail and close, and the objects that it made.
final class LeakRound {
    private struct WeakObject {
        let name: String
        weak var object: AnyObject?
    }

    private let folder: String
    private var objects: [WeakObject] = []

    init(folder: String) {
        self.folder = folder
    }

    /// The names of the objects that aren't released.
    var living: [String] { objects.filter { $0.object != nil }.map(\.name) }

    private func noting<T: AnyObject>(_ object: T) -> T {
        objects.append(WeakObject(name: "\(T.self)", object: object))
        return object
    }

    func run() throws {
        try useConnection()
        try useDatabase()
    }

    private func fail(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            return
        }
        throw Broken(description: "what has to fail doesn't")
    }

    private func useConnection() throws {
        let connection = noting(try Connection(path: folder + "/a.db"))
        try connection.execute(
            "DROP TABLE IF EXISTS t; CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE, c)"
        )
        let insert = noting(try connection.prepare("INSERT INTO t(b, c) VALUES(?, ?)"))
        try insert.bind("one", Data(count: 3000)).run()
        try insert.bind("two", 2.5).run()
        try fail { try insert.bind("one", nil as Int?).run() }
        try fail { try insert.bind(1, 2, 3) }
        try fail { try connection.run("SELEC") }
        try connection.addFunction(named: "f") { (a: String) throws -> String in
            if a == "one" { throw Broken(description: "wanted") }
            return a
        }
        try connection.addCollation(named: "backwards") { $1.compare($0) }
        connection.updateHook { _, _, _, _ in }
        connection.trace { _ in }
        try fail { let _: [String] = try connection.query("SELECT f(b) FROM t") }
        let cursor = noting(try connection.cursor("SELECT b FROM t ORDER BY b COLLATE backwards"))
        let first: String? = try cursor.next()
        try expect(first == "two", first ?? "nothing")
        let blob = noting(try connection.openBlob(table: "t", column: "c", rowID: 1))
        try blob.write(Data([1]), at: 5)
        try fail { try blob.write(Data([1]), at: 3000) }
        try fail { try connection.close() }
        try blob.close()
        cursor.close()
        let memory = noting(try Connection())
        let backup = noting(try Backup(from: connection, to: memory))
        _ = try backup.step(pages: 1)
        try backup.finish()
        try fail {
            try connection.transaction {
                try connection.run("DELETE FROM t")
                throw Broken(description: "wanted")
            }
        }
        try fail { _ = try Connection(path: folder + "/none/a.db") }
    }

    private func useDatabase() throws {
        let database = noting(try Database(path: folder + "/d.db"))
        try database.write { connection in
            try connection.execute("CREATE TABLE IF NOT EXISTS t(a); INSERT INTO t VALUES(1)")
        }
        let _: Int = try database.read { try $0.query("SELECT count(*) FROM t") }
        try fail { try database.write { _ in throw Broken(description: "wanted") } }
        try fail { try database.read { _ = try $0.run("DELETE FROM t") } }
        try fail {
            try database.read { _ in
                try database.read { _ in }
            }
        }
        try database.writeWithoutTransaction { connection in
            try connection.execute("DROP TABLE IF EXISTS m; DROP TABLE IF EXISTS sqift_migrations")
            let migrator = Migrator(
                connection: connection,
                // sqift: unchecked
                migrations: [Migration("m", sql: "CREATE TABLE m(a)"), Migration("bad", sql: "x")]
            )
            try fail { try migrator.run() }
        }
        let snapshot = noting(try database.snapshot())
        let _: Int = try snapshot.read { try $0.query("SELECT count(*) FROM t") }
        try snapshot.close()
        try fail { try database.backup(to: .onDisk(folder + "/none/b.db")) }
        try database.write { try $0.run("DELETE FROM t") }
        try database.close()
        try fail { try database.read { _ in } }
    }
}

func sqlite3MemoryInUse() -> Int64 { sqlite3_memory_used() }

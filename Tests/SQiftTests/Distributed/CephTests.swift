// How long a lane waits for a server is counted inside the library.
#if os(Linux)
    import Foundation
    import SQiftTestSupport
    import Testing

    @testable import SQift

    /// Databases on a Ceph cluster, whose objects SQLite's VFS reads and writes.
    @Suite(
        .serialized,
        .ceph
    )
    struct CephTests {
        private let folder: TemporaryFolder
        private let name = "\(UUID().uuidString).db"

        init() throws {
            try Ceph.register()
            folder = try TemporaryFolder()
        }

        // MARK: Connection

        @Test func valuesAndTransactionsAreThoseOfAFile() throws {
            let connection = try Ceph.connect(name)
            try connection.execute(
                "CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT UNIQUE, price REAL, photo BLOB)"
            )
            // Larger than two of the cluster's objects.
            let photo = Data((0..<9_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let sql = "INSERT INTO cars(name, price, photo) VALUES(?, ?, ?)"
            try connection.transaction {
                try connection.run(sql, "Audi", 52_642.5, photo)
                try connection.run(sql, "Škoda", nil as Double?, Data())
            }
            #expect(throws: SQLiteError.self) {
                try connection.transaction {
                    try connection.run("DELETE FROM cars")
                    try connection.run(sql, "Audi", 1, Data())
                    try connection.run(sql, "Audi", 2, Data())
                }
            }
            try connection.savepoint(named: "one") {
                try connection.run("UPDATE cars SET price = 1000 WHERE name = ?", "Škoda")
            }
            try connection.close()

            let reader = try Ceph.connect(name, parameters: "&mode=ro")
            let names: [String] = try reader.query("SELECT name FROM cars ORDER BY id")
            #expect(names == ["Audi", "Škoda"])
            let prices: [Double] = try reader.query("SELECT price FROM cars ORDER BY id")
            #expect(prices == [52_642.5, 1000])
            #expect(try reader.query("SELECT photo FROM cars WHERE id = 1") == photo)
            #expect(try reader.integrityCheck() == [])
            #expect(try reader.indexes(on: "cars").count == 1)
            #expect(sqliteError { try reader.run("DELETE FROM cars") }?.resultCode == .readOnly)
        }

        @Test func largeValuesPagesAndVacuum() throws {
            let connection = try Ceph.connect(name)
            try connection.execute(
                "PRAGMA page_size = 65536; PRAGMA journal_mode = PERSIST; CREATE TABLE t(x, y)"
            )
            try connection.run("INSERT INTO t VALUES(1, zeroblob(1000000))")
            let blob = try connection.openBlob(
                table: "t",
                column: "y",
                rowID: 1,
                readOnly: false
            )
            try blob.write(Data("in the middle".utf8), at: 500_000)
            try blob.close()
            let text: String = try connection.query(
                "SELECT CAST(substr(y, 500001, 13) AS TEXT) FROM t"
            )
            #expect(text == "in the middle")
            let size: Int = try connection.query("PRAGMA page_size")
            #expect(size == 65_536)
            try connection.execute(
                "PRAGMA temp_store = MEMORY; CREATE TEMP TABLE notes(n); INSERT INTO notes VALUES(1)"
            )
            try connection.run("DELETE FROM t")
            try connection.execute("VACUUM")
            #expect(try connection.query("PRAGMA page_count") < 5)
            #expect(try connection.integrityCheck() == [])
        }

        @Test func databasesAreAttached() throws {
            let other = "other-\(name)"
            try Ceph.connect(other).execute("CREATE TABLE u(y); INSERT INTO u VALUES(2)")
            let local = try Connection.withTable(rows: 3, path: folder.path())
            try local.close()

            let connection = try Ceph.connect(name)
            try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)")
            try connection.attachDatabase(from: Ceph.location(other), withName: "other")
            let file = StorageLocation.uri("file://\(folder.path())?vfs=unix")
            try connection.attachDatabase(from: file, withName: "local")
            let values: [Int] = try connection.query(
                "SELECT x FROM main.t UNION ALL SELECT y FROM u UNION ALL SELECT x FROM local.t"
            )
            #expect(values == [1, 2, 3])
        }

        @Test func whatIsMissingIsNotCreated() throws {
            // Ceph 16 gives this the code -2.
            #expect(sqliteError { _ = try Ceph.connect(name, parameters: "&mode=rw") } != nil)
            let location = StorageLocation.uri("file:///nosuchpool:/a.db?vfs=ceph")
            #expect(throws: SQLiteError.self) {
                try Connection(storageLocation: location).execute("CREATE TABLE t(x)")
            }
        }

        // MARK: Database

        @Test func aWALIsRefused() throws {
            let error = #expect(throws: AccessError.self) {
                try Database(storageLocation: Ceph.location(name), configuration: .init())
            }
            #expect(error?.reason == .settingRefused)
            #expect("\(try #require(error))".contains("PRAGMA journal_mode = wal"))
        }

        @Test func tasksReadAndWrite() async throws {
            let database = try Ceph.open(name)
            try await database.write { try $0.execute("CREATE TABLE t(x UNIQUE)") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<4 {
                    group.addTask {
                        for number in 0..<10 {
                            try await database.write { try add(task * 100 + number, on: $0) }
                            let found = try await database.read { try count("t", on: $0) }
                            #expect(found > number)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try rows(database) == 40)
            await expectTaskThrows(TestError.self) {
                try await database.write { connection in
                    try add(1000, on: connection)
                    throw TestError(reason: "to be rolled back")
                }
            }
            #expect(try rows(database) == 40)
            try await database.suspend()
            database.resume()
            try await database.close()
            #expect(try rows(Ceph.open(name)) == 40)
        }

        @Test func migrationsRunAndAreRehearsed() async throws {
            let connection = try Ceph.connect(name)
            let first = Migration(
                "1",
                sql: "CREATE TABLE cars(name TEXT); CREATE INDEX i ON cars(name)"
            )
            let second = Migration(
                "2",
                sql: "INSERT INTO cars VALUES('Audi'); ALTER TABLE cars ADD price"
            )
            let faulty = Migration(
                "3",
                sql: "CREATE TABLE parts(x); INSERT INTO nonsense VALUES(1)"
            )
            try Migrator(connection: connection, migrations: [first]).run()
            let migrator = Migrator(connection: connection, migrations: [first, second])
            #expect(try migrator.rehearse().migrations == ["2"])
            #expect(try migrator.pending() == ["2"])
            try migrator.run(backupTo: .onDisk(folder.path("before.sqlite")))
            #expect(try migrator.applied() == ["1", "2"])
            let before = try Connection(path: folder.path("before.sqlite"))
            #expect(try count("cars", on: before) == 0)

            let failing = Migrator(connection: connection, migrations: [first, second, faulty])
            #expect(throws: MigratorError.self) { try failing.run() }
            #expect(try !connection.tableExists("parts"))
            #expect(try failing.pending() == ["3"])
        }

        @Test(arguments: [4096, 65_536])
        func aBackupIsALocalFileAndIsRestored(pageSize: Int) async throws {
            let database = try Ceph.open(name, pageSize: pageSize)
            try await database.write { try fill($0) }
            let path = folder.path("backup.sqlite")
            try await database.backup(to: .onDisk(path))
            // Over the old one, too.
            try await database.backup(to: .onDisk(path))
            #expect(try folder.files() == ["backup.sqlite"])
            let backup = try Connection(path: path)
            #expect(try count("t", on: backup) == 100)
            #expect(try backup.integrityCheck() == [])
            try backup.close()

            try await database.write { try $0.run("DELETE FROM t") }
            try await database.restore(from: .onDisk(path))
            #expect(try rows(database) == 100)
            try await database.close()

            let other = try Ceph.open("other-\(name)")
            try await other.restore(from: .onDisk(path))
            #expect(try rows(other) == 100)
            let problems = try await other.read { try $0.integrityCheck() }
            #expect(problems == [])
            #expect(try folder.files() == ["backup.sqlite"])
        }

        /// What the guide's figures come from.
        @Test func commitsAreTimed() throws {
            func milliseconds(_ count: Int, _ body: (Int) throws -> Void) rethrows -> String {
                let start = DispatchTime.now()
                for number in 0..<count {
                    try body(number)
                }
                return String(format: "%.1f ms", start.secondsAgo * 1000 / Double(count))
            }
            try Ceph.open(name).write { try $0.execute("CREATE TABLE t(x)") }
            for mode in [Database.Configuration.JournalMode.persist, .truncate, .delete] {
                let database = try Ceph.open(name, journalMode: mode)
                let write = try milliseconds(200) { number in
                    try database.write { try add(number, on: $0) }
                }
                let read = try milliseconds(200) { number in
                    let value: Int = try database.read {
                        try $0.query("SELECT x FROM t WHERE rowid = ?", number + 1)
                    }
                    #expect(value == number)
                }
                try database.close()
                print("Ceph: a commit takes \(write) in the mode \(mode), a read \(read)")
            }
            func timeExclusive(_ journalMode: String) throws -> String {
                let queue = ConnectionQueue(connection: try Ceph.connect(name))
                try queue.execute {
                    try $0.execute(
                        "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = \(journalMode)"
                    )
                }
                defer { try? queue.lane.close() }
                return try milliseconds(200) { number in
                    try queue.execute { try add(number, on: $0) }
                }
            }
            let exclusive = try timeExclusive("PERSIST")
            let exclusiveWAL = try timeExclusive("WAL")
            print(
                "Ceph: a commit takes \(exclusive) with an exclusive lock, \(exclusiveWAL) in WAL"
            )
        }

        // MARK: Several processes

        private static let turns = "theOtherProcessTakesItsTurns"
        private static let turnCount = 40

        /// Adds a number whenever the last one is the other process's.
        private static func takeTurns(_ remainder: Int, _ database: Database) throws {
            let deadline = Date() + patience
            var next = remainder
            while next < turnCount {
                let isAdded = try database.write { connection in
                    guard try count("t", on: connection) == next else { return false }
                    try add(next, on: connection)
                    return true
                }
                if isAdded {
                    next += 2
                } else {
                    try #require(Date() < deadline)
                    Thread.sleep(forTimeInterval: 0.001)
                }
            }
        }

        @Test func twoProcessesTakeTurns() throws {
            let database = try Ceph.open(name, journalMode: .delete)
            try database.write { try $0.execute("CREATE TABLE t(x)") }
            let process = try OtherProcess(running: Self.turns, with: name)
            try Self.takeTurns(0, database)
            #expect(process.hasPassed())
            let found = try database.read { try values(on: $0) }
            #expect(found == Array(0..<Self.turnCount))
        }

        @Test(.otherProcess(turns)) func theOtherProcessTakesItsTurns() throws {
            let name = try #require(OtherProcess.argument(of: Self.turns))
            try Self.takeTurns(1, Ceph.open(name, journalMode: .delete))
        }

        private static let death = "theOtherProcessDies"

        /// A connection in the mode `persist` keeps its journal open. Who takes over deletes it,
        /// whatever mode it will use, so then no other process may have one open.
        @Test(arguments: [Database.Configuration.JournalMode.delete, .persist])
        func theNextProcessTakesOverFromOneThatDied(
            mode: Database.Configuration.JournalMode
        ) throws {
            var database = try Ceph.open(name, journalMode: mode)
            try database.write { try $0.execute("CREATE TABLE t(x)") }
            if mode == .persist {
                try database.close()
            }
            let signs = Signs(folder: folder.url.path)
            let process = try OtherProcess(
                running: Self.death,
                with: "\(name) \(signs.folder) \(mode.rawValue)"
            )
            signs.wait(for: "locked")
            process.kill()

            let start = DispatchTime.now()
            if mode == .persist {
                database = try Ceph.open(name, journalMode: mode)
            }
            let committed = try database.read { try values(on: $0) }
            #expect(committed == [1, 2, 3])
            try database.write { try add(4, on: $0) }
            print("Ceph: taken over after \(start.secondsAgo) s in the mode \(mode)")
            for _ in 0..<3 {
                let all = try database.read { try values(on: $0) }
                #expect(all == [1, 2, 3, 4])
            }
            let problems = try database.read { try $0.integrityCheck() }
            #expect(problems == [])
        }

        @Test(.otherProcess(death)) func theOtherProcessDies() throws {
            let argument = try #require(OtherProcess.argument(of: Self.death))
            let parts = argument.split(separator: " ").map(String.init)
            let mode = try #require(Database.Configuration.JournalMode(rawValue: parts[2]))
            let database = try Ceph.open(parts[0], journalMode: mode)
            try database.write { connection in
                for number in 1...3 {
                    try add(number, on: connection)
                }
            }
            try database.write { connection in
                try add(5, on: connection)
                // With these changes the transaction is in the journal and in the file.
                try connection.execute("PRAGMA cache_size = 5; CREATE TABLE u(y)")
                for _ in 0..<20 {
                    try connection.run("INSERT INTO u VALUES(randomblob(10000))")
                }
                try Signs(folder: parts[1]).give("locked")
                while true {
                    Thread.sleep(forTimeInterval: 1)
                }
            }
        }

        // MARK: The cluster

        private static let writing = "theOtherProcessWrites"

        /// The daemon comes back before the lock of whoever was writing is over.
        @Test func writesWaitForAStoreThatComesBackSoon() throws {
            try Ceph.open(name).write { try $0.execute("CREATE TABLE t(x)") }
            let signs = Signs(folder: folder.url.path)
            let process = try OtherProcess(running: Self.writing, with: "\(name) \(signs.folder)")
            signs.wait(for: "20")
            try Ceph.killOSD()
            try Ceph.startOSD()
            signs.wait(for: "200")
            try signs.give("stop")
            #expect(process.hasPassed())
            try expectCommitted()
        }

        @Test(.otherProcess(writing)) func theOtherProcessWrites() throws {
            let argument = try #require(OtherProcess.argument(of: Self.writing))
            let parts = argument.split(separator: " ").map(String.init)
            let database = try Ceph.open(parts[0])
            let signs = Signs(folder: parts[1])
            var number = 0
            while !signs.isGiven("stop") {
                try database.write { try add(number, on: $0) }
                try signs.give("\(number)")
                number += 1
            }
        }

        /// - Returns: The rows. Each that was reported as committed is there.
        @discardableResult private func expectCommitted() throws -> [Int] {
            let committed = Set(try folder.files().compactMap { Int($0) })
            let database = try Ceph.open(name)
            let found = try database.read { try values(on: $0) }
            #expect(committed.isSubset(of: found))
            let problems = try database.read { try $0.integrityCheck() }
            #expect(problems == [])
            return found
        }

        private static let losing = "theOtherProcessLosesItsLock"

        @Test func aStoreThatWasAwayForLongIsAnErrorAndNoLoss() throws {
            try Ceph.open(name).write { try $0.execute("CREATE TABLE t(x)") }
            let signs = Signs(folder: folder.url.path)
            let process = try OtherProcess(running: Self.losing, with: "\(name) \(signs.folder)")
            signs.wait(for: "inside")
            try Ceph.killOSD()
            // Longer than a lock lasts that isn't renewed.
            Thread.sleep(forTimeInterval: 40)
            try Ceph.startOSD()
            try signs.give("commit")
            #expect(process.hasPassed())
            let report = try String(contentsOfFile: folder.path("report"), encoding: .utf8)
            print("Ceph: \(report)")

            #expect(try expectCommitted() == [1])
            try Ceph.open(name).write { try add(3, on: $0) }
            #expect(try expectCommitted() == [1, 3])
        }

        @Test(.otherProcess(losing)) func theOtherProcessLosesItsLock() throws {
            let argument = try #require(OtherProcess.argument(of: Self.losing))
            let parts = argument.split(separator: " ").map(String.init)
            let database = try Ceph.open(parts[0])
            let signs = Signs(folder: parts[1])
            try database.write { try add(1, on: $0) }
            try signs.give("1")
            let error = #expect(throws: SQLiteError.self) {
                try database.write { connection in
                    try add(2, on: connection)
                    try signs.give("inside")
                    signs.wait(for: "commit")
                }
            }
            let later = Result { try database.read { try count("t", on: $0) } }
            try? database.close()
            let reopened = Result { try Ceph.open(parts[0]).read { try count("t", on: $0) } }
            try "\(String(describing: error)), then \(later), then \(reopened)"
                .write(toFile: parts[1] + "/report", atomically: true, encoding: .utf8)
        }
    }
#endif

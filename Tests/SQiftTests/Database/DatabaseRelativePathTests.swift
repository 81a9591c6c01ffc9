import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    /// A relative path and a symbolic link lead to one database for as long as it is open, also
    /// after the process has gone to another folder. The process is one of the test's own.
    struct DatabaseRelativePathTests {
        private let folder = TemporaryFolder.fresh

        /// Two folders with a database of the same name, which say what they are.
        init() throws {
            for name in ["A", "B"] {
                let url = folder.url.appendingPathComponent(name)
                try FileManager.default.createDirectory(
                    at: url,
                    withIntermediateDirectories: false
                )
                let connection = try Connection(path: url.appendingPathComponent("rel.db").path)
                try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES('\(name)')")
            }
        }

        private var root: String { folder.url.path }

        /// The locations of `rel.db` that depend on the folder.
        private static func location(_ form: String) -> StorageLocation {
            form.hasPrefix("file:") ? .uri(form) : .onDisk(form)
        }

        private static func name(_ connection: Connection) throws -> String {
            try connection.query("SELECT a FROM t")
        }

        private static func go(to folder: String) throws {
            try #require(FileManager.default.changeCurrentDirectoryPath(folder))
        }

        @Test(arguments: [
            "rel.db", "./rel.db", "../A/rel.db", "file:rel.db", "file:./rel.db?mode=rwc",
        ])
        func everyConnectionOfADatabaseOpensTheFirstOnesFile(form: String) async {
            await #expect(processExitsWith: .success) {
                [root = root as String, form = form as String] in
                try Self.go(to: root + "/A")
                let database = try Database.open(Self.location(form)) { $0.readerDrainDelay = 0 }

                try Self.go(to: root + "/B")
                let names = try onEveryConnection(of: database) { try Self.name($0) }
                #expect(names == ["A", "A", "A", "A"])
                let snapshot = try await database.snapshot()
                let read = try await snapshot.read { try Self.name($0) }
                #expect(read == "A")
                try snapshot.close()
                try await database.backup(to: "backup.db")
                #expect(try Self.name(Connection(path: root + "/B/backup.db")) == "A")

                try await database.run("UPDATE t SET a = 'new'")
                try await database.restore(from: "backup.db")
                let restored = try await database.read { try Self.name($0) }
                #expect(restored == "A")
                try await database.restore(from: .uri("file:rel.db"))
                let other = try await database.read { try Self.name($0) }
                #expect(other == "B")
                try await database.close()
                #expect(try Self.name(Connection(path: root + "/A/rel.db")) == "B")
                let left = try FileManager.default.contentsOfDirectory(atPath: root)
                #expect(left.sorted() == ["A", "B"])
            }
        }

        @Test(arguments: ["rel.db", "file:rel.db"])
        func everyConnectionOfAPoolOpensTheFirstOnesFile(form: String) async {
            await #expect(processExitsWith: .success) {
                [root = root as String, form = form as String] in
                try Self.go(to: root + "/A")
                let pool = ConnectionPool(storageLocation: Self.location(form))
                let first = try await pool.read { try Self.name($0) }
                #expect(first == "A")

                try Self.go(to: root + "/B")
                let barrier = Barrier(of: 3)
                let names = (0..<3).map { _ in
                    Worker {
                        try pool.read { connection in
                            barrier.wait()
                            return try Self.name(connection)
                        }
                    }
                }
                for value in try names.values() {
                    #expect(value == "A")
                }
            }
        }

        @Test func anImmutableFileIsTheFirstOnesToo() async {
            await #expect(processExitsWith: .success) { [root = root as String] in
                // Not resolved as text, in which `..` would only take the link away.
                try FileManager.default.createSymbolicLink(
                    atPath: root + "/link",
                    withDestinationPath: root + "/A"
                )
                try FileManager.default.createDirectory(
                    atPath: root + "/A/sub",
                    withIntermediateDirectories: false
                )
                try FileManager.default.createSymbolicLink(
                    atPath: root + "/B/sub",
                    withDestinationPath: root + "/A/sub"
                )
                for path in ["rel.db", "sub/../rel.db"] {
                    try Self.go(to: root + (path == "rel.db" ? "/A" : "/B"))
                    // An old SQLite resolves it as text too.
                    let expected = try Self.name(Connection(path: path))
                    let database = try Database.open(path) {
                        $0.accessMode = .readOnly(immutable: true)
                    }
                    try Self.go(to: root)
                    let names = try onEveryConnection(of: database) { try Self.name($0) }
                    #expect(names == Array(repeating: expected, count: 4))
                    try await database.close()
                }
            }
        }

        @Test func aReaderTakesInTheJournalOfTheFirstOnesFile() async {
            await #expect(processExitsWith: .success) { [root = root as String] in
                try Self.go(to: root + "/A")
                let database = try Database.open("rel.db") { $0.journalMode = .delete }
                try Self.go(to: root + "/B")
                let file = URL(fileURLWithPath: root + "/A/rel.db")
                let journal = URL(fileURLWithPath: root + "/A/rel.db-journal")
                let writer = try Connection(path: file.path)
                try writer.execute(
                    """
                    PRAGMA cache_size = 1; BEGIN; UPDATE t SET a = 'unfinished';
                    WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                    INSERT INTO t SELECT randomblob(1000) FROM n
                    """
                )
                // What a process leaves that is killed now.
                let left = try (Data(contentsOf: file), Data(contentsOf: journal))
                try writer.execute("ROLLBACK")
                try writer.close()
                try left.0.write(to: file)
                try left.1.write(to: journal)

                let name = try await database.read { try Self.name($0) }
                #expect(name == "A")
                try await database.close()
            }
        }

        @Test func aLinkLeadsToTheFirstOnesFile() async throws {
            let link = root + "/current.db"
            func lead(to name: String) throws {
                try? FileManager.default.removeItem(atPath: link)
                try FileManager.default.createSymbolicLink(
                    atPath: link,
                    withDestinationPath: "\(name)/rel.db"
                )
            }
            try lead(to: "A")
            let database = try Database(path: link)
            let pool = ConnectionPool(storageLocation: .onDisk(link))
            let first = try await pool.read { try Self.name($0) }
            #expect(first == "A")
            try lead(to: "B")
            let names = try onEveryConnection(of: database) { try Self.name($0) }
            #expect(names == ["A", "A", "A", "A"])
            try await database.close()
        }

        @Test func theFirstOpeningsErrorShowsThePathAsItWasGiven() async {
            await #expect(processExitsWith: .success) { [root = root as String] in
                try Self.go(to: root + "/A")
                let database = try Database(path: "rel.db")
                try expectRefusal(.reentrant) {
                    try database.read { _ in try database.read { _ in } }
                }
                expectSQLiteError(containing: ": none/rel.db") { try Database(path: "none/rel.db") }
            }
        }
    }
}

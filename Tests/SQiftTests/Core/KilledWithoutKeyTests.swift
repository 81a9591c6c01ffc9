import Foundation
import SQift
import SQiftTestSupport
import Testing

/// A process was killed in the middle of a transaction, and its file is opened without its key.
struct KilledWithoutKeyTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
    }

    /// Leaves a file and its journal as a process does that is killed after a part of its pages was
    /// written.
    private func leave(
        _ key: Data?,
        committed: SQL = rows,
        unfinished: SQL = "UPDATE t SET x = x || 'y'"
    ) throws {
        let living = folder.path("living")
        let connection = try Connection(path: living, configuration: .init(key: key))
        try connection.execute("PRAGMA cache_size = 5; \(committed); BEGIN; \(unfinished)")
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: living + suffix, toPath: path + suffix)
        }
        try connection.execute("ROLLBACK")
        try connection.close()
        try FileManager.default.removeItem(atPath: living)
    }

    private static let rows: SQL = """
        CREATE TABLE t(x);
        WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO t SELECT hex(randomblob(200)) FROM n
        """

    private func expectRefusal(_ name: String, _ body: () throws -> Void) throws {
        let before = try contents(of: folder.url)
        #expect(sqliteError(body)?.resultCode == .notADatabase, "\(name)")
        let after = try contents(of: folder.url)
        for suffix in ["", "-journal"] {
            #expect(before["test.sqlite" + suffix] == after["test.sqlite" + suffix], "\(name)")
        }
    }

    private func expectRefusals() throws {
        try expectRefusal("connection") { try Connection(path: path).run("CREATE TABLE u(x)") }
        try expectRefusal("database") {
            _ = try Database(path: path, configuration: .init(key: nil))
        }
        try expectRefusal("pool") {
            let pool = ConnectionPool(storageLocation: .onDisk(path))
            _ = try pool.read { try count("t", on: $0) }
        }
        for location in [StorageLocation.onDisk(path), .uri("file:\(path)?mode=rwc")] {
            for key in [nil, Data()] {
                let main = StorageLocation.uri("file:\(folder.path("main"))")
                let connection = try Connection(storageLocation: main)
                try expectRefusal("attach") {
                    try connection.attachDatabase(from: location, withName: "a", key: key)
                }
            }
        }
        let plain = try Database(path: folder.path("plain"))
        try expectRefusal("restore") { try plain.restore(from: .onDisk(path)) }
        let before = try contents(of: folder.url)
        #expect(throws: BackupError.self) { try plain.backup(to: .onDisk(path)) }
        let after = try contents(of: folder.url)
        #expect(before["test.sqlite"] == after["test.sqlite"])
        #expect(before["test.sqlite-journal"] == after["test.sqlite-journal"])
    }

    @Test(.encryption, arguments: [Keys.one, Keys.passphrase])
    func itsKeyStillOpensTheWholeDatabase(key: Data) throws {
        try leave(key)
        try expectRefusals()
        #expect(try opens(path, with: key))
        let connection = try Connection(path: path, configuration: .init(key: key))
        #expect(try connection.query("SELECT count(*) FROM t WHERE x GLOB '*y'") == 0)
    }

    /// This needs no SQLite that encrypts: the program may be linked with another one.
    @Test func whatDoesNotBeginAsADatabaseIsLeftAlone() throws {
        try leave(nil)
        try overwrite(path, at: 0, with: Data("encrypted header".utf8))
        try expectRefusals()
        try overwrite(path, at: 0, with: Data("SQLite format 3\0".utf8))
        #expect(try Connection(path: path).query("SELECT count(*) FROM t WHERE x GLOB '*y'") == 0)
    }

    /// SQLite writes the first page last if its cache is too small.
    @Test func aPlainFileWithoutItsFirstPageIsRolledBack() throws {
        try leave(nil, committed: "", unfinished: Self.rows)
        #expect(FileManager.default.contents(atPath: path)?.prefix(16) == Data(count: 16))
        #expect(try Connection(path: path).query("SELECT count(*) FROM sqlite_schema") == 0)
        #expect(folder.size("test.sqlite") == 0)
    }

    @Test func anAttachedFileIsCreatedAsBefore() throws {
        let connection = try Connection(path: path)
        try connection.attachDatabase(from: .onDisk(folder.path("new")), withName: "n")
        try connection.execute("CREATE TABLE n.t(x)")
        var configuration = Connection.Configuration()
        configuration.readOnly = true
        let reader = try Connection(path: path, configuration: configuration)
        #expect(throws: SQLiteError.self) {
            try reader.attachDatabase(from: .onDisk(folder.path("missing")), withName: "m")
        }
        #expect(try folder.files() == ["new", "test.sqlite"])
    }
}

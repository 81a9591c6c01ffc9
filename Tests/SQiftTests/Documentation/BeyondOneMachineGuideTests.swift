import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The blocks of Docs/BeyondOneMachine.md.
struct BeyondOneMachineGuideTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func litestream() throws {
        let path = folder.path()

        var configuration = Database.Configuration()
        configuration.checkpoints = .external
        configuration.synchronous = .normal
        let database = try Database(path: path, configuration: configuration)

        try database.write { try $0.execute("CREATE TABLE cars(name TEXT)") }
        try database.close()
        #expect(try folder.files().contains("test.sqlite-wal"))
    }

    @Test(arguments: [false, true])
    func liteFS(isOnReplica: Bool) throws {
        let folder = self.folder.url.path
        try Connection(path: folder + "/cars.sqlite").execute("CREATE TABLE cars(name TEXT)")
        if isOnReplica {
            try "primary".write(toFile: folder + "/.primary", atomically: true, encoding: .utf8)
        }

        // LiteFS puts this file beside the databases of a replica. It names the primary.
        let isReplica = FileManager.default.fileExists(atPath: folder + "/.primary")
        var configuration = Database.Configuration()
        configuration.accessMode = isReplica ? .readOnly() : .readWrite
        let database = try Database(path: folder + "/cars.sqlite", configuration: configuration)

        var code: ResultCode?
        do {
            try database.write { try $0.execute("INSERT INTO cars VALUES('Audi')") }
        } catch let error as SQLiteError {
            code = error.resultCode
        }
        #expect(code == (isOnReplica ? .readOnly : nil))
    }
}

#if os(Linux)
    @Suite(.ceph) struct CephGuideTests {
        private let pool = Ceph.pool
        private let namespace = UUID().uuidString

        init() throws {
            try Ceph.register()
        }

        @Test func aDatabase() async throws {
            // Once in a process: SQLite then knows the VFS `ceph`.
            try Connection().loadExtension(at: "libcephsqlite")

            var configuration = Database.Configuration()
            configuration.journalMode = .persist
            configuration.maximumReaderCount = 1
            let prepare: @Sendable (Connection) throws -> Void = { connection in
                // The page size is for a new database. Temporary tables can't be in the cluster.
                try connection.execute("PRAGMA page_size = 65536; PRAGMA temp_store = memory")
            }
            configuration.writerConnectionPreparation = prepare
            configuration.readerConnectionPreparation = prepare
            let location = StorageLocation.uri("file:///\(pool):\(namespace)/cars.sqlite?vfs=ceph")
            let database = try Database(storageLocation: location, configuration: configuration)

            try await database.write { try $0.execute("CREATE TABLE cars(name TEXT)") }
            let size: Int = try await database.read { try $0.query("PRAGMA page_size") }
            #expect(size == 65_536)
            try await database.close()
        }

        @Test func oneProcessThatKeepsTheLock() throws {
            let location = StorageLocation.uri("file:///\(pool):\(namespace)/cars.sqlite?vfs=ceph")

            let connection = try Connection(storageLocation: location)
            try connection.execute("PRAGMA locking_mode = exclusive; PRAGMA journal_mode = wal")
            let queue = ConnectionQueue(connection: connection)

            let mode: String = try queue.execute { try $0.query("PRAGMA journal_mode") }
            #expect(mode == "wal")
            try queue.execute { try $0.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)") }
        }
    }
#endif

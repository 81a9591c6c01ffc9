import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

/// A file system layer as one for a distributed store might be: its files are none of the
/// machine's, and it opens no others, nor temporary ones.
///
/// The file `/elsewhere/tmp/a` is kept in `/tmp/a`.
private enum Elsewhere {
    static let name = "sqift-tests-elsewhere"
    static let prefix = "/elsewhere"

    static func path(_ path: String) -> String {
        prefix + path
    }

    /// Whether it could be registered.
    static let isRegistered: Bool = {
        guard let standard = sqlite3_vfs_find(nil) else { return false }
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        vfs.initialize(to: standard.pointee)
        vfs.pointee.zName = UnsafePointer(strdup(name))
        vfs.pointee.pNext = nil
        vfs.pointee.xOpen = { _, path, file, flags, result in
            guard let standard = sqlite3_vfs_find(nil), let path = Elsewhere.kept(path) else {
                return SQLITE_CANTOPEN
            }
            return standard.pointee.xOpen(standard, path, file, flags, result)
        }
        vfs.pointee.xAccess = { _, path, flags, result in
            guard let standard = sqlite3_vfs_find(nil), let path = Elsewhere.kept(path) else {
                result?.pointee = 0
                return SQLITE_OK
            }
            return standard.pointee.xAccess(standard, path, flags, result)
        }
        vfs.pointee.xDelete = { _, path, syncsFolder in
            guard let standard = sqlite3_vfs_find(nil), let path = Elsewhere.kept(path) else {
                return SQLITE_IOERR
            }
            return standard.pointee.xDelete(standard, path, syncsFolder)
        }
        vfs.pointee.xFullPathname = { _, path, size, result in
            guard let path, let result, strlen(path) < Int(size) else { return SQLITE_CANTOPEN }
            memcpy(result, path, strlen(path) + 1)
            return SQLITE_OK
        }
        return sqlite3_vfs_register(vfs, 0) == SQLITE_OK
    }()

    /// Where a file is kept; nil for one that isn't a file of this layer.
    static func kept(_ path: UnsafePointer<CChar>?) -> UnsafePointer<CChar>? {
        guard let path, strncmp(path, prefix, prefix.utf8.count) == 0 else { return nil }
        return path + prefix.utf8.count
    }
}

/// Databases that only a VFS of their own can open, whose backups are ordinary files.
extension CopySuites {
    struct BackupOtherVFSTests {
        /// How a database's VFS is named.
        enum Naming: CaseIterable {
            case configuration
            case uri
        }

        private let folder = TemporaryFolder.fresh
        private let target = TemporaryFolder.fresh

        init() throws {
            try #require(Elsewhere.isRegistered)
        }

        private var path: String { target.path("backup.sqlite") }

        private func location(_ naming: Naming, _ path: String? = nil) -> StorageLocation {
            let path = Elsewhere.path(path ?? folder.path())
            return naming == .uri
                ? .uri("file://\(path)?vfs=\(Elsewhere.name)") : .onDisk(path)
        }

        private func open(
            _ naming: Naming,
            _ change: (inout Database.Configuration) -> Void = { _ in }
        ) throws -> Database {
            var configuration = Database.Configuration()
            configuration.synchronous = .off
            if naming == .configuration {
                configuration.connection.vfs = Elsewhere.name
            }
            change(&configuration)
            return try Database(storageLocation: location(naming), configuration: configuration)
        }

        private func connect(_ naming: Naming) throws -> Connection {
            var configuration = Connection.Configuration()
            if naming == .configuration {
                configuration.vfs = Elsewhere.name
            }
            return try Connection(storageLocation: location(naming), configuration: configuration)
        }

        /// An index and a column that only who has the collation and the function can check.
        private func makeParts(_ connection: Connection) throws {
            try fill(connection)
            try connection.execute(
                """
                CREATE TABLE parts(name TEXT COLLATE backwards, UNIQUE(name));
                CREATE INDEX halves ON parts(half(name));
                INSERT INTO parts VALUES('bolt'), ('nut'), ('screw')
                """
            )
        }

        private static func register(_ connection: Connection) throws {
            try connection.addCollation(named: "backwards") { one, other in other.compare(one) }
            try connection.addFunction(named: "half", deterministic: true) {
                (text: String) -> String in
                String(text.prefix(text.count / 2))
            }
        }

        private func expectBackup(sourceLocation: SourceLocation = #_sourceLocation) throws {
            #expect(try target.files() == ["backup.sqlite"], sourceLocation: sourceLocation)
            let backup = try Connection(path: path)
            try Self.register(backup)
            #expect(try count("t", on: backup) == 100, sourceLocation: sourceLocation)
            try expectSound(backup, sourceLocation: sourceLocation)
        }

        @Test func neitherLayerOpensTheOthersFiles() throws {
            try connect(.configuration).execute("CREATE TABLE t(x)")
            let ordinary = Elsewhere.path(folder.path())
            expectSQLiteError(.cantOpen) { _ = try Connection(path: ordinary) }
            var configuration = Connection.Configuration()
            configuration.vfs = Elsewhere.name
            expectSQLiteError(.cantOpen) {
                _ = try Connection(path: folder.path(), configuration: configuration)
            }
        }

        @Test(
            arguments: Naming.allCases,
            [Database.Configuration.JournalMode.wal, .delete]
        )
        func aDatabaseIsBackedUpToAnOrdinaryFileAndRestoredFromIt(
            naming: Naming,
            mode: Database.Configuration.JournalMode
        ) async throws {
            let database = try open(naming) { $0.journalMode = mode }
            database.prepareConnections { try Self.register($0) }
            try await database.write { try makeParts($0) }
            try await database.backup(to: path)
            try expectBackup()
            // Over an old one, too.
            try await database.backup(to: path)
            try expectBackup()
            try await onThread { [path] in try database.backup(to: path) }
            try expectBackup()

            try await database.execute("DELETE FROM t; DROP TABLE parts")
            try await database.restore(from: path)
            try expectRows(100, in: database)
            let problems = try await database.read { try $0.integrityCheck() }
            #expect(problems == [])
            try expectBackup()
            #expect(try folder.files().allSatisfy { $0.hasPrefix("test.sqlite") })
            try await database.close()
        }

        @Test(arguments: Naming.allCases)
        func aBackupIsAdaptedWhereTheDatabaseHasNoFolder(naming: Naming) async throws {
            let database = try open(naming)
            try await database.write { try fill($0, rows: 7, with: "old") }
            for mode in ["DELETE", "WAL"] {
                let setup = "PRAGMA page_size = 1024; PRAGMA journal_mode = \(mode)"
                try makeFile(at: path, setup: setup).close()
                try await database.restore(from: path)
                try expectRows(100, in: database)
                for suffix in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: path + suffix)
                }
            }
            try await database.close()
        }

        @Test(arguments: [4096, 1024])
        func aBackupOnTheOtherLayerIsNamedByAURI(size: Int) async throws {
            // The database is an ordinary one here, and the backup isn't.
            let source = try Connection(storageLocation: location(.uri, path), readOnly: false)
            try source.execute("PRAGMA page_size = \(size)")
            try fill(source)
            try source.close()
            let database = try folder.open()
            try await database.write { try fill($0, rows: 7, with: "old") }
            try await database.restore(from: location(.uri, path))
            try expectRows(100, in: database)
            await expectTaskSQLiteError(.cantOpen) {
                try await database.restore(from: Elsewhere.path(path))
            }
        }

        @Test(arguments: Naming.allCases)
        func aConnectionsOwnFunctionsCheckTheBackupBeforeAMigration(naming: Naming) throws {
            let connection = try connect(naming)
            try Self.register(connection)
            try makeParts(connection)
            let migrations = [creating("a")]
            let migrator = connection.migrator(migrations)
            _ = try migrator.run(backupTo: .onDisk(path))
            try expectBackup()
            #expect(try connection.tableExists("a"))
            let names: [String] = try connection.query("SELECT name FROM pragma_database_list")
            #expect(names.filter { $0 != "temp" } == ["main"])
        }

        @Test(arguments: Naming.allCases)
        func aDamagedDatabaseIsNoticedThroughTheOtherLayer(naming: Naming) async throws {
            let database = try open(naming) { $0.journalMode = .delete }
            try await database.write { try fill($0) }
            try await database.close()
            try damageIndex(folder.path())
            let damaged = try open(naming) { $0.journalMode = .delete }
            await expectTaskBackupError(.damaged) {
                try await damaged.backup(to: .onDisk(path))
            }
            try target.expectFiles()
        }

        @Test(arguments: Naming.allCases, ["DELETE", "WAL"])
        func theBackgroundReadsThroughTheSourcesLayer(naming: Naming, mode: String) async throws {
            let source = try connect(naming)
            try source.execute("PRAGMA journal_mode = \(mode)")
            try fill(source)
            let destination = try makeFile(at: path, rows: 7, with: "old")
            let (results, done) = (SharedNotes<Connection.BackupResult>(), Gate())
            try source.backup(to: destination, completionQueue: .global()) { result in
                results.note(result)
                done.open()
            }
            await done.opened()
            #expect(results.all.map(\.isSuccess) == [true], "\(results.all)")
            try expectSame(destination, source)
        }
    }
}

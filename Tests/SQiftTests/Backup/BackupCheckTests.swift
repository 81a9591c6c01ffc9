import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The check of a backup's copy, whatever the connection is set to.
struct BackupCheckTests {
    private let folder = TemporaryFolder.fresh
    private let backup: StorageLocation

    init() throws {
        backup = .onDisk(folder.path("backup.sqlite"))
    }

    /// What keeps a connection from attaching one more database.
    enum Hindrance: CaseIterable {
        case limit, attachedDatabases, authorizer

        /// - Returns: How many databases the connection has attached.
        @discardableResult func set(on connection: Connection) throws -> Int {
            switch self {
            case .limit: try connection.setLimit(.attached, to: 0)
            case .attachedDatabases:
                for number in 0..<connection.limit(.attached) {
                    try connection.attachDatabase(from: .inMemory, withName: "other\(number)")
                }
                return connection.limit(.attached)
            case .authorizer:
                try connection.authorizer { action, _, _, _, _ in
                    action == .attach || action == .detach ? .deny : .ok
                }
            }
            return 0
        }
    }

    /// Adds a function and a collation, and tables whose indexes need them.
    private static func addFunctions(to connection: Connection) throws {
        try connection.addFunction(named: "slug", deterministic: true) { (text: String) in
            text.lowercased()
        }
        try connection.addCollation(named: "backwards") { $1.compare($0) }
    }

    private static let schema = """
        CREATE TABLE c(x COLLATE backwards);
        CREATE INDEX ci ON c(x);
        CREATE INDEX cs ON c(slug(x));
        INSERT INTO c VALUES('A'), ('B'), ('C')
        """

    private func expectBackup(_ table: String, rows: Int) throws {
        let copy = try Connection(storageLocation: backup)
        try expectRows(rows, of: table, on: copy)
        try copy.close()
        try FileManager.default.removeItem(atPath: backup.path)
    }

    @Test(arguments: Hindrance.allCases.filter { $0 != .attachedDatabases })
    func theSchemasFunctionsAreThere(hindrance: Hindrance) async throws {
        let database = try folder.open()
        database.prepareConnections { connection in
            try Self.addFunctions(to: connection)
            try hindrance.set(on: connection)
        }
        try await database.execute(Self.schema)
        try await database.backup(to: backup)
        try expectBackup("c", rows: 3)
    }

    @Test(arguments: Hindrance.allCases, [false, true])
    func aMigrationIsBackedUp(hindrance: Hindrance, hasFunctions: Bool) throws {
        if hindrance == .attachedDatabases, hasFunctions {
            return
        }
        let connection = try folder.connection()
        try fill(connection)
        if hasFunctions {
            try Self.addFunctions(to: connection)
            try connection.execute(Self.schema)
        }
        let attached = try hindrance.set(on: connection)
        let limit = connection.limit(.attached)
        let migrator = connection.migrator([creating("u")])
        try migrator.run(backupTo: backup)
        try expectBackup("t", rows: 100)
        #expect(connection.limit(.attached) == limit)
        #expect(try connection.query("SELECT count(*) FROM pragma_database_list") == 1 + attached)
    }

    @Test func aDatabaseOfTheUsersStaysAttached() async throws {
        let own = folder.path("own.sqlite")
        try Connection(path: own).execute("CREATE TABLE o(x)")
        let database = try folder.open { $0.journalMode = .delete }
        database.prepareConnections { connection in
            try Self.addFunctions(to: connection)
            try connection.attachDatabase(from: .onDisk(own), withName: "sqift_copy")
        }
        try await database.execute(Self.schema)
        for _ in 0..<2 {
            try await database.backup(to: backup)
            let rows = try await database.read { try count("sqift_copy.o", on: $0) }
            #expect(rows == 0)
        }
    }

    @Test func withoutAPlaceForItTheDatabaseItselfIsChecked() async throws {
        let database = try folder.open()
        database.prepareConnections { connection in
            try Self.addFunctions(to: connection)
            try Hindrance.attachedDatabases.set(on: connection)
        }
        try await database.execute(Self.schema)
        try await database.backup(to: backup)
        try expectBackup("c", rows: 3)
    }

    @Test func withoutAPlaceForItDamageIsNoticedToo() throws {
        let file = try makeFile(at: folder.path())
        try Self.addFunctions(to: file)
        try file.execute(Self.schema)
        try file.close()
        try damageIndex(folder.path())
        let connection = try folder.connection()
        try Self.addFunctions(to: connection)
        try Hindrance.attachedDatabases.set(on: connection)
        let migrator = connection.migrator([creating("u")])
        #expect(backupError { try migrator.run(backupTo: backup) }?.reason == .damaged)
        try folder.expectFiles("test.sqlite")
    }

    @Test(.enabled(if: Capability.sharedMemory))
    func aNamedDatabaseInMemoryIsBackedUpWithItsFunctions() async throws {
        let name = "file:/\(UUID().uuidString)?vfs=memdb"
        let database = try Database.open(.uri(name))
        database.prepareConnections { try Self.addFunctions(to: $0) }
        try await database.execute(Self.schema)
        try await database.backup(to: backup)
        try expectBackup("c", rows: 3)
    }

    @Test(arguments: Hindrance.allCases)
    func aDamagedDatabaseIsNoticed(hindrance: Hindrance) throws {
        try makeFile(at: folder.path()).close()
        try damageIndex(folder.path())
        let connection = try folder.connection()
        try hindrance.set(on: connection)
        let migrator = connection.migrator([creating("u")])
        #expect(backupError { try migrator.run(backupTo: backup) }?.reason == .damaged)
        try folder.expectFiles("test.sqlite")
    }

    @Test func anIndexThatIsOutOfDateIsRepairedByREINDEX() async throws {
        let connection = try folder.connection()
        try connection.execute(
            """
            CREATE TABLE t(x, y); CREATE INDEX i ON t(x); INSERT INTO t VALUES(1, 2);
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON t(y)' WHERE name = 'i'
            """
        )
        try connection.close()

        let database = try folder.open()
        await expectTaskBackupError(.damaged, containing: "and REINDEX repairs them") {
            try await database.backup(to: backup)
        }

        try await database.write { try $0.execute("REINDEX") }
        try await database.backup(to: backup)
    }

    /// REINDEX would fail.
    @Test func rowsThatAreNotUniqueAreNotRepaired() async throws {
        let connection = try folder.connection()
        try connection.execute(
            """
            CREATE TABLE t(x); CREATE INDEX i ON t(x); INSERT INTO t VALUES(1), (1);
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX i ON t(x)' WHERE name = 'i'
            """
        )
        try connection.close()

        let error = await #expect(throws: BackupError.self) {
            try await folder.open().backup(to: backup)
        }
        #expect(error?.reason == .damaged)
        #expect(error.map { "\($0)" }?.contains("non-unique") == true)
        #expect(error.map { "\($0)" }?.contains("REINDEX") == false)
    }

    @Test func theErrorOfAnInterruptSpeaksOfAnInterrupt() throws {
        let connection = try folder.connection()
        try Self.addFunctions(to: connection)
        try connection.execute(Self.schema)
        let interrupt = connection.interruptHandle
        connection.trace { sql in
            if sql.contains("ATTACH") {
                interrupt.interrupt()
            }
        }
        let migrator = connection.migrator([creating("u")])
        expectSQLiteError(.interrupt, message: "interrupted") { try migrator.run(backupTo: backup) }
        try connection.run("SELECT 1")
        try folder.expectFiles("test.sqlite")
    }
}

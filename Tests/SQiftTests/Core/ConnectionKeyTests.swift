import Foundation
import SQiftTestSupport
import Testing

import SQift

struct ConnectionKeyTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
    }

    private func open(_ key: Data?, _ settings: SQL = "") throws -> Connection {
        var configuration = Connection.Configuration(key: key)
        configuration.cipherSettings = settings
        return try Connection(path: path, configuration: configuration)
    }

    private func makeDatabase(_ key: Data?) throws {
        let connection = try open(key)
        try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES('open secret')")
        try connection.close()
    }

    @Test(.disabled(if: Capability.encryption, "this SQLite can encrypt"))
    func whereSQLiteCannotEncryptAKeyTouchesNoFile() throws {
        let error = sqliteError { _ = try open(Keys.passphrase) }
        #expect(error?.resultCode == .misuse)
        #expect(error?.message.contains("SQLCipher") == true)
        #expect(throws: SQLiteError.self) {
            _ = try Database(path: path, configuration: .init(key: Keys.one))
        }
        let pool = ConnectionPool(
            storageLocation: .onDisk(path),
            key: Keys.one
        )
        #expect(throws: SQLiteError.self) { try pool.read { _ in } }
        let changing = sqliteError { try Connection.changeKey(of: path, to: Keys.one) }
        #expect(changing?.resultCode == .misuse)
        let attaching = sqliteError {
            try Connection().attachDatabase(
                from: .onDisk(folder.path("other")),
                withName: "o",
                key: Keys.one
            )
        }
        #expect(attaching?.resultCode == .misuse)
        #expect(try folder.files().allSatisfy { $0 == "test.sqlite" })
        #expect(folder.size("test.sqlite") == 0)
    }

    @Test func theFeatureIsMissingWhereItIs() {
        let missing = Connection.missingFeatures
        #expect(missing.contains { $0.hasPrefix("a key") } != Capability.encryption)
        #expect(missing.contains { $0.hasPrefix("serialize") } != Capability.serialization)
        #expect(missing.contains { $0.hasPrefix("the offset") } != Capability.errorOffset)
        #expect(missing.contains { $0.hasPrefix("a named") } != Capability.sharedMemory)
        #expect(missing.allSatisfy { $0.contains(" need") })
    }

    @Test(.encryption, arguments: ["delete", "persist", "wal"])
    func noFileIsEverPlain(journalMode: String) throws {
        let connection = try open(Keys.passphrase)
        try folder.expectNothingPlain()
        try connection.execute("PRAGMA journal_mode = \(journalMode); CREATE TABLE t(x)")
        try folder.expectNothingPlain()
        try connection.transaction {
            try connection.run("INSERT INTO t VALUES('open secret')")
            try folder.expectNothingPlain()
        }
        try connection.run("UPDATE t SET x = x || '!'")
        try folder.expectNothingPlain()
        if journalMode != "delete" {
            #expect(try folder.files().count > 1)
        }
        try connection.close()
        try folder.expectNothingPlain()
        #expect(try open(Keys.passphrase).query("SELECT x FROM t") == "open secret!")
    }

    @Test(.encryption) func aWrongAndAMissingKeyAreEachOneError() throws {
        try makeDatabase(Keys.passphrase)
        let before = FileManager.default.contents(atPath: path)

        let wrong = sqliteError { _ = try open(Data("hunter2".utf8)) }
        #expect(wrong?.resultCode == .notADatabase)
        #expect(wrong?.message.hasPrefix("the key is wrong") == true)
        #expect(wrong?.message.hasSuffix(path) == true)
        let missing = sqliteError { try open(nil).run("CREATE TABLE u(x)") }
        #expect(missing?.message == "file is encrypted, or isn't a database")

        for key in [nil, Data("hunter2".utf8)] {
            let error = sqliteError {
                _ = try Database(path: path, configuration: .init(key: key))
            }
            #expect(error?.resultCode == .notADatabase)
            #expect(error?.message.contains(key == nil ? "is encrypted" : "key is wrong") == true)
            #expect(error?.message.contains(path) == true)
            #expect("\(error as Any)".contains("hunter2") == false)
        }
        let readOnly = ConnectionPool(
            storageLocation: .onDisk(path),
            key: Keys.one
        )
        #expect(throws: SQLiteError.self) { try readOnly.read { _ in } }
        #expect(FileManager.default.contents(atPath: path) == before)
        #expect(try folder.files() == ["test.sqlite"])
    }

    @Test(.encryption) func aPlainDatabaseIsNotOpenedWithAKey() throws {
        try makeDatabase(nil)
        let before = FileManager.default.contents(atPath: path)
        let attaching = try Connection()
        for body in [
            { _ = try open(Keys.one) },
            { _ = try Database(path: path, configuration: .init(key: Keys.one)) },
            { try attaching.attachDatabase(from: .onDisk(path), withName: "a", key: Keys.one) },
        ] {
            let error = sqliteError(body)
            #expect(error?.resultCode == .notADatabase)
            #expect(error?.message.contains("isn't encrypted") == true)
            #expect(error?.message.contains(path) == true)
        }
        #expect(FileManager.default.contents(atPath: path) == before)
        #expect(try folder.files() == ["test.sqlite"])
    }

    /// An empty file has no key yet, whoever has made it.
    @Test(.encryption) func anEmptyFileIsEncryptedFromItsFirstByteOn() throws {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        try makeDatabase(Keys.one)
        try folder.expectNothingPlain()
    }

    /// Where SQLite itself would leave the header plain although nobody has asked for it: a setting
    /// for the whole process stands for whatever else may cause that.
    @Test(.encryption, .enabled(if: Keys.areSQLCiphers, "only SQLCipher has such a setting"))
    func aFileThatStaysPlainIsRefused() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let source = try Connection(
                path: folder.path("source"),
                configuration: .init(key: Keys.one)
            )
            try source.execute("CREATE TABLE t(x)")
            let migration = Migration("first", sql: "CREATE TABLE u(x)")
            let migrator = Migrator(connection: source, migrations: [migration])
            try source.execute("PRAGMA cipher_default_plaintext_header_size = 32")
            let copy = StorageLocation.onDisk(folder.path("copy"))
            for body in [
                { _ = try Database(path: folder.path(), configuration: .init(key: Keys.one)) },
                { _ = try migrator.run(backupTo: copy) },
                { try source.vacuum(into: .onDisk(folder.path("vacuumed"))) },
            ] {
                let error = sqliteError(body)
                try #require(error?.message.contains("isn't encrypted") == true, "\(error as Any)")
            }
            try #require(!FileManager.default.fileExists(atPath: copy.path))
        }
    }

    @Test(.encryption) func anEmptyKeyIsRefused() throws {
        #expect(sqliteError { _ = try open(Data()) }?.resultCode == .misuse)
        #expect(try folder.files() == [])
    }

    @Test(.encryption) func theSettingsBelongToTheKey() throws {
        let settings =
            Keys.areSQLCiphers
            ? "PRAGMA kdf_iter = 4000" : "PRAGMA cipher = 'aes256cbc'"
        let connection = try open(Keys.passphrase, settings)
        try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)")
        try connection.close()
        #expect(try open(Keys.passphrase, settings).query("SELECT x FROM t") == 1)
        #expect(throws: SQLiteError.self) { _ = try open(Keys.passphrase) }

        var configuration = Database.Configuration(key: Keys.passphrase)
        configuration.connection.cipherSettings = settings
        let database = try Database(path: path, configuration: configuration)
        let copy = StorageLocation.onDisk(folder.path("copy.sqlite"))
        try database.backup(to: copy)
        try database.backup(to: copy)
        try database.restore(from: copy)
        try folder.expectNothingPlain()
        #expect(try database.read { try $0.query("SELECT x FROM t") } == 1)
        let isWrong = sqliteError { _ = try open(Keys.passphrase, "PRAGMA nonsense(") }
        #expect(isWrong?.resultCode == .error)
    }

    @Test(.encryption) func aPoolHasTheKeyOfItsConfiguration() throws {
        try makeDatabase(Keys.one)
        let pool = ConnectionPool(
            storageLocation: .onDisk(path),
            key: Keys.one
        )
        #expect(try pool.read { try $0.query("SELECT x FROM t") } == "open secret")
        #expect(throws: SQLiteError.self) { try pool.read { try $0.run("DELETE FROM t") } }
    }

    @Test(.encryption) func theKeyIsInNoText() throws {
        let key = Data("hunter2hunter2".utf8)
        let secrets = ["hunter2", key.map { String(format: "%02x", $0) }.joined(), "104, 117, 110"]
        func expectNoKey(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
            for secret in secrets {
                let isThere = text.lowercased().contains(secret)
                #expect(!isThere, "\(text)", sourceLocation: sourceLocation)
            }
        }
        func texts(_ value: Any) -> String {
            "\(value)" + String(reflecting: value)
        }
        var configuration = Database.Configuration(key: key)
        #expect(configuration.connection.key == key)
        expectNoKey(texts(configuration))
        var copy = configuration
        copy.connection.key = Keys.one
        #expect(configuration.connection.key == key)
        configuration.label = "labelled"

        let database = try Database(path: path, configuration: configuration)
        expectNoKey(texts(database))
        try database.writeWithoutTransaction { connection in
            var events = ""
            connection.traceEvent { events += "\($0)" }
            try connection.attachDatabase(
                from: .onDisk(folder.path("own")),
                withName: "own",
                key: key
            )
            try connection.attachDatabase(from: .onDisk(folder.path("main's")), withName: "m")
            try connection.execute("CREATE TABLE own.t(x); CREATE TABLE m.t(x)")
            try connection.run("INSERT INTO own.t VALUES(?)", "visible")
            #expect(events.contains("ATTACH DATABASE ? AS ? KEY ?"))
            #expect(events.contains("'visible'"))
            expectNoKey(events)
            expectNoKey(texts(connection))
            let error = sqliteError {
                try connection.attachDatabase(
                    from: .onDisk(folder.path("own")),
                    withName: "again",
                    key: Data("hunter22".utf8)
                )
            }
            expectNoKey(texts(error as Any))
            expectNoKey(texts(sqliteError { try connection.run("SELEC 1") } as Any))
            let schema: [String] = try connection.query("SELECT sql FROM sqlite_schema")
            expectNoKey(schema.joined())
        }
        try database.close()
        for name in try folder.files() {
            expectNoKey(
                String(
                    decoding: try Data(contentsOf: folder.url.appendingPathComponent(name)),
                    as: UTF8.self
                )
            )
        }
    }

    @Test(.encryption, .enabled(if: Capability.serialization))
    func serializedBytesAreNotEncrypted() throws {
        try makeDatabase(Keys.one)
        let data = try open(Keys.one).serialize()
        #expect(data.starts(with: Data("SQLite format 3\0".utf8)))
        let copy = try Connection(image: data)
        #expect(try copy.query("SELECT x FROM t") == "open secret")
    }
}

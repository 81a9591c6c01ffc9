import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The blocks of Docs/Encryption.md.
@Suite(.encryption) struct EncryptionGuideTests {
    private let folder: TemporaryFolder
    private let path: String
    private let backupPath: String
    private let key = Data("horse".utf8)
    private let newKey = Data("staple".utf8)

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        backupPath = folder.path("backup.sqlite")
    }

    private func open() throws -> Database {
        var configuration = Database.Configuration()
        configuration.connection.key = key
        let database = try Database(path: path, configuration: configuration)
        try database.write { try $0.execute("CREATE TABLE IF NOT EXISTS cars(name TEXT)") }
        try folder.expectNothingPlain()
        return database
    }

    @Test func aKey() throws {
        try open().close()
        #expect(try opens(path, with: key))
    }

    @Test func anotherKey() async throws {
        let database = try open()
        try await database.close()
        var configuration = Connection.Configuration()
        configuration.key = key
        try Connection.changeKey(of: path, configuration: configuration, to: newKey)
        #expect(try opens(path, with: newKey))
    }

    @Test func aFirstKeyAndNone() throws {
        let plainPath = path
        try Connection(path: plainPath).execute("CREATE TABLE t(x)")
        try Connection.changeKey(of: plainPath, to: key)
        #expect(try opens(path, with: key))

        var configuration = Connection.Configuration()
        configuration.key = key
        try Connection.changeKey(of: path, configuration: configuration, to: nil)
        #expect(try opens(path, with: nil))
    }

    @Test func attach() throws {
        let otherPath = folder.path("other.sqlite")
        let otherKey = newKey
        let connection = try Connection()
        try connection.attachDatabase(from: .onDisk(otherPath), withName: "other", key: otherKey)
        try connection.execute("CREATE TABLE other.t(x)")
        #expect(try opens(otherPath, with: otherKey))
    }

    @Test func settings() throws {
        var configuration = Connection.Configuration()
        configuration.key = key
        configuration.cipherSettings = "PRAGMA cipher_compatibility = 3"
        _ = try? Connection(path: path, configuration: configuration)
    }

    @Test(.enabled(if: Keys.areSQLCiphers, "this isn't SQLCipher"))
    func aPlainHeader() throws {
        let salt = String(repeating: "0a", count: 16)
        var configuration = Database.Configuration()
        configuration.connection.key = key
        configuration.connection.cipherSettings = """
            PRAGMA cipher_plaintext_header_size = 32;
            PRAGMA cipher_salt = "x'\(salt)'"
            """

        let database = try Database(path: path, configuration: configuration)
        try database.write { try $0.execute("CREATE TABLE cars(name TEXT)") }
        try database.backup(to: .onDisk(backupPath))
        try database.close()

        for file in [path, backupPath] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            #expect(bytes.starts(with: Data("SQLite format 3\0".utf8)))
            #expect(bytes.range(of: Data("cars".utf8)) == nil)
            let copy = try Database(path: file, configuration: configuration)
            #expect(try copy.read { try $0.tableExists("cars") })
        }
        #expect(try !opens(path, with: key))
    }

    @Test(
        .enabled(
            if: Keys.areSQLCiphers,
            "this SQLite has no sqlcipher_export"
        )
    )
    func encryptingAPlainDatabase() throws {
        let plainPath = folder.path("plain.sqlite")
        try Connection(path: plainPath).execute("CREATE TABLE cars(name TEXT)")
        let plain = try Connection(path: plainPath)
        try plain.attachDatabase(from: .onDisk(path), withName: "encrypted", key: key)
        try plain.run("SELECT sqlcipher_export('encrypted')")
        try plain.close()
        #expect(try opens(path, with: key))
    }

    @Test func missingFeatures() {
        for feature in Connection.missingFeatures {
            print(feature)  // a key needs SQLCipher or SQLite3 Multiple Ciphers
        }
        #expect(!Connection.missingFeatures.contains { $0.hasPrefix("a key") })
    }
}

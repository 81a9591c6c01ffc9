import Foundation
import SQift
import SQiftTestSupport
import Testing

@Suite(.encryption) struct AttachKeyTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func make(_ name: String, _ key: Data?) throws -> StorageLocation {
        let connection = try Connection(path: folder.path(name), configuration: .init(key: key))
        try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES('open secret')")
        try connection.close()
        return .onDisk(folder.path(name))
    }

    @Test func anAttachedDatabaseHasAKeyOfItsOwn() throws {
        let location = try make("a", Keys.passphrase)
        let plain = try Connection()
        try plain.attachDatabase(from: location, withName: "a", key: Keys.passphrase)
        #expect(try plain.query("SELECT x FROM a.t") == "open secret")
        try plain.detachDatabase(named: "a")

        let wrong = sqliteError {
            try plain.attachDatabase(from: location, withName: "a", key: Data("hunter2".utf8))
        }
        #expect(wrong?.resultCode == .notADatabase)
        let missing = sqliteError { try plain.attachDatabase(from: location, withName: "a") }
        #expect(missing?.resultCode == .notADatabase)
        #expect(missing?.message.contains("is encrypted") == true)

        try plain.attachDatabase(from: .onDisk(folder.path("new")), withName: "n", key: Keys.one)
        try plain.execute("CREATE TABLE n.t(x); INSERT INTO n.t VALUES('open secret')")
        try folder.expectNothingPlain()
        try plain.close()
        #expect(try opens(folder.path("new"), with: Keys.one))
    }

    @Test func withoutAKeyItHasThatOfMain() throws {
        let other = try make("other", Keys.passphrase)
        _ = try make("main", Keys.passphrase)
        let connection = try Connection(
            path: folder.path("main"),
            configuration: .init(key: Keys.passphrase)
        )
        try connection.attachDatabase(from: other, withName: "o")
        #expect(try connection.query("SELECT x FROM o.t") == "open secret")
        try connection.attachDatabase(from: .inMemory, withName: "memory")
        try connection.execute("CREATE TABLE memory.t AS SELECT * FROM o.t")
        try connection.attachDatabase(from: .onDisk(folder.path("new")), withName: "n")
        try connection.execute("CREATE TABLE n.t(x)")
        try folder.expectNothingPlain()
    }

    @Test func anEmptyKeyIsForAPlainDatabase() throws {
        let plain = try make("plain", nil)
        _ = try make("main", Keys.one)
        let connection = try Connection(
            path: folder.path("main"),
            configuration: .init(key: Keys.one)
        )
        #expect(throws: SQLiteError.self) {
            try connection.attachDatabase(from: plain, withName: "p")
        }
        try connection.attachDatabase(from: plain, withName: "p", key: Data())
        #expect(try connection.query("SELECT x FROM p.t") == "open secret")
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

@Suite(.encryption) struct RekeyTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
    }

    private func open(_ key: Data?, at path: String? = nil) throws -> Connection {
        try Connection(path: path ?? self.path, configuration: .init(key: key))
    }

    private func make(
        _ key: Data?,
        journalMode: String,
        at path: String? = nil
    ) throws -> Connection {
        let connection = try open(key, at: path)
        try connection.execute(
            """
            PRAGMA journal_mode = \(journalMode);
            PRAGMA synchronous = OFF;
            CREATE TABLE t(x);
            WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
            INSERT INTO t SELECT 'open secret' || hex(randomblob(400)) FROM n
            """
        )
        return connection
    }

    @Test(arguments: ["delete", "wal"])
    func onlyTheNewKeyOpensItAfterwards(journalMode: String) throws {
        let connection = try make(Keys.passphrase, journalMode: journalMode)
        try connection.rekey(to: Data("hunter2".utf8))
        #expect(try connection.query("SELECT count(*) FROM t") == 300)
        try connection.run("INSERT INTO t VALUES('open secret')")
        try folder.expectNothingPlain()
        if journalMode == "wal" {
            #expect(try connection.checkpoint(mode: .passive).isComplete)
        }
        // The connection hands the new key on.
        try connection.attachDatabase(from: .onDisk(folder.path("new")), withName: "n")
        try connection.execute("CREATE TABLE n.t(x)")
        try connection.close()

        #expect(try !opens(path, with: Keys.passphrase))
        #expect(try !opens(path, with: nil))
        #expect(try opens(path, with: Data("hunter2".utf8)))
        #expect(try opens(folder.path("new"), with: Data("hunter2".utf8)))
    }

    @Test func whatCannotBeDoneChangesNothing() throws {
        let connection = try make(Keys.one, journalMode: "delete")
        #expect(sqliteError { try connection.rekey(to: Data()) }?.resultCode == .misuse)
        try connection.transaction {
            #expect(sqliteError { try connection.rekey(to: Keys.other) }?.resultCode == .misuse)
        }
        let statement = try connection.prepare("SELECT 1")
        #expect(sqliteError { try connection.rekey(to: Keys.other) }?.resultCode == .busy)
        try statement.run()
        #expect(try connection.query("SELECT count(*) FROM t") == 300)
        #expect(sqliteError { try Connection().rekey(to: Keys.other) }?.resultCode == .misuse)
        #expect(try opens(path, with: Keys.one))
    }

    @Test func whileAnotherConnectionReadsItFailsAndClosesTheConnection() throws {
        let connection = try make(Keys.one, journalMode: "delete")
        try connection.run("PRAGMA busy_timeout = 1")
        let reader = try open(Keys.one)
        try reader.execute("BEGIN; SELECT * FROM t")
        #expect(throws: SQLiteError.self) { try connection.rekey(to: Keys.other) }
        #expect(
            sqliteError { try connection.run("DELETE FROM t") }?.message == "connection is closed"
        )
        try reader.execute("COMMIT")
        try reader.close()
        #expect(try opens(path, with: Keys.one))
        #expect(try !opens(path, with: Keys.other))
    }

    @Test(.disabled(if: Keys.areSQLCiphers, "SQLCipher gives no first key"))
    func aDatabaseWithAJournalGetsAFirstKey() throws {
        let connection = try make(nil, journalMode: "delete")
        try connection.rekey(to: Keys.one)
        try connection.close()
        #expect(try opens(path, with: Keys.one))
        try folder.expectNothingPlain()
    }

    @Test(.disabled(if: Keys.areSQLCiphers, "SQLCipher gives no first key"))
    func aFirstKeyHasItsSettings() throws {
        var configuration = Connection.Configuration(key: nil)
        configuration.cipherSettings = "PRAGMA cipher = 'aes256cbc'"
        let connection = try Connection(path: path, configuration: configuration)
        try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES('open secret')")
        try connection.rekey(to: Keys.passphrase)
        #expect(try connection.query("SELECT x FROM t") == "open secret")
        try connection.close()
        #expect(try !opens(path, with: Keys.passphrase))
        configuration.key = Keys.passphrase
        let again = try Connection(path: path, configuration: configuration)
        #expect(try again.query("SELECT x FROM t") == "open secret")

        configuration.key = nil
        configuration.cipherSettings = "PRAGMA nonsense("
        let other = folder.path("other")
        let plain = try Connection(path: other, configuration: configuration)
        try plain.execute("CREATE TABLE t(x)")
        #expect(sqliteError { try plain.rekey(to: Keys.one) }?.resultCode == .error)
        #expect(try count("t", on: plain) == 0)
        #expect(try opens(other, with: nil))
    }

    /// The journal that stays has kept the pages as they were.
    @Test(arguments: Keys.areSQLCiphers ? [Keys.one] : [nil, Keys.one])
    func aJournalThatStaysKeepsNothing(oldKey: Data?) throws {
        let connection = try make(oldKey, journalMode: "persist")
        try connection.rekey(to: Keys.other)
        try folder.expectNothingPlain()
        #expect(try connection.query("PRAGMA journal_mode") == "persist")
        for _ in 0..<2 {
            #expect(throws: TestError.self) {
                try connection.transaction(transactionType: .immediate) {
                    try connection.run("INSERT INTO t VALUES('open secret')")
                    throw TestError()
                }
            }
        }
        #expect(try connection.integrityCheck() == [])
        #expect(try connection.query("SELECT count(*) FROM t") == 300)
    }

    /// Virtual tables keep statements of their own.
    @Test(arguments: Capability.virtualTables)
    func virtualTablesDoNotPreventIt(module: String) throws {
        let connection = try make(Keys.one, journalMode: "delete")
        try connection.execute("CREATE VIRTUAL TABLE v USING \(module)")
        try connection.execute("INSERT INTO v VALUES(1, 2, 3)")
        try connection.rekey(to: Keys.other)
        #expect(try count("v", on: connection) == 1)
        try connection.execute("INSERT INTO v VALUES(2, 2, 3)")
        try connection.close()
        #expect(try opens(path, with: Keys.other))
    }

    @Test func journalsOfAttachedDatabasesStayAsTheyAre() throws {
        let connection = try make(Keys.one, journalMode: "persist")
        try connection.attachDatabase(from: .onDisk(folder.path("other")), withName: "other")
        try connection.execute("PRAGMA other.journal_mode = WAL; CREATE TABLE other.u(x)")
        try connection.rekey(to: Keys.other)
        #expect(try connection.query("PRAGMA other.journal_mode") == "wal")
        #expect(try connection.query("PRAGMA main.journal_mode") == "persist")
    }

    @Test func onceTheKeyHasChangedNoInterruptMakesItFail() throws {
        let connection = try make(Keys.one, journalMode: "persist")
        let interrupt = connection.interruptHandle
        connection.trace { sql in
            if sql.contains("= PERSIST") {
                interrupt.interrupt()
            }
        }
        try connection.rekey(to: Keys.other)
        #expect(try connection.query("SELECT count(*) FROM t") == 300)
        #expect(try opens(path, with: Keys.other))
    }

    @Test(.disabled(if: Keys.areSQLCiphers, "SQLCipher gives no first key"))
    func withoutAPlaceForAnotherDatabaseAFirstKeyIsToldWhy() throws {
        let connection = try make(nil, journalMode: "delete")
        try connection.setLimit(.attached, to: 0)
        let message = sqliteError { try connection.rekey(to: Keys.one) }?.message ?? ""
        #expect(message.contains("too many attached databases"), "\(message)")
        #expect(message.contains("it is still without a key"), "\(message)")
        #expect(try opens(path, with: nil))
    }

    @Test func aDatabaseInWALModeGetsNoFirstKeyAndStaysOpen() throws {
        let connection = try make(nil, journalMode: "wal")
        let error = sqliteError { try connection.rekey(to: Keys.one) }
        #expect(error?.resultCode == .misuse)
        #expect(error?.message.contains("journal_mode = DELETE") == true)
        #expect(try connection.query("SELECT count(*) FROM t") == 300)
        try connection.close()
        #expect(try opens(path, with: nil))
    }

    @Test(.disabled(if: Keys.areSQLCiphers, "SQLCipher gives no first key"))
    func theErrorOfAFirstKeySpeaksOfNoOldOne() throws {
        let connection = try make(nil, journalMode: "delete")
        try connection.run("PRAGMA busy_timeout = 1")
        let reader = try open(nil)
        try reader.execute("BEGIN; SELECT * FROM t")
        let error = sqliteError { try connection.rekey(to: Keys.one) }
        #expect(error?.message.contains("without a key") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("old") == false)
        try reader.close()
        #expect(try opens(path, with: nil))
    }

    @Test(
        .enabled(if: SmallDisk.canBeMade, "only root can mount a small disk"),
        // Without a WAL SQLCipher 4 reports no error, and the file is damaged.
        arguments: Keys.areSQLCiphers ? ["wal"] : ["delete", "wal"]
    )
    func onAFullDiskTheKeyStays(journalMode: String) throws {
        let disk = try SmallDisk(in: folder)
        let path = disk.path + "/test.sqlite"
        let connection = try make(Keys.one, journalMode: journalMode, at: path)
        try connection.checkpoint()
        // Leaves a third of the room that another copy of the pages would need.
        let ballast = try Data(
            count: 1_000_000 - 4 * Int(connection.query("PRAGMA page_count") as Int) * 4096 / 3
        )
        try ballast.write(to: URL(fileURLWithPath: disk.path + "/ballast"))

        #expect(throws: SQLiteError.self) { try connection.rekey(to: Keys.other) }
        #expect(
            sqliteError { try connection.run("DELETE FROM t") }?.message == "connection is closed"
        )
        try FileManager.default.removeItem(atPath: disk.path + "/ballast")
        #expect(try opens(path, with: Keys.one))
        #expect(try !opens(path, with: Keys.other))
        #expect(try open(Keys.one, at: path).query("SELECT count(*) FROM t") == 300)
    }
}

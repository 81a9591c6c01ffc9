import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Encrypted databases whose pages have another size than SQLite's default.
@Suite(.encryption) struct DatabaseKeyFormatTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private typealias JournalMode = Database.Configuration.JournalMode

    private func open(
        _ name: String,
        pageSize: Int,
        _ journalMode: Database.Configuration.JournalMode = .wal,
        cipherSettings: SQL = ""
    ) throws -> Database {
        var configuration = Database.Configuration(key: Keys.one)
        configuration.journalMode = journalMode
        configuration.connection.cipherSettings = cipherSettings
        if !FileManager.default.fileExists(atPath: folder.path(name)) {
            let connection = try Connection(
                path: folder.path(name),
                configuration: configuration.connection
            )
            try connection.execute(
                """
                PRAGMA page_size = \(pageSize);
                CREATE TABLE t(x);
                INSERT INTO t VALUES('open secret')
                """
            )
            try connection.close()
        }
        return try Database(path: folder.path(name), configuration: configuration)
    }

    @Test(
        .disabled(if: Keys.areSQLCiphers, "SQLCipher needs a setting for it"),
        arguments: [512, 1024, 8192, 65536],
        ["", "PRAGMA cipher = 'aes256cbc'"]
    )
    func itIsBackedUpAndRestored(pageSize: Int, cipherSettings: SQL) async throws {
        for mode in [JournalMode.wal, .delete] {
            let name = "\(mode).sqlite"
            let database = try open(name, pageSize: pageSize, mode, cipherSettings: cipherSettings)
            let copy = StorageLocation.onDisk(folder.path("copy of \(name)"))
            for _ in 0..<2 {
                try await database.backup(to: copy)
                try await database.write { try $0.run("DELETE FROM t") }
                try await database.restore(from: copy)
                #expect(try await database.read { try count("t", on: $0) } == 1)
            }
            let before = StorageLocation.onDisk(folder.path("before \(name)"))
            try await database.writeWithoutTransaction { connection in
                let migrator = Migrator(
                    connection: connection,
                    migrations: [Migration("u", sql: "CREATE TABLE u(x)")]
                )
                try migrator.run(backupTo: before)
            }
            for location in [copy, before] {
                var configuration = Connection.Configuration(key: Keys.one)
                configuration.cipherSettings = cipherSettings
                let found = try Connection(storageLocation: location, configuration: configuration)
                #expect(try found.query("SELECT x FROM t") == "open secret")
                #expect(try found.query("PRAGMA page_size") == pageSize)
            }
            try await database.close()
        }
        try folder.expectNothingPlain()
    }

    @Test(
        .disabled(if: Keys.areSQLCiphers, "SQLCipher needs a setting for it")
    )
    func aConnectionCopiesItIntoANewFile() throws {
        let database = try open("test.sqlite", pageSize: 8192)
        let configuration = Connection.Configuration(key: Keys.other)
        try database.writeWithoutTransaction { source in
            let copy = try Connection(path: folder.path("copy"), configuration: configuration)
            try source.backup(to: copy)
            #expect(try copy.query("SELECT x FROM t") == "open secret")
        }
        #expect(try opens(folder.path("copy"), with: Keys.other))
        try folder.expectNothingPlain()
    }

    @Test(
        .disabled(if: Keys.areSQLCiphers, "SQLCipher needs a setting for it"),
        arguments: [Database.Configuration.JournalMode.wal, .delete]
    )
    func theErrorOfOtherPagesSpeaksOfPages(
        mode: Database.Configuration.JournalMode
    ) async throws {
        let database = try open("test.sqlite", pageSize: 4096, mode)
        let other = try open("other.sqlite", pageSize: 8192, mode)
        let copy = folder.path("copy.sqlite")
        try await other.backup(to: .onDisk(copy))
        let error = await expectTaskThrows(BackupError.self) {
            try await database.restore(from: .onDisk(copy))
        }
        #expect(error?.reason == .pageSize)
        for text in ["8192", "4096", copy, folder.path(), "with a key"] {
            #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
        }
        #expect(error?.message.contains("encrypted") == false)
        #expect(try await database.read { try count("t", on: $0) } == 1)
        // Which is the way out.
        try await other.backup(to: .onDisk(folder.path("new.sqlite")))
        #expect(try opens(folder.path("new.sqlite"), with: Keys.one))
    }
}

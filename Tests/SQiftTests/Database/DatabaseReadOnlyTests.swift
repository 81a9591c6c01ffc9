import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    struct DatabaseReadOnlyTests {
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
        }

        private func makeFile(_ name: String = "test.sqlite", journalMode: String) throws {
            let connection = try Connection(path: folder.path(name))
            try connection.setPersistentWAL(false)
            try connection.execute(
                "PRAGMA journal_mode = \(journalMode); CREATE TABLE t(x); INSERT INTO t VALUES(1)"
            )
            try connection.close()
        }

        private func configuration(immutable: Bool = false) -> Database.Configuration {
            var configuration = Database.Configuration()
            configuration.accessMode = .readOnly(immutable: immutable)
            return configuration
        }

        @Test(arguments: [false, true]) func aMissingFileIsAnErrorAndIsntCreated(
            immutable: Bool
        ) throws {
            let error = sqliteError {
                let database = try Database(
                    path: folder.path(),
                    configuration: configuration(immutable: immutable)
                )
                _ = try rows(database)
            }
            #expect(error?.resultCode == .cantOpen)
            try #expect(folder.files() == [])
        }

        @Test(arguments: ["delete", "wal"], [false, true])
        func itReadsAndEveryWriteThrows(journalMode: String, immutable: Bool) throws {
            try makeFile(journalMode: journalMode)
            let before = try Data(contentsOf: folder.url.appendingPathComponent("test.sqlite"))
            let database = try Database(
                path: folder.path(),
                configuration: configuration(immutable: immutable)
            )
            #expect(try rows(database) == 1)
            for access in DatabaseAccess.own {
                let seen = try access.run(on: database) { try count("t", on: $0) }
                #expect(seen == 1)
                let error = sqliteError { try access.run(on: database) { try add(2, on: $0) } }
                #expect(error?.resultCode == .readOnly)
            }
            try database.close()
            let after = try Data(contentsOf: folder.url.appendingPathComponent("test.sqlite"))
            #expect(before == after)
            try #expect(folder.connection().query("PRAGMA journal_mode") == journalMode)
        }

        @Test func itSeesWhatOthersWrite() throws {
            let writer = try folder.openWithTable()
            let reader = try Database(path: folder.path(), configuration: configuration())
            #expect(try rows(reader) == 0)
            try writer.write { try add(1, on: $0) }
            #expect(try rows(reader) == 1)
            let modes: [String] = try onEveryConnection(of: reader) {
                try $0.query("PRAGMA journal_mode")
            }
            #expect(modes == ["wal", "wal", "wal", "wal"])
            let foreignKeys: [Int] = try onEveryConnection(of: reader) {
                try $0.query("PRAGMA foreign_keys")
            }
            #expect(foreignKeys == [1, 1, 1, 1])
        }

        @Test func anImmutableFileNeedsNoOthersBesideIt() throws {
            try makeFile(journalMode: "wal")
            try #expect(folder.files() == ["test.sqlite"])
            let database = try Database(
                path: folder.path(),
                configuration: configuration(immutable: true)
            )
            let counts = try onEveryConnection(of: database) { try count("t", on: $0) }
            #expect(counts == [1, 1, 1, 1])
            try #expect(folder.files() == ["test.sqlite"])
            try database.close()
            try #expect(folder.files() == ["test.sqlite"])
        }

        @Test(.enabled(if: geteuid() != 0, "root may write every folder"))
        func anImmutableFileNeedsNoWritePermission() throws {
            try makeFile(journalMode: "wal")
            let manager = FileManager.default
            try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.url.path)
            defer {
                try? manager.setAttributes(
                    [.posixPermissions: 0o755],
                    ofItemAtPath: folder.url.path
                )
            }
            let database = try Database(
                path: folder.path(),
                configuration: configuration(immutable: true)
            )
            #expect(try rows(database) == 1)
        }

        @Test(
            arguments: [
                "a b.sqlite", "100%.sqlite", "a%20b.sqlite", "what?.sqlite", "a?mode=memory",
                "no#1.sqlite",
                "a&b=c;d+e",
                "größe 数据 🚗.sqlite", "quote'\".sqlite", "back\\slash", "a:b",
            ],
            [Database.Configuration.AccessMode.readWrite, .readOnly(), .readOnly(immutable: true)]
        )
        func aPathMayHoldAnything(name: String, mode: Database.Configuration.AccessMode) throws {
            try makeFile(name, journalMode: "wal")
            try #expect(folder.files() == [name])
            var configuration = Database.Configuration()
            configuration.accessMode = mode
            let database = try Database(path: folder.path(name), configuration: configuration)
            let counts = try onEveryConnection(of: database) { try count("t", on: $0) }
            #expect(counts == [1, 1, 1, 1])
            let isOfThisFile = try folder.files().allSatisfy { $0.hasPrefix(name) }
            #expect(isOfThisFile)
            try database.close()
        }
    }
}

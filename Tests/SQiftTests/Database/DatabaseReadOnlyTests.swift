import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    struct DatabaseReadOnlyTests {
        private let folder = TemporaryFolder.fresh

        private func makeFile(_ name: String = "test.sqlite", journalMode: String) throws {
            let connection = try Connection(path: folder.path(name))
            try connection.setPersistentWAL(false)
            try connection.execute(
                "PRAGMA journal_mode = \(journalMode); CREATE TABLE t(x); INSERT INTO t VALUES(1)"
            )
            try connection.close()
        }

        private func open(immutable: Bool = false) throws -> Database {
            try Database.open(folder.path()) { $0.accessMode = .readOnly(immutable: immutable) }
        }

        @Test(arguments: [false, true]) func aMissingFileIsAnErrorAndIsntCreated(
            immutable: Bool
        ) throws {
            expectSQLiteError(.cantOpen) {
                let database = try open(immutable: immutable)
                _ = try rows(database)
            }
            try folder.expectFiles()
        }

        @Test(arguments: ["delete", "wal"], [false, true])
        func itReadsAndEveryWriteThrows(journalMode: String, immutable: Bool) throws {
            try makeFile(journalMode: journalMode)
            let before = try Data(contentsOf: folder.url.appendingPathComponent("test.sqlite"))
            let database = try open(immutable: immutable)
            try expectRows(1, in: database)
            for access in DatabaseAccess.own {
                let seen = try access.run(on: database) { try count("t", on: $0) }
                #expect(seen == 1)
                expectSQLiteError(.readOnly) { try access.run(on: database) { try add(2, on: $0) } }
            }
            try database.close()
            let after = try Data(contentsOf: folder.url.appendingPathComponent("test.sqlite"))
            #expect(before == after)
            try #expect(folder.connection().query("PRAGMA journal_mode") == journalMode)
        }

        @Test func itSeesWhatOthersWrite() throws {
            let writer = try folder.openWithTable()
            let reader = try open()
            try expectRows(0, in: reader)
            try writer.write { try add(1, on: $0) }
            try expectRows(1, in: reader)
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
            try folder.expectFiles("test.sqlite")
            let database = try open(immutable: true)
            let counts = try onEveryConnection(of: database) { try count("t", on: $0) }
            #expect(counts == [1, 1, 1, 1])
            try folder.expectFiles("test.sqlite")
            try database.close()
            try folder.expectFiles("test.sqlite")
        }

        @Test(.enabled(if: geteuid() != 0, "root may write every folder"))
        func anImmutableFileNeedsNoWritePermission() throws {
            try makeFile(journalMode: "wal")
            try setPermissions(0o555, of: folder.url.path)
            defer {
                try? setPermissions(0o755, of: folder.url.path)
            }
            let database = try open(immutable: true)
            try expectRows(1, in: database)
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
            let database = try Database.open(folder.path(name)) { $0.accessMode = mode }
            let counts = try onEveryConnection(of: database) { try count("t", on: $0) }
            #expect(counts == [1, 1, 1, 1])
            let isOfThisFile = try folder.files().allSatisfy { $0.hasPrefix(name) }
            #expect(isOfThisFile)
            try database.close()
        }
    }
}

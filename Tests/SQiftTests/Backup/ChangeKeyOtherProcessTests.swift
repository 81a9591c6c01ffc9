#if os(Linux)
    import Foundation
    import SQift
    import SQiftTestSupport
    import Testing

    /// Another process has the file open, of which only SQLite's locks tell.
    @Suite(.encryption) struct ChangeKeyOtherProcessTests {
        private static let reading = "theOtherProcessHasTheFileOpen"

        @Test func anotherProcessThatHasAWALOpenMakesItRefuse() throws {
            let file = try KeyedFile()
            try file.make(Keys.one, journalMode: "wal")
            let signs = Signs(folder: file.folder.url.path)
            let process = try OtherProcess(running: Self.reading, with: signs.folder)
            signs.wait(for: "open")

            expectSQLiteError(.busy, containing: "; the file still has the old key") {
                try file.changeKey(from: Keys.one, to: Keys.other, busyTimeout: 0.01)
            }
            try signs.give("go on")
            #expect(process.hasPassed())
            try file.changeKey(from: Keys.one, to: Keys.other)
            #expect(try file.state(Keys.other).contains("integrity_check: ok"))
        }

        @Test(.otherProcess(reading))
        func theOtherProcessHasTheFileOpen() throws {
            let folder = try #require(OtherProcess.argument(of: Self.reading))
            let path = folder + "/test.sqlite"
            let connection = try Connection(path: path, configuration: .init(key: Keys.one))
            #expect(try count("t", on: connection) == 200)
            let signs = Signs(folder: folder)
            try signs.give("open")
            signs.wait(for: "go on")
            try connection.run("UPDATE t SET x = x WHERE rowid = 2")
            #expect(try count("t", on: connection) == 200)
            try connection.setPersistentWAL(false)
            try connection.close()
        }
    }
#endif

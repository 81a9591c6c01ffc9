import Foundation
import Testing

@testable import SQift

/// The log is the process's, and has to be set before anything uses SQLite: each test is a process
/// of its own.
@Suite(.timeLimit(.minutes(20))) struct ErrorLogTests {
    @Test func itReceivesAnErrorsCodeAndMessage() async {
        await #expect(processExitsWith: .success) {
            let log = SharedNotes<String>()
            try Connection.setErrorLog { code, message in log.note("\(code.rawValue) \(message)") }
            let connection = try Connection()
            try connection.execute("CREATE TABLE t(x UNIQUE); INSERT INTO t VALUES('secret')")
            #expect(log.all == [])
            _ = sqliteError { try connection.run("SELECT nonsense FROM t") }
            #expect(log.all.count == 1)
            #expect(log.all.first?.hasPrefix("1 no such column: nonsense") == true)
            _ = sqliteError { try connection.run("INSERT INTO t VALUES(?)", "secret") }
            #expect(log.all.count == 2)
            #expect(log.all.last?.hasPrefix("2067 ") == true)
            #expect(log.all.last?.contains("INSERT INTO t VALUES(?)") == true)
            #expect(log.all.last?.contains("secret") == false)
        }
    }

    @Test func itIsReplacedAndSilencedAtAnyTime() async {
        await #expect(processExitsWith: .success) {
            let log = SharedNotes<Int>()
            try Connection.setErrorLog { _, _ in log.note(1) }
            let connection = try Connection()
            _ = sqliteError { try connection.run("nonsense") }
            try Connection.setErrorLog { _, _ in log.note(2) }
            _ = sqliteError { try connection.run("nonsense") }
            try Connection.setErrorLog(nil)
            _ = sqliteError { try connection.run("nonsense") }
            try Connection.setErrorLog { _, _ in log.note(3) }
            _ = sqliteError { try connection.run("nonsense") }
            #expect(log.all == [1, 2, 3])
        }
    }

    @Test func replacedClosuresAreReleased() async {
        await #expect(processExitsWith: .success) {
            final class Kept: Sendable {}
            weak var kept: Kept?
            func set() throws {
                let new = Kept()
                kept = new
                try Connection.setErrorLog { _, _ in withExtendedLifetime(new) {} }
            }
            try set()
            #expect(kept != nil)
            try Connection.setErrorLog { _, _ in }
            #expect(kept == nil)
            try set()
            #expect(kept != nil)
            try Connection.setErrorLog(nil)
            #expect(kept == nil)
        }
    }

    @Test func afterAConnectionItIsSetOrRefused() async {
        await #expect(processExitsWith: .success) {
            let log = SharedNotes<Int>()
            let connection = try Connection()
            // Newer versions of SQLite take it, older ones refuse it each time.
            var isSet: [Bool] = []
            for number in 1...3 {
                if number == 3 {
                    try connection.close()
                }
                do {
                    try Connection.setErrorLog { _, _ in log.note(number) }
                    isSet.append(true)
                } catch let error as SQLiteError where error.extendedResultCode == .misuse {
                    #expect(error.message.contains("before the first connection"))
                    isSet.append(false)
                }
                _ = sqliteError { try Connection().run("nonsense") }
            }
            #expect(Set(isSet).count == 1)
            #expect(log.all == (isSet.contains(true) ? [1, 2, 3] : []))
        }
    }

    @Test func silenceCanBeAskedForAtAnyTime() async {
        await #expect(processExitsWith: .success) {
            try Connection.setErrorLog(nil)
            let log = SharedNotes<Int>()
            try Connection.setErrorLog { _, _ in log.note(1) }
            let connection = try Connection()
            _ = sqliteError { try connection.run("nonsense") }
            #expect(log.all == [1])
        }
    }

    @Test func itMayReplaceItself() async {
        await #expect(processExitsWith: .success) {
            // A deadlock would end in SIGALRM.
            alarm(10)
            let log = SharedNotes<Int>()
            try Connection.setErrorLog { _, _ in
                log.note(1)
                try? Connection.setErrorLog { _, _ in log.note(2) }
            }
            let connection = try Connection()
            for _ in 0..<2 {
                _ = sqliteError { try connection.run("nonsense") }
            }
            #expect(log.all == [1, 2])
        }
    }

    @Test func aRecoveredJournalIsANotice() async {
        await #expect(processExitsWith: .success) {
            let log = SharedNotes<ResultCode>()
            try Connection.setErrorLog { code, _ in log.note(code) }
            let folder = try TemporaryFolder()
            let connection = try Connection(path: folder.path())
            try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(x)")
            for suffix in ["", "-wal"] {
                let copy = folder.path("copy.sqlite") + suffix
                try FileManager.default.copyItem(atPath: folder.path() + suffix, toPath: copy)
            }
            try #expect(count("t", on: Connection(path: folder.path("copy.sqlite"))) == 0)
            #expect(log.all == [ResultCode(rawValue: 283)])
            #expect(log.all.allSatisfy { ResultCode.notice ~= $0 })
        }
    }

    @Test func manyThreadsMayLogWhileItIsReplaced() async {
        await #expect(processExitsWith: .success) {
            let log = SharedNotes<String>()
            try Connection.setErrorLog { _, message in log.note(message) }
            let group = DispatchGroup()
            for thread in 0..<4 {
                group.enter()
                Thread.detachNewThread {
                    if let connection = try? Connection() {
                        for number in 0..<50 {
                            _ = sqliteError {
                                try connection.run("SELECT nothing_\(thread)_\(number)")
                            }
                        }
                    }
                    group.leave()
                }
            }
            for _ in 0..<50 {
                try Connection.setErrorLog { _, message in log.note(message) }
            }
            group.wait()
            let found = Set(
                log.all.compactMap { $0.firstMatch(of: /nothing_\d_\d+/).map { String($0.output) } }
            )
            #expect(log.all.count == 200)
            #expect(found.count == 200)
        }
    }

    @Test func whatTheReplacedClosureHeldMayLogWhenItGoes() async {
        await #expect(processExitsWith: .success) {
            final class Logging: Sendable {
                deinit {
                    _ = sqliteError { try Connection().run("nonsense") }
                }
            }
            func set() throws {
                let held = Logging()
                try Connection.setErrorLog { _, _ in withExtendedLifetime(held) {} }
            }
            try set()
            let log = SharedNotes<Int>()
            try Connection.setErrorLog { _, _ in log.note(1) }
            #expect(log.all == [1])
        }
    }
}

// Only a statement knows which connection it keeps alive.
import CSQift
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

/// References that end, and threads that interrupt, at inconvenient moments.
struct ConnectionLifetimeTests {
    @Test func theLastReferenceMayGoInsideARow() throws {
        var connection: Connection? = try Connection()
        weak var gone: Connection?
        gone = connection
        var seen: [Int] = []
        try connection?.forEachRow(numbers(to: 3)) { row in
            connection = nil
            try seen.append(row.get(0))
        }
        #expect(seen == [1, 2, 3])
        #expect(gone == nil)
    }

    @Test func theLastReferenceMayGoInsideATransaction() throws {
        let folder = try TemporaryFolder()
        var connection: Connection? = try Connection(path: folder.path())
        try connection?.execute("CREATE TABLE t(x)")
        weak var gone: Connection?
        gone = connection
        try connection?.transaction {
            try connection?.run("INSERT INTO t VALUES(1)")
            connection = nil
        }
        #expect(gone == nil)
        #expect(try count("t", on: Connection(path: folder.path())) == 1)
    }

    @Test func theLastReferenceToAStatementMayGoInsideItsRow() throws {
        let connection = try Connection()
        var statement: Statement? = try connection.prepare("SELECT 1 AS a UNION SELECT 2")
        var seen: [Int] = []
        try statement?.forEachRow { row in
            statement = nil
            try seen.append(row.get("a"))
        }
        #expect(seen == [1, 2])
        #expect(try preparedSQL(on: connection) == [])
        try connection.close()
    }

    @Test func theLastReferenceToAStatementMayHoldTheLastToItsConnection() throws {
        weak var gone: Connection?
        do {
            var statement: Statement?
            do {
                let connection = try Connection()
                gone = connection
                try addInterrupting(to: connection)
                statement = try connection.prepare(numbers(to: 10, selecting: "interrupt_at(n, ?)"))
            }
            expectSQLiteError(.interrupt) { try statement?.bind(5).run() }
            let all: [Int]? = try statement?.bind(0).query()
            #expect(all?.count == 10)
            statement = nil
        }
        #expect(gone == nil)
    }

    @Test func statementsOfSeveralConnectionsMayGoInAnyOrder() throws {
        var statements: [Statement] = []
        for number in 1...5 {
            statements.append(try Connection().prepare("SELECT \(number)"))
            statements.append(try statements[0].connection.prepare("SELECT -\(number)"))
        }
        for index in [4, 0, 5, 2, 1, 0, 2, 1, 0, 0] {
            let statement = statements.remove(at: index)
            let value: Int = try statement.query()
            #expect(value != 0)
        }
    }

    @Test func manyThreadsMayInterruptWhileTheConnectionGoes() throws {
        for _ in 0..<50 {
            let group = DispatchGroup()
            do {
                let connection = try Connection()
                let handle = connection.interruptHandle
                for _ in 0..<3 {
                    group.enter()
                    Thread.detachNewThread {
                        for _ in 0..<20 {
                            handle.interrupt()
                        }
                        group.leave()
                    }
                }
                _ = sqliteError { try connection.run("nonsense") }
            }
            group.wait()
        }
    }

    @Test func whatAFunctionKeepsMayInterruptWhenItGoes() async {
        // SQLite releases a function while it closes the connection. A deadlock would end in
        // SIGALRM.
        await #expect(processExitsWith: .success) {
            final class Canceller {
                let handle: InterruptHandle

                init(_ handle: InterruptHandle) {
                    self.handle = handle
                }

                deinit {
                    handle.interrupt()
                }
            }
            alarm(5)
            for isClosed in [true, false] {
                let connection = try Connection()
                var canceller: Canceller? = Canceller(connection.interruptHandle)
                try addCallback("f", to: connection) { [canceller] _ in
                    withExtendedLifetime(canceller) {}
                }
                canceller = nil
                try connection.run("SELECT f(1)")
                if isClosed {
                    try connection.close()
                }
            }
        }
    }

    @Test func nothingIsLeftOfAConnectionThatIsGone() async {
        await #expect(processExitsWith: .success) {
            func use() throws {
                let connection = try Connection(storageLocation: .temporary)
                try connection.execute("CREATE TABLE t(x UNIQUE); INSERT INTO t VALUES(1)")
                let statement = try connection.prepare(
                    "INSERT INTO t VALUES(?)",
                    String(repeating: "x", count: 9000)
                )
                _ = statement.expandedSQL
                try statement.run()
                _ = try? statement.run()
                _ = try? connection.prepare("SELECT 1; SELECT 2")
                _ = try? connection.prepare("nonsense")
                _ = try? connection.execute("SELECT 1; SELECT ?; nonsense")
                _ = try? connection.run("INSERT INTO t VALUES(?)", Double.nan)
                try connection.transaction {
                    try connection.savepoint { try connection.run("DELETE FROM t") }
                }
                _ = try? connection.close()
                let _: [Row] = try connection.query("SELECT * FROM t")
            }
            try use()
            let before = sqlite3_memory_used()
            for _ in 0..<20 {
                try use()
            }
            exit(sqlite3_memory_used() == before ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test func aClosedConnectionGivesBackItsMemoryAtOnce() async {
        await #expect(processExitsWith: .success) {
            // What SQLite takes for itself, and keeps.
            sqlite3_initialize()
            let before = sqlite3_memory_used()
            let connection = try Connection.withTable()
            let _: [Row] = try connection.query("SELECT * FROM t")
            guard sqlite3_memory_used() > before else { exit(EXIT_FAILURE) }
            try connection.close()
            exit(sqlite3_memory_used() == before ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }
}

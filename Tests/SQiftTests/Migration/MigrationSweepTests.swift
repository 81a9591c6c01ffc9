import Foundation
import SQift
import SQiftTestSupport
import Testing

// A fault at any moment of a run, the library's own statements included: each migration is there as
// a whole or not at all, and the next run completes.
struct MigrationSweepTests {
    // The last one runs in no transaction and changes rows, so that it may be there without its
    // record.
    private static let migrations = Array(Garage.migrations.dropLast())
    private let garage: Garage

    init() throws {
        garage = try Garage()
    }

    /// The number of migrations that a database has, of which it must have no part; nil if it has.
    private func wholeState(of connection: Connection) throws -> Int? {
        try garage.states.firstIndex(of: Contents(connection))
    }

    /// Expects that what was recorded is there and complete, and that a run without a fault gets to
    /// the end.
    private func expectAllConnections(
        _ connection: Connection,
        _ comment: Comment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(!connection.isInsideTransaction, comment, sourceLocation: sourceLocation)
        let state = try wholeState(of: connection)
        #expect(state != nil, comment, sourceLocation: sourceLocation)
        // SQLite leaves it attached if the interrupt hits the ATTACH inside VACUUM.
        try? connection.execute("DETACH vacuum_db")
        try migrate(connection, Self.migrations)
        let end = try wholeState(of: connection)
        #expect(end == Self.migrations.count, comment, sourceLocation: sourceLocation)
    }

    @Test func anInterruptAtAnyMomentLeavesWholeMigrations() throws {
        var (moment, isInterrupted, states) = (1, true, Set<Int>())
        while isInterrupted {
            let connection = try Connection()
            try connection.execute("PRAGMA foreign_keys = ON")
            var calls = 0
            isInterrupted = false
            connection.progressHandler(every: 1) {
                calls += 1
                guard calls == moment else { return false }
                isInterrupted = true
                return true
            }
            do {
                try migrate(connection, Self.migrations)
            } catch let error as MigratorError {
                #expect(
                    (error.underlyingError as? SQLiteError)?.resultCode == .interrupt,
                    "at \(moment): \(error)"
                )
            } catch let error as SQLiteError {
                #expect(error.resultCode == .interrupt, "at \(moment): \(error)")
            }
            connection.progressHandler(nil)
            #expect(try enforcesForeignKeys(connection), "at \(moment)")
            if let state = try wholeState(of: connection) {
                states.insert(state)
            }
            try expectAllConnections(connection, "at \(moment)")
            // Not at every instruction, so that it doesn't take long, and at others than multiples
            // of a loop's length.
            moment += 41
        }
        #expect(states.count >= Self.migrations.count)
    }

    @Test func aDenialAtAnyQuestionLeavesWholeMigrations() throws {
        var (moment, isDenied, states) = (1, true, Set<Int>())
        while isDenied {
            let connection = try Connection()
            try connection.execute("PRAGMA foreign_keys = ON")
            var calls = 0
            isDenied = false
            try connection.authorizer { _, _, _, _, _ in
                calls += 1
                guard calls == moment else { return .ok }
                isDenied = true
                return .deny
            }
            do {
                try migrate(connection, Self.migrations)
            } catch is MigratorError {
            } catch is SQLiteError {}
            try connection.authorizer(nil)
            if let state = try wholeState(of: connection) {
                states.insert(state)
            }
            try expectAllConnections(connection, "at \(moment)")
            moment += 13
        }
        #expect(states.count >= Self.migrations.count)
    }

    @Test func anInterruptedStatementOfAClosureIsNoHalfMigration() throws {
        let connection = try Garage.database(after: 2)
        let before = try Contents(connection)
        try addInterrupting(to: connection)
        let passingOver = Migration("passes over") { connection in
            try connection.run("DELETE FROM log")
            try connection.run("INSERT INTO log VALUES('first')")
            _ = try? connection.run(
                "INSERT INTO log \(numbers(to: 100, selecting: "interrupt_at(n, 50)"))"
            )
        }
        let migrations = Garage.migrations.prefix(2) + [passingOver]
        expectThrows(MigratorError.self) { try migrate(connection, Array(migrations)) }
        #expect(try Contents(connection) == before)

        let throwing = Migration("throws") { connection in
            try connection.run("INSERT INTO log VALUES('first')")
            try connection.run(
                "INSERT INTO log \(numbers(to: 100, selecting: "interrupt_at(n, 50)"))"
            )
        }
        migratorError(.failed, code: .interrupt) {
            try migrate(connection, Garage.migrations.prefix(2) + [throwing])
        }
        #expect(try Contents(connection) == before)
    }

    @Test func aHandlerThatInterruptsAllThatComesEndsTheRun() throws {
        let connection = try Garage.database(after: 1)
        let before = try Contents(connection)
        let migrator = connection.migrator(Garage.migrations)
        let mostCalls = 100_000
        var calls = 0
        let error = expectThrows(MigratorError.self) {
            try migrator.run(willRun: { _ in
                connection.progressHandler(every: 1) {
                    calls += 1
                    // So that a run that would never end fails the test instead of holding it up.
                    return calls < mostCalls
                }
            })
        }
        connection.progressHandler(nil)
        #expect(error?.migration == Garage.names[1])
        #expect(calls > 0)
        #expect(calls < mostCalls)
        #expect(try Contents(connection) == before)
        #expect(try enforcesForeignKeys(connection))
    }
}

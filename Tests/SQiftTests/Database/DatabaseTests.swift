import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    struct DatabaseTests {
        private let folder = TemporaryFolder.fresh
        private let database: Database

        init() throws {
            database = try folder.open()
            try database.execute("CREATE TABLE t(x UNIQUE)")
        }

        // MARK: Results and errors

        @Test(arguments: DatabaseAccess.allCases)
        func aClosureRunsOnTheCallingThreadAndReturnsItsValue(
            access: DatabaseAccess
        ) throws {
            let thread = ObjectIdentifier(Thread.current)
            let number = try access.run(on: database) { connection -> Int in
                #expect(ObjectIdentifier(Thread.current) == thread)
                return try connection.query("SELECT 42")
            }
            #expect(number == 42)
            let text = try access.run(on: database) { connection -> String? in
                try connection.query("SELECT 'a' WHERE 0")
            }
            #expect(text == nil)
        }

        @Test(arguments: DatabaseAccess.allCases) func aClosureNeedsNoValue(
            access: DatabaseAccess
        ) throws {
            let calls = Notes<Bool>()
            try access.run(on: database) { connection in calls.note(connection.isInsideTransaction)
            }
            #expect(calls.all.count == 1)
        }

        @Test(arguments: DatabaseAccess.allCases) func theErrorOfTheClosureIsTheOneThatIsThrown(
            access: DatabaseAccess
        ) throws {
            let error = expectThrows(TestError.self) {
                try access.run(on: database) { _ in throw TestError(reason: access.rawValue) }
            }
            #expect(error == TestError(reason: access.rawValue))
            try expectRows(0, in: database)
        }

        @Test(arguments: DatabaseAccess.allCases) func theErrorOfAStatementIsSQLites(
            access: DatabaseAccess
        ) throws {
            let error = sqliteError {
                try access.run(on: database) { try $0.run("SELECT * FROM missing") }
            }
            #expect(error?.resultCode == .error)
            #expect(error?.sql == "SELECT * FROM missing")
        }

        @Test func onlyReadAndWriteAreTransactions() throws {
            let isInside = try DatabaseAccess.own.map { access in
                try access.run(on: database) { $0.isInsideTransaction }
            }
            #expect(isInside == [true, true, false, false, false])
        }

        // MARK: Writing

        @Test func aWriteIsCommittedWhenItReturns() throws {
            try database.write { connection in
                try add(1, on: connection)
                #expect(try count("t", on: connection) == 1)
            }
            try expectRows(1, in: database)
            try expectRows(1, on: folder.connection())
        }

        @Test func aWriteThatThrowsLeavesNothing() throws {
            expectThrows(TestError.self) {
                try database.write { connection in
                    try add(1, on: connection)
                    try connection.execute("CREATE TABLE u(x)")
                    throw TestError()
                }
            }
            try expectRows(0, in: database)
            try expectAnswer(
                0,
                to: "SELECT count(*) FROM sqlite_schema WHERE name = 'u'",
                from: database
            )
            try database.add(2)
            try expectRows(1, in: database)
        }

        @Test func aStatementThatFailsUndoesItsWrite() throws {
            expectSQLiteError(extended: .constraintUnique) {
                try database.write { connection in
                    try add(1, on: connection)
                    try add(1, on: connection)
                }
            }
            try expectRows(0, in: database)
        }

        @Test func aFailureThatTheClosureHandlesUndoesItsStatementOnly() throws {
            try database.write { connection in
                try add(1, on: connection)
                expectSQLiteError(.constraint) { try add(1, on: connection) }
                try add(2, on: connection)
            }
            try expectRows(2, in: database)
        }

        @Test func aFailedCommitIsRolledBack() throws {
            try database.execute(
                """
                CREATE TABLE parents(id INTEGER PRIMARY KEY);
                CREATE TABLE children(parent REFERENCES parents(id) DEFERRABLE INITIALLY DEFERRED)
                """
            )
            expectSQLiteError(extended: .constraintForeignKey) {
                try database.run("INSERT INTO children VALUES(1)")
            }
            let children = try database.read { try count("children", on: $0) }
            #expect(children == 0)
            try database.add(1)
            try expectRows(1, in: database)
        }

        @Test func aWriteHasTheLockFromItsBeginning() throws {
            let path = folder.path()
            try #expect(canWrite(toFileAt: path))
            let canWriteInside = try database.write { _ in try canWrite(toFileAt: path) }
            #expect(!canWriteInside)
            let canWriteInRead = try database.read { _ in try canWrite(toFileAt: path) }
            #expect(canWriteInRead)
        }

        @Test func aTransactionInAWriteIsASavepoint() throws {
            try database.write { connection in
                try add(1, on: connection)
                connection.undoing {
                    try add(2, on: connection)
                }
                try connection.transaction { try add(3, on: connection) }
            }
            try expectAnswer([1, 3], to: "SELECT x FROM t ORDER BY x", from: database)
        }

        @Test(arguments: [DatabaseAccess.writeWithoutTransaction, .executeWrite])
        func withoutATransactionEachStatementCommits(access: DatabaseAccess) throws {
            expectThrows(TestError.self) {
                try access.run(on: database) { connection in
                    try add(1, on: connection)
                    throw TestError()
                }
            }
            try expectRows(1, in: database)
            try access.run(on: database) { connection in
                try connection.run("VACUUM")
                try connection.transaction { try add(2, on: connection) }
            }
            try expectRows(2, in: database)
        }

        // MARK: Transactions that a closure leaves or ends

        @Test(
            arguments: [DatabaseAccess.writeWithoutTransaction, .executeWrite],
            ["BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT s"]
        )
        func aTransactionLeftOpenByAWriteIsRolledBackAndReported(
            access: DatabaseAccess,
            begin: String
        ) throws {
            try expectRefusal(.transactionLeftOpen) {
                try access.run(on: database) { connection in
                    try connection.run(begin)
                    try add(1, on: connection)
                }
            }
            try expectUnlocked(folder)
            try expectRows(0, in: database)
            try access.run(on: database) { try add(2, on: $0) }
            try expectRows(1, in: database)
        }

        @Test func aTransactionLeftOpenByAReadIsRolledBackAndReported() throws {
            try expectRefusal(.transactionLeftOpen) {
                try database.executeRead { connection in
                    try connection.run("BEGIN")
                    _ = try count("t", on: connection)
                }
            }
            try database.add(1)
            let isInside = try database.executeRead { $0.isInsideTransaction }
            #expect(!isInside)
            try expectRows(1, in: database)
        }

        @Test(arguments: [DatabaseAccess.writeWithoutTransaction, .executeWrite])
        func theClosuresErrorGoesBeforeTheTransactionItLeftOpen(access: DatabaseAccess) throws {
            expectThrows(TestError.self) {
                try access.run(on: database) { connection in
                    try connection.run("BEGIN")
                    try add(1, on: connection)
                    throw TestError()
                }
            }
            try expectUnlocked(folder)
            try expectRows(0, in: database)
        }

        @Test(arguments: ["COMMIT", "ROLLBACK"]) func aClosureThatEndsItsTransactionThrows(
            sql: String
        ) throws {
            for access in [DatabaseAccess.write, .read] {
                let error = expectThrows((any Error).self) {
                    try access.run(on: database) { connection in
                        _ = try count("t", on: connection)
                        try connection.run(sql)
                    }
                }
                #expect(error != nil)
                try database.run("DELETE FROM t")
                try database.add(1)
                try expectRows(1, in: database)
            }
        }

        // MARK: Reading

        @Test(
            arguments: [DatabaseAccess.read, .executeRead, .queueRead],
            [
                "INSERT INTO t VALUES(1)", "UPDATE t SET x = 2", "DELETE FROM t",
                "CREATE TABLE u(x)", "DROP TABLE t",
                "PRAGMA user_version = 3",
            ]
        )
        func aReadCantWrite(access: DatabaseAccess, sql: String) throws {
            try database.add(7)
            expectSQLiteError(.readOnly) { try access.run(on: database) { try $0.run(sql) } }
            try expectAnswer([7], to: "SELECT x FROM t", from: database)
            try expectAnswer(0, to: "PRAGMA user_version", from: database)
            try database.add(8)
            try expectRows(2, in: database)
        }

        @Test func aMissingFileIsCreated() throws {
            let path = folder.path("new.sqlite")
            let new = try Database(path: path)
            try new.write { try $0.execute("CREATE TABLE t(x)") }
            #expect(FileManager.default.fileExists(atPath: path))
            let other = try Database.open(.onDisk(path))
            try expectRows(0, in: other)
        }

        @Test func whatIsNoDatabaseIsRefused() throws {
            let path = folder.path("text")
            let text = String(repeating: "This is no database. ", count: 300)
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            let error = sqliteError { _ = try Database(path: path) }
            #expect(error?.resultCode == .notADatabase)
            #expect(error?.message.hasSuffix(": \(path)") == true)
            #expect(error?.message.contains("Preparation") == false)
            #expect(error?.sql == nil)
            expectSQLiteError(.cantOpen) {
                _ = try Database(path: folder.path("no/such/folder/a.sqlite"))
            }
        }
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    struct DatabaseTests {
        private let folder: TemporaryFolder
        private let database: Database

        init() throws {
            folder = try TemporaryFolder()
            database = try folder.open()
            try database.write { try $0.execute("CREATE TABLE t(x UNIQUE)") }
        }

        // MARK: Results and errors

        @Test(arguments: DatabaseAccess.allCases) func aClosuresValueIsReturned(
            access: DatabaseAccess
        ) throws {
            let number = try access.run(on: database) { connection -> Int in
                try connection.query("SELECT 42")
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
            #expect(try rows(database) == 0)
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
                let inside = try count("t", on: connection)
                #expect(inside == 1)
            }
            #expect(try rows(database) == 1)
            #expect(try count("t", on: folder.connection()) == 1)
        }

        @Test func aWriteThatThrowsLeavesNothing() throws {
            expectThrows(TestError.self) {
                try database.write { connection in
                    try add(1, on: connection)
                    try connection.execute("CREATE TABLE u(x)")
                    throw TestError()
                }
            }
            #expect(try rows(database) == 0)
            let tables: Int = try database.read {
                try $0.query("SELECT count(*) FROM sqlite_schema WHERE name = 'u'")
            }
            #expect(tables == 0)
            try database.write { try add(2, on: $0) }
            #expect(try rows(database) == 1)
        }

        @Test func aStatementThatFailsUndoesItsWrite() throws {
            let error = sqliteError {
                try database.write { connection in
                    try add(1, on: connection)
                    try add(1, on: connection)
                }
            }
            #expect(error?.extendedResultCode == .constraintUnique)
            #expect(try rows(database) == 0)
        }

        @Test func aFailureThatTheClosureHandlesUndoesItsStatementOnly() throws {
            try database.write { connection in
                try add(1, on: connection)
                let error = sqliteError { try add(1, on: connection) }
                #expect(error?.resultCode == .constraint)
                try add(2, on: connection)
            }
            #expect(try rows(database) == 2)
        }

        @Test func aFailedCommitIsRolledBack() throws {
            try database.write { connection in
                try connection.execute(
                    """
                    CREATE TABLE parents(id INTEGER PRIMARY KEY);
                    CREATE TABLE children(parent REFERENCES parents(id) DEFERRABLE INITIALLY DEFERRED)
                    """
                )
            }
            let error = sqliteError {
                try database.write { try $0.run("INSERT INTO children VALUES(1)") }
            }
            #expect(error?.extendedResultCode == .constraintForeignKey)
            let children = try database.read { try count("children", on: $0) }
            #expect(children == 0)
            try database.write { try add(1, on: $0) }
            #expect(try rows(database) == 1)
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
                expectThrows(TestError.self) {
                    try connection.transaction {
                        try add(2, on: connection)
                        throw TestError()
                    }
                }
                try connection.transaction { try add(3, on: connection) }
            }
            let values: [Int] = try database.read { try $0.query("SELECT x FROM t ORDER BY x") }
            #expect(values == [1, 3])
        }

        @Test(arguments: [DatabaseAccess.writeWithoutTransaction, .executeWrite])
        func withoutATransactionEachStatementCommits(access: DatabaseAccess) throws {
            expectThrows(TestError.self) {
                try access.run(on: database) { connection in
                    try add(1, on: connection)
                    throw TestError()
                }
            }
            #expect(try rows(database) == 1)
            try access.run(on: database) { connection in
                try connection.run("VACUUM")
                try connection.transaction { try add(2, on: connection) }
            }
            #expect(try rows(database) == 2)
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
            let reason = try refusal {
                try access.run(on: database) { connection in
                    try connection.run(begin)
                    try add(1, on: connection)
                }
            }
            #expect(reason == .transactionLeftOpen)
            try #expect(canWrite(toFileAt: folder.path()))
            #expect(try rows(database) == 0)
            try access.run(on: database) { try add(2, on: $0) }
            #expect(try rows(database) == 1)
        }

        @Test func aTransactionLeftOpenByAReadIsRolledBackAndReported() throws {
            let reason = try refusal {
                try database.executeRead { connection in
                    try connection.run("BEGIN")
                    _ = try count("t", on: connection)
                }
            }
            #expect(reason == .transactionLeftOpen)
            try database.write { try add(1, on: $0) }
            let isInside = try database.executeRead { $0.isInsideTransaction }
            #expect(!isInside)
            #expect(try rows(database) == 1)
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
            try #expect(canWrite(toFileAt: folder.path()))
            #expect(try rows(database) == 0)
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
                try database.write { try $0.run("DELETE FROM t") }
                try database.write { try add(1, on: $0) }
                #expect(try rows(database) == 1)
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
            try database.write { try add(7, on: $0) }
            let error = sqliteError { try access.run(on: database) { try $0.run(sql) } }
            #expect(error?.resultCode == .readOnly)
            let values: [Int] = try database.read { try $0.query("SELECT x FROM t") }
            #expect(values == [7])
            let version: Int = try database.read { try $0.query("PRAGMA user_version") }
            #expect(version == 0)
            try database.write { try add(8, on: $0) }
            #expect(try rows(database) == 2)
        }

        @Test func aMissingFileIsCreated() throws {
            let path = folder.path("new.sqlite")
            let new = try Database(path: path)
            try new.write { try $0.execute("CREATE TABLE t(x)") }
            #expect(FileManager.default.fileExists(atPath: path))
            let other = try Database(
                storageLocation: .onDisk(path),
                configuration: Database.Configuration()
            )
            #expect(try rows(other) == 0)
        }

        @Test func whatIsNoDatabaseIsRefused() throws {
            let path = folder.path("text")
            let text = String(repeating: "This is no database. ", count: 300)
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            let error = sqliteError { _ = try Database(path: path) }
            #expect(error?.resultCode == .notADatabase)
            #expect(error?.message.hasSuffix(": \(path)") == true)
            #expect(error?.sql == nil)
            let missing = sqliteError {
                _ = try Database(path: folder.path("no/such/folder/a.sqlite"))
            }
            #expect(missing?.resultCode == .cantOpen)
        }

        @Test func foreignKeysAreEnforced() throws {
            try database.write {
                try $0.execute(
                    "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(p REFERENCES p(id))"
                )
            }
            let error = sqliteError { try database.write { try $0.run("INSERT INTO c VALUES(1)") } }
            #expect(error?.extendedResultCode == .constraintForeignKey)
        }
    }
}

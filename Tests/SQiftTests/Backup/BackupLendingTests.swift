import Foundation
import SQift
import SQiftTestSupport
import Testing

/// The ways to use a connection.
private enum Use: String, CaseIterable, Sendable {
    case run, query, prepare, statementInitializer, execute, close, transaction,
        immediateTransaction, savepoint
    case tableExists, viewExists, columns, primaryKey, indexes, foreignKeys, triggers,
        foreignKeyViolations
    case integrityCheck, quickCheck, checkpoint, attach, detach, withUnsafeHandle, dataVersion,
        limit, vacuum
    case serialize, openBlob, addFunction, removeFunction, addCollation,
        removeCollation, authorizer
    case busyHandler, backupFrom, backupTo, backup, backgroundBackupFrom, backgroundBackupTo

    // One line a way.
    // swift-format-ignore
    func callAsFunction(_ connection: Connection, in folder: TemporaryFolder) throws {
        switch self {
        case .run: try connection.run("INSERT INTO t(x) VALUES(?)", 1)
        case .query: _ = try count("t", on: connection)
        case .prepare: _ = try connection.prepare("SELECT 1")
        case .statementInitializer: _ = try Statement(connection: connection, sql: "SELECT 1")
        case .execute: try connection.execute("SELECT 1; SELECT 2")
        case .close: try connection.close()
        case .transaction: try connection.transaction { recordCall() }
        case .immediateTransaction: try connection.transaction(transactionType: .immediate) { recordCall() }
        case .savepoint: try connection.savepoint { recordCall() }
        case .tableExists: _ = try connection.tableExists("t")
        case .viewExists: _ = try connection.viewExists("t")
        case .columns: _ = try connection.columns(in: "t")
        case .primaryKey: _ = try connection.primaryKey(of: "t")
        case .indexes: _ = try connection.indexes(on: "t")
        case .foreignKeys: _ = try connection.foreignKeys(of: "t")
        case .triggers: _ = try connection.triggers(on: "t")
        case .foreignKeyViolations: _ = try connection.foreignKeyViolations()
        case .integrityCheck: _ = try connection.integrityCheck()
        case .quickCheck: _ = try connection.quickCheck()
        case .checkpoint: try connection.checkpoint()
        case .attach: try connection.attachDatabase(from: .inMemory, withName: "other")
        case .detach: try connection.detachDatabase(named: "other")
        case .withUnsafeHandle: try connection.withUnsafeHandle { _ in recordCall() }
        case .dataVersion: _ = try connection.dataVersion
        case .limit: try connection.setLimit(.attached, to: 1)
        case .vacuum: try connection.vacuum(into: .onDisk(folder.path("vacuumed.sqlite")))
        case .serialize: _ = try connection.serialize()
        case .openBlob: _ = try connection.openBlob(table: "t", column: "x", rowID: 1)
        case .addFunction: try connection.addFunction(named: "f") { (number: Int) -> Int in number }
        case .removeFunction: try connection.removeFunction(named: "f", argumentCount: 1)
        case .addCollation: try connection.addCollation(named: "c") { _, _ in .orderedSame }
        case .removeCollation: try connection.removeCollation(named: "c")
        case .authorizer: try connection.authorizer(nil)
        case .busyHandler: try connection.busyHandler(.timeout(1))
        case .backupFrom: _ = try Backup(from: connection, to: Connection())
        case .backupTo: _ = try Backup(from: Connection(), to: connection)
        case .backup: try connection.backup(to: Connection())
        case .backgroundBackupFrom: try connection.backup(to: Connection(), completionQueue: .global()) { _ in recordCall() }
        case .backgroundBackupTo: try Connection().backup(to: connection, completionQueue: .global()) { _ in recordCall() }
        }
    }
}

struct BackupLendingTests {
    private let folder = TemporaryFolder.fresh
    private let source: Connection
    private let destination: Connection

    init() throws {
        source = try makeFile(at: folder.path())
        destination = try makeFile(at: folder.path("copy.sqlite"), rows: 7, with: "old")
    }

    @Test(
        arguments: Use.allCases.filter { Capability.serialization || $0 != .serialize }
    )
    fileprivate func usingTheDestinationMeanwhileThrows(use: Use) throws {
        let backup = try Backup(from: source, to: destination)
        expectSQLiteError(.misuse) { try use(destination, in: folder) }
        #expect(try backup.step(pages: 5))
        expectSQLiteError(.misuse, containing: "backup") { try use(destination, in: folder) }
        while try backup.step(pages: 10) {}
        expectSQLiteError(.misuse) { try use(destination, in: folder) }
        try backup.finish()
        try expectSame(destination, source)
        try destination.run("INSERT INTO t(x) VALUES('new')")
        try expectRows(101, on: destination)
    }

    @Test func theDestinationsStatementsThrowMeanwhileAndWorkAfterwards() throws {
        let query = try destination.prepare("SELECT count(*) FROM t")
        let bound = try destination.prepare("SELECT count(*) FROM t WHERE id <= ?")
        let insert = try destination.prepare("INSERT INTO t(x) VALUES('own')")
        #expect(try query.query() == 7)
        let backup = try Backup(from: source, to: destination)
        for _ in 0..<2 {
            expectSQLiteError(.misuse) { _ = try query.query() as Int }
            expectSQLiteError(.misuse) { _ = try query.query() as [Int] }
            expectSQLiteError(.misuse) { try query.run() }
            expectSQLiteError(.misuse) { try insert.run() }
            expectSQLiteError(.misuse) { _ = try bound.bind(3).query() as Int }
            #expect(try backup.step(pages: 5))
        }
        try backup.finish()
        #expect(try query.query() == 7)
        try insert.run()
        #expect(try query.query() == 8)
        #expect(try bound.bind(3).query() == 3)

        try source.backup(to: destination)
        #expect(try query.query() == 100)
        try insert.run()
        #expect(try query.query() == 101)
        #expect(try bound.bind(3).query() == 3)
    }

    @Test func whatDoesNotThrowAnswersNothingMeanwhile() throws {
        try destination.run("INSERT INTO t(x) VALUES(1)")
        let statement = try destination.prepare("SELECT id, x FROM t")
        let backup = try Backup(from: source, to: destination)
        #expect(try backup.step(pages: 5))
        #expect(!destination.isInsideTransaction)
        _ = (
            destination.changes, destination.totalChanges, destination.lastInsertRowID,
            destination.fileName
        )
        _ = (destination.readOnly, destination.limit(.attached))
        _ = (
            statement.isBusy, statement.expandedSQL, statement.columnNames, statement.parameterCount
        )
        destination.interrupt()
        destination.interruptHandle.interrupt()
        destination.releaseMemory()
        destination.trace { _ in }
        destination.trace(nil)
        destination.progressHandler(nil)
        destination.updateHook { _, _, _, _ in }
        destination.updateHook(nil)
        try backup.stepToEnd()
        try expectSame(destination, source)
    }

    @Test func theDestinationMayGoBeforeItsStatementsAndTheBackup() throws {
        func begin() throws -> (Backup, Statement) {
            let lent = try Connection(path: folder.path("copy.sqlite"))
            return try (
                Backup(from: source, to: lent), Statement(connection: lent, sql: "SELECT 1")
            )
        }
        expectSQLiteError(.misuse) { _ = try begin() }
        let other = try Connection(path: folder.path("copy.sqlite"))
        let statement = try other.prepare("SELECT count(*) FROM t")
        var backup: Backup? = try Backup(from: source, to: other)
        #expect(try backup?.step(pages: 5) == true)
        backup = nil
        #expect(try statement.query() == 7)
    }

    @Test func aTransactionOfTheDestinationIsRefused() throws {
        for begin in [
            "BEGIN", "SAVEPOINT s", "BEGIN IMMEDIATE", "BEGIN; SELECT count(*) FROM t",
            "BEGIN EXCLUSIVE",
        ] {
            try destination.execute(begin)
            #expect(
                sqliteError { _ = try Backup(from: source, to: destination) } != nil,
                "\(begin)"
            )
            // It isn't lent then.
            #expect(destination.isInsideTransaction)
            guard destination.isInsideTransaction else { continue }
            try destination.execute("INSERT INTO t(x) VALUES('own'); ROLLBACK")
            try expectRows(7, on: destination)
        }
        try source.backup(to: destination)
        try expectSame(destination, source)
    }

    @Test func aTransactionOfTheDestinationThatHasDoneNothingIsRefused() throws {
        try destination.transaction {
            expectSQLiteError { _ = try Backup(from: source, to: destination) }
            try destination.run("INSERT INTO t(x) VALUES('own')")
        }
        try expectRows(8, on: destination)
        try destination.savepoint {
            expectSQLiteError { try source.backup(to: destination) }
            try destination.run("INSERT INTO t(x) VALUES('own')")
        }
        #expect(!destination.isInsideTransaction)
        try expectRows(9, on: destination)
    }

    @Test func aStatementOfTheDestinationThatIsSteppedIsRefused() throws {
        let statement = try destination.prepare("SELECT id FROM t")
        let numbers: [Int] = try statement.query { row in
            expectSQLiteError { _ = try Backup(from: source, to: destination) }
            return row[0]
        }
        #expect(numbers.count == 7)
        try source.backup(to: destination)
        try expectSame(destination, source)
    }

    @Test func anOpenBlobOfTheDestinationIsRefused() throws {
        let blob = try destination.openBlob(table: "t", column: "x", rowID: 1, readOnly: true)
        expectSQLiteError { _ = try Backup(from: source, to: destination) }
        try blob.expect("old")
        try blob.close()
        try source.backup(to: destination)
        try expectSame(destination, source)
    }

    @Test func theDestinationsSettingsAndFunctionsStay() throws {
        try destination.execute("PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 123")
        try destination.addFunction(named: "twice") { (number: Int) -> Int in 2 * number }
        try destination.execute("CREATE TEMP TABLE own(x); INSERT INTO own VALUES(5)")
        try source.backup(to: destination)
        #expect(try destination.query("SELECT twice(x) FROM own") == 10)
        #expect(try destination.query("PRAGMA foreign_keys") == 1)
        #expect(try destination.query("PRAGMA busy_timeout") == 123)
    }

    @Test func theDestinationSeesAnotherSchemaAfterwards() throws {
        try destination.execute("ALTER TABLE t ADD COLUMN extra")
        #expect(try destination.columns(in: "t").count == 3)
        let statement = try destination.prepare("SELECT * FROM t WHERE id = 1")
        #expect(try destination.query("SELECT * FROM t WHERE id = 1") { $0.columnCount } == 3)
        #expect(statement.columnNames == ["id", "x", "extra"])
        try source.backup(to: destination)
        #expect(try destination.columns(in: "t").count == 2)
        #expect(try destination.query("SELECT * FROM t WHERE id = 1") { $0.columnCount } == 2)
        try statement.run()
        #expect(statement.columnNames == ["id", "x"])
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

/// How long a blob lasts, what it locks, and what ends it.
struct BlobLifetimeTests {
    private let folder = TemporaryFolder.fresh
    private let connection: Connection

    init() throws {
        connection = try folder.connection()
        try connection.execute(
            "CREATE TABLE t(b); INSERT INTO t VALUES(CAST('0123456789' AS BLOB)), (x'61')"
        )
    }

    private func open(readOnly: Bool = false) throws -> Blob {
        try connection.openBlob(table: "t", column: "b", rowID: 1, readOnly: readOnly)
    }

    private func stored() throws -> String {
        try folder.connection().query("SELECT CAST(b AS TEXT) FROM t WHERE rowid = 1")
    }

    // MARK: Expiry

    @Test(arguments: [
        "UPDATE t SET b = x'7a7a7a' WHERE rowid = 1", "DELETE FROM t WHERE rowid = 1",
        "DELETE FROM t",
        "REPLACE INTO t(rowid, b) VALUES(1, x'01')",
    ])
    func aBlobWhoseRowIsChangedHasExpired(sql: String) throws {
        let blob = try open(readOnly: true)
        _ = try blob.read(at: 0, count: 1)
        try connection.run(sql)
        expectSQLiteError(.abort, containing: "t.b") { _ = try blob.read(at: 0, count: 1) }
        #expect(blob.count == 0)
        expectSQLiteError(.abort) { _ = try blob.read(at: 0, count: 0) }
        try blob.close()
    }

    @Test func anExpiredBlobHasNoBytesEvenBeforeItIsUsed() throws {
        let blob = try open(readOnly: true)
        try connection.run("UPDATE t SET b = x'7a7a7a' WHERE rowid = 1")
        #expect(blob.count == 0)
    }

    @Test func readingOrWritingNothingNoticesThatTheBlobHasExpired() throws {
        for use in [{ try $0.write(Data(), at: 0) }, { _ = try $0.read(at: 0, count: 0) }]
            as [(Blob) throws -> Void]
        {
            let blob = try open()
            try connection.run("UPDATE t SET b = CAST('0123456789' AS BLOB) WHERE rowid = 1")
            expectSQLiteError(.abort) { try use(blob) }
        }
    }

    @Test func theErrorOfAnExpiredBlobGivesAdviceThatHelps() throws {
        let blob = try open(readOnly: true)
        try connection.run("UPDATE t SET b = x'7a7a7a' WHERE rowid = 1")
        let error = sqliteError { _ = try blob.read(at: 0, count: 1) }
        guard error?.message.contains("reopen") == true else { return }
        try blob.reopen(rowID: 1)
        try blob.expect("zzz")
    }

    @Test func anotherRowsChangeDoesNotEndABlob() throws {
        let blob = try open()
        try connection.run("UPDATE t SET b = x'62' WHERE rowid = 2")
        try blob.write("x", at: 0)
        try blob.close()
        #expect(try stored() == "x123456789")
    }

    @Test func aRollbackEndsABlobAndUndoesWhatItWrote() throws {
        var opened: Blob?
        connection.undoing {
            opened = try open()
            try opened?.write("x", at: 0)
        }
        let blob = try #require(opened)
        #expect(!connection.isInsideTransaction)
        expectSQLiteError(.abort) { _ = try blob.read(at: 0, count: 1) }
        #expect(blob.count == 0)
        try? blob.close()
        #expect(try stored() == "0123456789")
    }

    /// Of such a blob SQLite would read what is now where its row was.
    @Test(arguments: ["ROLLBACK", "INSERT OR ROLLBACK INTO keyed VALUES(1)"])
    func aBlobForReadingIsEndedByARollbackToo(ending: String) throws {
        try connection.execute(
            "CREATE TABLE keyed(id INTEGER PRIMARY KEY); INSERT INTO keyed VALUES(1)"
        )
        // Not by `transaction`, whose own end would do.
        try connection.execute("BEGIN; INSERT INTO t VALUES(zeroblob(20))")
        let blob = try connection.openBlob(table: "t", column: "b", rowID: 3, readOnly: true)
        try? connection.execute(ending)
        #expect(!connection.isInsideTransaction)
        expectSQLiteError(.abort) { _ = try blob.read(at: 0, count: 20) }
        #expect(blob.count == 0)
        #expect(throws: Never.self) { try blob.close() }
    }

    @Test func aSavepointThatIsUndoneEndsABlobAndNotTheTransaction() throws {
        var opened: Blob?
        try connection.transaction {
            try connection.run("UPDATE t SET b = x'7a' WHERE rowid = 2")
            connection.undoingSavepoint {
                try connection.run("INSERT INTO t VALUES(zeroblob(2000))")
                opened = try connection.openBlob(
                    table: "t",
                    column: "b",
                    rowID: 3,
                    readOnly: true
                )
            }
            let blob = try #require(opened)
            expectSQLiteError(.abort) { _ = try blob.read(at: 0, count: 2000) }
            #expect(throws: Never.self) { try blob.close() }
        }
        #expect(try connection.query("SELECT hex(b) FROM t WHERE rowid = 2") == "7A")
        #expect(try connection.query("SELECT count(*) FROM t") == 2)
    }

    @Test func aWriteThatFailsAloneEndsNoBlob() throws {
        try connection.execute("CREATE TABLE keyed(id INTEGER PRIMARY KEY)")
        let blob = try open(readOnly: true)
        expectSQLiteError(.constraint) { try connection.run("INSERT INTO keyed VALUES(1), (1)") }
        try blob.expect("012")
    }

    @Test func closingAnExpiredBlobHasNothingToCommitAndDoesNotThrow() throws {
        for ending in ["UPDATE t SET b = x'7a' WHERE rowid = 1", "ROLLBACK"] {
            try connection.execute("BEGIN")
            let blob = try open()
            try connection.execute(ending)
            expectSQLiteError(.abort) { _ = try blob.read(at: 0, count: 1) }
            #expect(throws: Never.self, "\(ending)") { try blob.close() }
            if connection.isInsideTransaction {
                try connection.execute("ROLLBACK")
            }
        }
    }

    // MARK: Letting go

    @Test func theConnectionIsNotClosedWhileABlobIsOpen() throws {
        let blob = try open(readOnly: true)
        expectSQLiteError(.busy, containing: "blob") { try connection.close() }
        try blob.expect("0")
        try blob.close()
        try connection.close()
    }

    @Test func lettingABlobGoClosesIt() throws {
        var blob: Blob? = try open()
        try blob?.write("x", at: 0)
        #expect(try !canWrite(toFileAt: folder.path()))
        blob = nil
        try expectUnlocked(folder)
        #expect(try stored() == "x123456789")
        try connection.close()
    }

    @Test func aBlobKeepsItsConnection() throws {
        var other: Connection? = try folder.connection()
        weak let isAlive = other
        var blob = try other?.openBlob(table: "t", column: "b", rowID: 1)
        other = nil
        #expect(isAlive != nil)
        try blob?.write("kept", at: 0)
        try blob?.close()
        blob = nil
        #expect(isAlive == nil)
        #expect(try stored() == "kept456789")
    }

    // MARK: Transactions and locks

    @Test func insideATransactionItCommitsWithThat() throws {
        try connection.transaction {
            let blob = try open()
            try blob.write("x", at: 0)
            try blob.close()
            #expect(try stored() == "0123456789")
        }
        #expect(try stored() == "x123456789")
    }

    @Test func aTransactionAroundAnOpenBlobDoesNotCommit() throws {
        var blob: Blob?
        expectSQLiteError(.busy) {
            try connection.transaction {
                blob = try open()
                try blob?.write("x", at: 0)
            }
        }
        #expect(!connection.isInsideTransaction)
        expectSQLiteError(.abort) { _ = try blob?.read(at: 0, count: 1) }
        try? blob?.close()
        #expect(try stored() == "0123456789")
        try expectUnlocked(folder)
    }

    @Test func afterALostTransactionEveryUseThrows() throws {
        let before = try open(readOnly: true)
        expectSQLiteError(extended: .abortRollback) {
            try connection.transaction {
                let blob = try open()
                try blob.write("x", at: 0)
                try connection.execute("ROLLBACK")
                for (index, error) in [
                    sqliteError { _ = try blob.read(at: 0, count: 1) },
                    sqliteError { try blob.write("y", at: 0) },
                    sqliteError { try blob.reopen(rowID: 2) },
                    sqliteError { _ = try before.read(at: 0, count: 1) },
                    sqliteError { try before.reopen(rowID: 2) },
                    sqliteError { _ = try open() },
                    sqliteError { _ = try open(readOnly: true) },
                ].enumerated() {
                    #expect(error?.extendedResultCode == .abortRollback, "\(index)")
                }
                try blob.close()
            }
        }
        try before.close()
        let blob = try open()
        try blob.write("z", at: 0)
        try blob.close()
        #expect(try stored() == "z123456789")
    }

    @Test func anotherConnectionsLockIsBusy() throws {
        let other = try folder.connection()
        try other.execute("BEGIN IMMEDIATE")
        expectSQLiteError(.busy) { _ = try open() }
        #expect(try open(readOnly: true).read(at: 0, count: 1) == Data("0".utf8))
        try other.execute("COMMIT")
        try open().close()
    }

    @Test func onlyABlobForWritingKeepsOthersFromWriting() throws {
        try connection.execute("PRAGMA journal_mode = WAL")
        let reading = try open(readOnly: true)
        try expectUnlocked(folder)
        try reading.close()
        let writing = try open()
        #expect(try !canWrite(toFileAt: folder.path()))
        try writing.close()
        try expectUnlocked(folder)
    }

    @Test func aCommitThatFailsAtCloseThrowsAndIsUndone() throws {
        let reader = try folder.connection()
        try reader.execute("BEGIN")
        try expectRows(2, on: reader)
        let blob = try open()
        try blob.write("x", at: 0)
        expectSQLiteError(.busy) { try blob.close() }
        try blob.close()
        #expect(blob.count == 0)
        #expect(!connection.isInsideTransaction)
        try reader.execute("COMMIT")
        #expect(try stored() == "0123456789")
        try expectUnlocked(folder)
        try connection.run("INSERT INTO t VALUES(1)")
        #expect(try stored() == "0123456789")
    }

    @Test func aCommitThatAHookRefusesAtCloseThrowsAndIsUndone() throws {
        connection.commitHook { true }
        let blob = try open()
        try blob.write("x", at: 0)
        expectSQLiteError(.constraint) { try blob.close() }
        connection.commitHook(nil)
        #expect(try stored() == "0123456789")
        try expectUnlocked(folder)
    }

    @Test(arguments: ["temp", "other"])
    func itWorksInOtherDatabases(database: String) throws {
        let path = folder.path("other.sqlite")
        try connection.attachDatabase(from: .onDisk(path), withName: "other")
        try connection.execute(
            "CREATE TABLE \(database).t(b); INSERT INTO \(database).t VALUES('text')"
        )
        let blob = try connection.openBlob(database: database, table: "t", column: "b", rowID: 1)
        try blob.write("n", at: 0)
        try blob.close()
        #expect(try connection.query("SELECT b FROM \(database).t") == "next")
        #expect(try stored() == "0123456789")
    }
}

import CSQift
import Foundation
import SQift
import Testing

/// The faults of SQift 5.1 that its core had, one test for each.
struct FaultTests {
    @Test func fault2AFailingOutermostSavepointLeavesNoTransactionOpen() throws {
        struct Failure: Error {}
        let connection = try makeConnection()
        #expect(throws: Failure.self) {
            try connection.savepoint(named: "s") {
                try connection.run("DELETE FROM cars")
                throw Failure()
            }
        }
        #expect(!connection.isInsideTransaction)
        let count: Int? = try connection.query("SELECT count(*) FROM cars")
        #expect(count == 3)
        // Only outside a transaction can one begin.
        try connection.execute("BEGIN; COMMIT")
    }

    @Test(arguments: ["", " \n\t", "-- just a comment", "/* one */ /* two */", ";;"])
    func fault3PreparingNothingThrows(sql: String) throws {
        let connection = try Connection()
        #expect(throws: SQLiteError.self) { _ = try connection.prepare(sql) }
        #expect(throws: SQLiteError.self) { _ = try Statement(connection: connection, sql: sql) }
    }

    @Test func fault3SQLAfterTheFirstStatementThrowsInsteadOfBeingDropped() throws {
        let connection = try makeConnection()
        #expect(throws: SQLiteError.self) {
            _ = try connection.prepare("DELETE FROM cars; SELECT 1")
        }
        #expect(throws: SQLiteError.self) { try connection.run("DELETE FROM cars; SELECT 1") }
        let count: Int? = try connection.query("SELECT count(*) FROM cars")
        #expect(count == 3)
    }

    @Test func fault4TextKeepsItsNULBytesAndAnEmptyBlobIsNotNull() throws {
        let connection = try Connection()
        try connection.execute("CREATE TABLE t(a TEXT, b BLOB NOT NULL)")
        try connection.run("INSERT INTO t VALUES(?, ?)", "a\0b", Data())
        if let row = try connection.query("SELECT a, b, typeof(b) FROM t") {
            #expect(row[0] == "a\0b")
            #expect(row[1] == Data())
            #expect(row[2] == "blob")
        } else {
            Issue.record("no row")
        }
    }

    @Test func fault5NullAndAMismatchAreToldApart() throws {
        let connection = try Connection()
        let null: Int? = try connection.query("SELECT NULL")
        #expect(null == nil)
        #expect(throws: ExtractionError.self) {
            let _: Int? = try connection.query("SELECT 'text'")
        }
    }

    @Test func fault5NumbersAreReadFromEachOther() throws {
        let connection = try Connection()
        let double: Double? = try connection.query("SELECT 1")
        let integer: Int? = try connection.query("SELECT 2.0")
        #expect(double == 1 && integer == 2)
        if let row = try connection.query("SELECT 1, 2.0") {
            let double: Double? = row[0]
            let integer: Int? = row[1]
            #expect(double == 1 && integer == 2)
        }
    }

    @Test func fault5AnArrayIsNeverShortened() throws {
        let connection = try Connection()
        #expect(throws: ExtractionError.self) {
            let _: [Int] = try connection.query("VALUES(1), (NULL), (3)")
        }
        let statement = try connection.prepare("VALUES(1), (NULL), (3)")
        #expect(throws: ExtractionError.self) { let _: [Int] = try statement.query() }
    }

    @Test func fault6ErrorsCarryTheExtendedCodeToo() throws {
        let connection = try makeConnection()
        let error = #expect(throws: SQLiteError.self) {
            try connection.run("INSERT INTO cars(id) VALUES(1)")
        }
        #expect(error?.code == SQLITE_CONSTRAINT)
        #expect(error?.extendedResultCode == .constraintPrimaryKey)
    }

    @Test func fault7ColumnNamesMatchInEitherCase() throws {
        let row: Row? = try makeConnection().query("SELECT name AS Name FROM cars")
        let lower: String? = row?["name"]
        let upper: String? = row?["NAME"]
        #expect(lower == "Audi" && upper == "Audi")
    }

    @Test func fault8ANamedParameterThatIsLeftOutThrows() throws {
        let connection = try makeConnection()
        let sql = "UPDATE cars SET name = :name WHERE id = :id"
        #expect(throws: SQLiteError.self) { try connection.run(sql, [":id": 1]) }
        #expect(throws: SQLiteError.self) { try connection.prepare(sql).bind([":id": 1]) }
        #expect(throws: SQLiteError.self) {
            try connection.run(sql, [":id": 1, ":name": "a", ":more": 2])
        }
        #expect(throws: SQLiteError.self) {
            try connection.run("UPDATE cars SET name = ?, price = ?", "a")
        }
        let names: [String] = try connection.query("SELECT name FROM cars")
        #expect(names == ["Audi", "Mercedes", "Skoda"])
    }

    @Test func fault9BindingAfterAFailedStepDoesNotThrowTheOldError() throws {
        let connection = try makeConnection()
        let statement = try connection.prepare("INSERT INTO cars(id) VALUES(?)", 1)
        #expect(throws: SQLiteError.self) { try statement.run() }
        try statement.bind(50).run()
        #expect(connection.lastInsertRowID == 50)
    }

    @Test func fault10AQueryForOneRowHoldsNoSnapshot() throws {
        let path = temporaryPath()
        defer { removeDatabase(path) }
        let connection = try Connection(storageLocation: .onDisk(path))
        try connection.execute(
            "PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1), (2)"
        )
        let statement = try connection.prepare("SELECT count(*) FROM t UNION ALL SELECT 0")
        let one: Int? = try statement.query()
        #expect(one == 2)
        #expect(!statement.isBusy)
        let writer = try Connection(storageLocation: .onDisk(path))
        try writer.run("INSERT INTO t VALUES(3)")
        let count: Int? = try connection.query("SELECT count(*) FROM t")
        #expect(count == 3)
        let again: Int? = try statement.query()
        #expect(again == 3)
    }

    @Test func fault13AValueThatFailsToEncodeIsNotStoredAsAnEmptyBlob() throws {
        struct Reading: CodableBinding {
            typealias BindingType = Data
            var value: Double
        }
        let connection = try Connection()
        try connection.execute("CREATE TABLE t(v)")
        #expect(throws: (any Error).self) {
            try connection.run("INSERT INTO t VALUES(?)", Reading(value: .infinity))
        }
        let count: Int? = try connection.query("SELECT count(*) FROM t")
        #expect(count == 0)
    }

    @Test func fault13TheDateFormatterMayBeReplacedFromAnyThread() async {
        await #expect(processExitsWith: .success) {
            // No block waits for another one, so it does no harm that few run at once.
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                for _ in 0..<50 {
                    let formatter = DateFormatter()
                    formatter.dateFormat = "yyyy-MM-dd"
                    formatter.timeZone = TimeZone(identifier: "UTC")
                    bindingDateFormatter = formatter
                    let text: String? = try? Connection().query(
                        "SELECT ?",
                        Date(timeIntervalSince1970: 0)
                    )
                    #expect(text == "1970-01-01")
                }
            }
        }
    }
}

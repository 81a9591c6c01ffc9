import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

/// Where reading a row stops the process, with a message on standard error. Each test runs in a
/// process of its own.
struct RowTrapTests {
    private func expectMessage(_ result: ExitTest.Result?, _ parts: String...) {
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for part in parts {
            #expect(text.contains(part), "\(part) in: \(text)")
        }
    }

    // MARK: Plain subscripts

    @Test func aPlainSubscriptTrapsOnAMismatch() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            try Connection().forEachRow("SELECT 1, 'abc' AS name") { row in print(row[1] as Int) }
        }
        expectMessage(result, "column 1", "name", "TEXT", "Int", "SELECT 1, 'abc' AS name")
    }

    @Test func aPlainSubscriptTrapsOnNULL() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            let rows: [Row] = try Connection().query("SELECT 1, NULL AS absence")
            print(rows[0]["absence"] as String)
        }
        expectMessage(result, "column 1", "absence", "NULL", "String", "SELECT 1, NULL AS absence")
    }

    @Test func aPlainSubscriptTrapsOnAMissingName() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            try Connection().forEachRow("SELECT 1 AS a") { row in print(row["missing"] as Int) }
        }
        expectMessage(result, "missing", "SELECT 1 AS a")
    }

    @Test func aPlainSubscriptTrapsOnAnIndexOutOfRange() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            try Connection().forEachRow("SELECT 1 AS a") { row in print(row[1] as Int) }
        }
        expectMessage(result, "column 1", "SELECT 1 AS a")
    }

    @Test func aPlainSubscriptTrapsOnAnOverflow() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            let row: Row? = try Connection().query("SELECT 256 AS big")
            guard let row else { exit(EXIT_SUCCESS) }
            print(row[0] as UInt8)
        }
        expectMessage(result, "column 0", "big", "INTEGER", "UInt8", "SELECT 256 AS big")
    }

    @Test func boundValuesAreNotInTheMessage() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            let rows: [Row] = try Connection().query("SELECT ? AS a", "secret")
            print(rows[0][0] as Int)
        }
        expectMessage(result, "SELECT ? AS a")
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(!text.contains("secret"))
    }

    // MARK: Rows that are gone

    @Test func aRowThatEscapedItsClosureTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            let connection = try Connection()
            var escaped: Row?
            try connection.forEachRow("SELECT 1 AS a") { escaped = $0 }
            print(try escaped?.get(0) as Int? ?? 0)
        }
        expectMessage(result, "SQift: ", "SELECT 1 AS a")
    }

    @Test func aRowTrapsAfterTheNextStep() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            let connection = try Connection()
            var first: Row?
            let _: [Int] = try connection.query(
                "SELECT 1 AS a UNION SELECT 2",
                body: { row in
                    if let first {
                        print(first["a"] as Int? ?? 0)
                    }
                    first = row
                    return 0
                }
            )
        }
        expectMessage(result, "SQift: ", "SELECT 1 AS a UNION SELECT 2")
    }

    @Test func aRowTrapsInTheNextRunOfItsStatement() async {
        await #expect(processExitsWith: .failure) {
            exitOnTrap()
            let connection = try Connection()
            let statement = try connection.prepare("SELECT 1")
            var escaped: Row?
            try statement.forEachRow { escaped = $0 }
            try statement.forEachRow { _ in print(escaped?.columnCount ?? 0) }
        }
    }

    @Test func aRowTrapsAfterTheEndOfItsStatement() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            let connection = try Connection()
            var escaped: Row?
            try connection.prepare("SELECT 1 AS a").forEachRow { escaped = $0 }
            print(escaped?["a"] as Int? ?? 0)
        }
        expectMessage(result, "SQift: ", "SELECT 1 AS a")
    }

    @Test func aRowTrapsAfterItsStatementLeftTheCache() async {
        await #expect(processExitsWith: .failure) {
            exitOnTrap()
            let connection = try Connection()
            var escaped: Row?
            try connection.forEachRow("SELECT 1 AS a") { escaped = $0 }
            connection.releaseMemory()
            print(escaped?.description ?? "")
        }
    }

    @Test func aRowTrapsAfterTheClose() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            let connection = try Connection()
            var escaped: Row?
            try connection.forEachRow("SELECT 1 AS a") { escaped = $0 }
            try connection.close()
            print(try escaped?.get("a") as Int? ?? 0)
        }
        expectMessage(result, "SQift: ", "SELECT 1 AS a")
    }

    @Test func aRowTrapsAfterTheEndOfItsConnection() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            var escaped: Row?
            do {
                try Connection().forEachRow("SELECT 1 AS a") { escaped = $0 }
            }
            print(escaped?.columnNames ?? [])
        }
        expectMessage(result, "SQift: ", "SELECT 1 AS a")
    }

    @Test func aCopyOfARowTrapsWithoutMemoryForIt() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            exitOnTrap()
            let connection = try Connection()
            // SQLite needs memory to read its text as UTF-8.
            try connection.execute("PRAGMA encoding = 'UTF-16'; CREATE TABLE t(x)")
            try connection.forEachRow("SELECT printf('%.100000c', 'x')") { row in
                sqlite3_hard_heap_limit64(max(1, sqlite3_memory_used()))
                print(row.detached().columnCount)
            }
        }
        expectMessage(result, "SQift: SQLITE_NOMEM")
    }

    @Test func everyWayToReadARowThatIsGoneTraps() async {
        for result in [
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try escapedRow()[0] as Int
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try escapedRow()[0] as Int?
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try escapedRow()["a"] as Int
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try escapedRow().get(1) as String?
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try escapedRow().get(1) as Data
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try escapedRow().columns
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try escapedRow().detached()
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try escapedRow().hasColumn("a")
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try escapedRow().bindingValue(at: 0)
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try escapedRow().withUnsafeBytes(at: 1) { print($0.count) }
            },
        ] {
            expectMessage(result, "SQift: a row was read after", "SELECT 1 AS a, 'b'")
        }
    }
}

/// A row whose statement, in a cache that still exists, has been reset.
private func escapedRow() throws -> Row {
    let connection = try Connection()
    var escaped: Row?
    try connection.forEachRow("SELECT 1 AS a, 'b'") { escaped = $0 }
    return try #require(escaped)
}

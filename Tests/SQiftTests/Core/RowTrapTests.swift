import CSQift
import Foundation
import SQiftTestSupport
import Testing

import SQift

/// Where reading a row stops the process, with a message on standard error. Each reading has a
/// process of its own.
struct RowTrapTests {
    typealias Trap = (name: String, message: [String], read: @Sendable () throws -> Void)

    private func expectMessage(_ result: ExitTest.Result?, _ parts: [String], of name: String) {
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for part in parts {
            #expect(text.contains(part), "\(name): \(part) in: \(text)")
        }
        #expect(!text.contains("secret"), "\(name)")
    }

    // MARK: Plain subscripts

    private static let subscripts: [Trap] = [
        (
            "a mismatch", ["column 1", "name", "TEXT", "Int", "SELECT 1, 'abc' AS name"],
            {
                let connection = try Connection()
                try connection.forEachRow("SELECT 1, 'abc' AS name") { print($0[1] as Int) }
            }
        ),
        (
            "NULL", ["column 1", "absence", "NULL", "String", "SELECT 1, NULL AS absence"],
            {
                let rows: [Row] = try Connection().query("SELECT 1, NULL AS absence")
                print(rows[0]["absence"] as String)
            }
        ),
        (
            "a missing name", ["missing", "SELECT 1 AS a"],
            // sqift: unchecked
            { try Connection().forEachRow("SELECT 1 AS a") { print($0["missing"] as Int) } }
        ),
        (
            "an index out of range", ["column 1", "SELECT 1 AS a"],
            // sqift: unchecked
            { try Connection().forEachRow("SELECT 1 AS a") { print($0[1] as Int) } }
        ),
        (
            "an overflow", ["column 0", "big", "INTEGER", "UInt8", "SELECT 256 AS big"],
            {
                let row: Row? = try Connection().query("SELECT 256 AS big")
                guard let row else { exit(EXIT_SUCCESS) }
                print(row[0] as UInt8)
            }
        ),
        (
            "a bound value, which isn't in the message", ["SELECT ? AS a"],
            {
                let rows: [Row] = try Connection().query("SELECT ? AS a", "secret")
                print(rows[0][0] as Int)
            }
        ),
    ]

    @Test(arguments: subscripts.indices)
    func aPlainSubscriptTrapsOnWhatItCannotRead(index: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        { [index = index as Int] in
            exitOnTrap()
            try RowTrapTests.subscripts[index].read()
        }
        let trap = Self.subscripts[index]
        expectMessage(result, trap.message, of: trap.name)
    }

    // MARK: Rows that are gone

    private static let escapes: [Trap] = [
        (
            "after the next step", ["SQift: ", "SELECT 1 AS a UNION SELECT 2"],
            {
                var first: Row?
                let _: [Int] = try Connection().query("SELECT 1 AS a UNION SELECT 2") { row in
                    if let first {
                        print(first["a"] as Int? ?? 0)
                    }
                    first = row
                    return 0
                }
            }
        ),
        (
            "in the next run of its statement", [],
            {
                let connection = try Connection()
                let statement = try connection.prepare("SELECT 1")
                var escaped: Row?
                try statement.forEachRow { escaped = $0 }
                try statement.forEachRow { _ in print(escaped?.columnCount ?? 0) }
            }
        ),
        (
            "after the end of its statement", ["SQift: ", "SELECT 1 AS a"],
            {
                let connection = try Connection()
                var escaped: Row?
                try connection.prepare("SELECT 1 AS a").forEachRow { escaped = $0 }
                print(escaped?["a"] as Int? ?? 0)
            }
        ),
        (
            "after its statement left the cache", [],
            {
                let connection = try Connection()
                let escaped = try escapedRow(from: connection)
                connection.releaseMemory()
                print(escaped.description)
            }
        ),
        (
            "after the close", ["SQift: ", "SELECT 1 AS a"],
            {
                let connection = try Connection()
                let escaped = try escapedRow(from: connection)
                try connection.close()
                print(try escaped.get("a") as Int)
            }
        ),
        (
            "after the end of its connection", ["SQift: ", "SELECT 1 AS a"],
            { print(try escapedRow(from: Connection()).columnNames) }
        ),
        (
            "without memory for its copy", ["SQift: SQLITE_NOMEM"],
            {
                let connection = try Connection()
                // SQLite needs memory to read its text as UTF-8.
                try connection.execute("PRAGMA encoding = 'UTF-16'; CREATE TABLE t(x)")
                try connection.forEachRow("SELECT printf('%.100000c', 'x')") { row in
                    sqlite3_hard_heap_limit64(max(1, sqlite3_memory_used()))
                    print(row.detached().columnCount)
                }
            }
        ),
    ]

    @Test(arguments: escapes.indices)
    func aRowThatEscapedItsClosureTraps(index: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        { [index = index as Int] in
            exitOnTrap()
            try RowTrapTests.escapes[index].read()
        }
        let trap = Self.escapes[index]
        expectMessage(result, trap.message, of: trap.name)
    }

    private static let ways: [@Sendable (Row) throws -> Void] = [
        { _ = $0[0] as Int },
        { _ = $0[0] as Int? },
        { _ = $0["a"] as Int },
        { _ = try $0.get(0) as Int? },
        { _ = try $0.get(1) as String? },
        { _ = try $0.get(1) as Data },
        { _ = $0.columns },
        { _ = $0.detached() },
        { _ = $0.hasColumn("a") },
        { _ = try $0.bindingValue(at: 0) },
        { row in try row.withUnsafeBytes(at: 1) { print($0.count) } },
    ]

    @Test(arguments: ways.indices)
    func everyWayToReadARowThatIsGoneTraps(index: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        { [index = index as Int] in
            let connection = try Connection()
            try RowTrapTests.ways[index](escapedRow(from: connection))
        }
        let message = ["SQift: a row was read after", "SELECT 1 AS a, 'b'"]
        expectMessage(result, message, of: "\(index)")
    }
}

/// A row whose statement, in the cache of this connection, has been reset.
private func escapedRow(from connection: Connection) throws -> Row {
    var escaped: Row?
    try connection.forEachRow("SELECT 1 AS a, 'b'") { escaped = $0 }
    return try #require(escaped)
}

import CSQift
import Foundation
import Testing

@testable import SQift

/// An error that isn't SQift's.
struct Refusal: Error, Equatable {
    var reason = "no"
}

private final class FunctionBody {
    let call: (String) -> Void

    init(_ call: @escaping (String) -> Void) {
        self.call = call
    }
}

/// Makes an SQL function of one argument that calls `body` with it as text, in the middle of a
/// step, and answers it.
///
/// The connection keeps `body`, which mustn't keep the connection.
func addCallback(
    _ name: String,
    to connection: Connection,
    _ body: @escaping (String) -> Void
) throws {
    let box = Unmanaged.passRetained(FunctionBody(body)).toOpaque()
    let code = try connection.withUnsafeHandle { database in
        sqlite3_create_function_v2(
            database,
            name,
            1,
            SQLITE_UTF8,
            box,
            { context, _, arguments in
                guard let data = sqlite3_user_data(context), let argument = arguments?[0] else {
                    return
                }
                let text = sqlite3_value_text(argument).map { String(cString: $0) } ?? "NULL"
                Unmanaged<FunctionBody>.fromOpaque(data).takeUnretainedValue().call(text)
                sqlite3_result_value(context, argument)
            },
            nil,
            nil,
            { $0.map { Unmanaged<FunctionBody>.fromOpaque($0).release() } }
        )
    }
    #expect(code == SQLITE_OK)
}

/// Makes an SQL function `interrupt_at(value, value)` of two arguments that interrupts the
/// connection where they are equal, and answers the first.
func addInterrupting(to connection: Connection) throws {
    let code = try connection.withUnsafeHandle { database in
        sqlite3_create_function_v2(
            database,
            "interrupt_at",
            2,
            SQLITE_UTF8,
            nil,
            { context, _, arguments in
                guard let arguments else { return }
                if sqlite3_value_int64(arguments[0]) == sqlite3_value_int64(arguments[1]) {
                    sqlite3_interrupt(sqlite3_context_db_handle(context))
                }
                sqlite3_result_value(context, arguments[0])
            },
            nil,
            nil,
            nil
        )
    }
    #expect(code == SQLITE_OK)
}

/// The SQL of the connection's prepared statements, sorted: the cached ones and those that are in
/// use.
func preparedSQL(on connection: Connection) throws -> [String] {
    try connection.withUnsafeHandle { database in
        var found: [String] = []
        var statement = sqlite3_next_stmt(database, nil)
        while let next = statement {
            found.append(sqlite3_sql(next).map { String(cString: $0) } ?? "")
            statement = sqlite3_next_stmt(database, next)
        }
        return found.sorted()
    }
}

/// A query that gives the numbers from 1 to `count`.
func numbers(to count: Int, selecting expression: String = "n") -> String {
    "WITH RECURSIVE numbers(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM numbers WHERE n < \(count)) "
        + "SELECT \(expression) FROM numbers"
}

/// Whether another connection can write to the file at once.
func canWrite(toFileAt path: String) throws -> Bool {
    let other = try Connection(path: path)
    do {
        try other.execute(
            "BEGIN IMMEDIATE; CREATE TABLE can_write(x); DROP TABLE can_write; COMMIT"
        )
        return true
    } catch let error as SQLiteError where .busy ~= error.extendedResultCode {
        return false
    }
}

func count(_ table: String, on connection: Connection) throws -> Int {
    try connection.query("SELECT count(*) FROM \(table)")
}

import CSQift
import SQift
import Testing

private final class FunctionBody {
    let call: (String) -> Void

    init(_ call: @escaping (String) -> Void) {
        self.call = call
    }
}

/// Adds an SQL function with one argument. It calls `body` with the argument as text, in the middle
/// of a step, and returns the argument.
///
/// The connection keeps `body`, so `body` mustn't keep the connection.
package func addCallback(
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

/// Adds the SQL function `interrupt_at(a, b)`. It interrupts the connection if `a` equals `b`, and
/// returns `a`.
package func addInterrupting(to connection: Connection) throws {
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

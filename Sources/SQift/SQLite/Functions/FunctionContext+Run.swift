internal import CSQift
import Foundation

extension FunctionContext {
    /// The arguments of the running call as a row, which is valid during the call. It is made where
    /// it is read: passed as a parameter, it would cost each call a reference count.
    @inlinable var arguments: Row { Row(of: self) }

    /// Makes the value the result, as if it were bound to a parameter.
    @inlinable func setResult(_ value: some Bindable) throws {
        try value.bind(to: ParameterSlot(resultOf: self))
        if !call.hasResult {
            throw missingResultError
        }
    }

    @usableFromInline var missingResultError: SQLiteError {
        misuse("\(name): the result's bind(to:) has bound nothing")
    }

    /// Makes an error the result, and so the statement's error.
    @inline(never) func fail(with error: any Error) {
        var message = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
        var code = SQLITE_ERROR
        if let error = error as? SQLiteError {
            message = error.message
            // OK, ROW and DONE aren't errors: the statement would end as if nothing had happened,
            // or never. SCHEMA would start it again.
            let result = error.extendedResultCode
            if ![.ok, .row, .done, .schema].contains(result.primary), result.rawValue > 0 {
                code = result.rawValue
            }
        }
        if let error = error as? ExtractionError, error.isAboutArgument {
            message = "\(name): \(message)"
        }

        sqlite3_result_error(call.context, message, -1)
        sqlite3_result_error_code(call.context, code)
    }
}

import Foundation
import SQift

/// A short name, to count errors by: SQLite's code, or the type.
func nameOfError(_ error: any Error) -> String {
    switch error {
    case let error as SQLiteError: error.codeDescription
    case let error as MigratorError: error.underlyingError.map(nameOfError) ?? "MigratorError"
    default: "\(type(of: error))"
    }
}

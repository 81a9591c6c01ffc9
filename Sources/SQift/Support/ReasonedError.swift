import Foundation

/// An error that has a reason, for programs, and a message, which it prints as.
protocol ReasonedError: CustomStringConvertible, LocalizedError {
    var message: String { get }
}

extension ReasonedError {
    public var description: String { message }

    public var errorDescription: String? { message }
}

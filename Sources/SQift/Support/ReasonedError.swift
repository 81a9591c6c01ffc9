import Foundation

/// An error that has a reason or a code, for programs, and a message. It prints as the message,
/// unless it has a description of its own.
protocol ReasonedError: CustomStringConvertible, LocalizedError {
    var message: String { get }
}

extension ReasonedError {
    public var description: String { message }

    public var errorDescription: String? { description }
}

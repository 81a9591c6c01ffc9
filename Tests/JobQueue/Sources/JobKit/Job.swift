import Foundation
import SQift

/// A job as its row has it.
public struct Job: Decodable, ExpressibleByRow, Sendable, Equatable {
    public static let columnNamesAreSnakeCase = true

    public let id: Int64
    /// What is to be done.
    public let kind: String
    /// What it is to be done with, as JSON. Other programs may have added the job, so it is decoded
    /// where the job is done: one that can't be decoded fails like any other.
    public let payload: String
    /// When a worker may claim it: at once, after a pause, or when the lease ends.
    public let dueAt: UnixMilliseconds
    /// Whose it is: each claim makes a new one. Nil if no worker has the job.
    public let lease: UUID?
    /// How often it was claimed.
    public let attempts: Int
    /// Why the last attempt failed.
    public let lastError: String?
    /// Since when it is a dead letter, which no worker claims until it is revived.
    public let deadAt: UnixMilliseconds?

    /// The payload of a job that `add` has made.
    public func arguments() throws -> [String: String] {
        try JSONDecoder().decode([String: String].self, from: Data(payload.utf8))
    }
}

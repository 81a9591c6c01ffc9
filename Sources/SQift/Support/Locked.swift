import Foundation

/// A value behind a lock. State that threads share is in one of these, or in `AtomicNumbers`.
final class Locked<Value> {
    private let lock = NSLock()
    @exclusivity(unchecked) private var content: Value

    init(_ value: sending Value) {
        content = value
    }

    /// Calls `body` with the value, while no other thread has it. The compiler refuses a body that
    /// lets out what isn't `Sendable`, or that puts in what is used elsewhere too.
    func withLock<Result>(
        _ body: (inout sending Value) throws -> sending Result
    ) rethrows -> sending Result {
        if !lock.try() {
            wait()
        }
        defer { lock.unlock() }
        return try body(&content)
    }

    /// Tries a few times before it sleeps: a lock is held for nanoseconds, and sleeping takes
    /// microseconds.
    @inline(never) private func wait() {
        for _ in 0..<50 where lock.try() {
            return
        }
        lock.lock()
    }
}

// The value is reached only under the lock.
extension Locked: @unchecked Sendable {}

extension Locked where Value: Sendable {
    /// A copy of the value.
    var value: Value { withLock { $0 } }
}

/// What isn't `Sendable`, and goes from thread to thread in a way that is safe, as the compiler
/// can't see.
///
/// - A lane's connection: its line lets in one closure at a time. Others have it only while the
///   line is empty, or is gone.
/// - The source and destination of a background backup: nothing else has them until it has ended.
/// - The `sqlite3 *` of an interrupt handle: any thread may interrupt an open connection, and the
///   handle has forgotten it before it is closed.
/// - The coder of a container that a type has kept: other threads only ask whether that container
///   is used yet, and release the coder afterwards.
struct UncheckedSendable<Value> {
    var value: Value
}

// Its uses are those above.
extension UncheckedSendable: @unchecked Sendable {}

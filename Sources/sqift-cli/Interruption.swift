import Foundation
import SQift

/// Ends what a command's connections do when the command is cancelled.
///
/// A progress handler isn't enough: SQLite checks all pages of a database in one instruction, in
/// which it looks only for an interrupt. And an interrupt alone isn't, since it has no effect
/// between two statements. It comes again and again until the command has ended.
final class Interruption: @unchecked Sendable {
    /// That of the command that runs.
    @TaskLocal static var current: Interruption?

    // What follows is used under this lock.
    private let lock = NSLock()
    private var handles: [InterruptHandle] = []
    private var hasEnded = false

    /// Calls `body`, whose connections are interrupted when its task is cancelled.
    static func during<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        let interruption = Interruption()
        return try await $current.withValue(interruption) {
            try await withTaskCancellationHandler {
                defer { interruption.end() }
                return try await body()
            } onCancel: {
                Thread.detachNewThread { interruption.interruptUntilTheEnd() }
            }
        }
    }

    func add(_ handle: InterruptHandle) {
        lock.withLock { handles.append(handle) }
    }

    private func end() {
        lock.withLock { hasEnded = true }
    }

    private func interruptUntilTheEnd() {
        while true {
            let handles = lock.withLock { hasEnded ? nil : self.handles }
            guard let handles else { return }
            for handle in handles {
                handle.interrupt()
            }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }
}

extension Connection {
    /// Ends the statements when the command that runs them is cancelled.
    func stopWhenCancelled() {
        progressHandler { Task.isCancelled }
        Interruption.current?.add(interruptHandle)
    }
}

import CSQiftFaults
import Foundation
import SQift

/// Stops the work of a scenario from within: at a call of a progress handler.
final class Interruption: Sendable {
    /// How the work is stopped.
    enum Action: String, CaseIterable {
        /// The progress handler says so.
        case handler
        /// By `InterruptHandle.interrupt()`.
        case interrupt
        /// The task that waits is cancelled.
        case cancel
        /// Another thread calls `Database.close(interrupting: true)`.
        case close
    }

    private struct Targets {
        var cancelTask: (@Sendable () -> Void)?
        /// Whether the task has to be cancelled as soon as it is known.
        var isTaskCancelled = false
        var databases: [WeakDatabase] = []
    }

    private struct WeakDatabase {
        weak var database: Database?
    }

    let action: Action
    private let targets = Locked(Targets())
    private let closing = DispatchGroup()

    init(_ action: Action) {
        self.action = action
    }

    func watch(_ connection: Connection) {
        let handle = connection.interruptHandle
        connection.progressHandler(every: 1) { [self] in
            guard sqift_faults_is_due(SQIFT_FAULT_PROGRESS.rawValue) != 0 else { return false }
            return strike(handle)
        }
    }

    func watch(_ database: Database) {
        targets.withLock { $0.databases.append(WeakDatabase(database: database)) }
    }

    func watch<T>(_ task: Task<T, Never>) {
        let isCancelled = targets.withLock { targets in
            targets.cancelTask = { task.cancel() }
            return targets.isTaskCancelled
        }
        if isCancelled {
            task.cancel()
        }
    }

    /// Waits until what the fault has begun on other threads is done.
    func wait() {
        closing.wait()
    }

    /// Returns whether the progress handler has to stop the statement.
    private func strike(_ handle: InterruptHandle) -> Bool {
        switch action {
        case .handler:
            return true
        case .interrupt:
            handle.interrupt()
        case .cancel:
            cancelTask()
        case .close:
            closeDatabases()
        }
        return false
    }

    private func cancelTask() {
        let cancel = targets.withLock { targets in
            targets.isTaskCancelled = true
            return targets.cancelTask
        }
        cancel?()
    }

    private func closeDatabases() {
        let databases = targets.withLock { $0.databases.compactMap(\.database) }
        for database in databases {
            let isClosing = DispatchSemaphore(value: 0)
            DispatchQueue.global().async(group: closing) {
                isClosing.signal()
                try? database.close(interrupting: true)
            }
            isClosing.wait()
            // The other thread comes to where it interrupts now or some instructions later, which
            // is a point as good.
            sched_yield()
        }
    }
}

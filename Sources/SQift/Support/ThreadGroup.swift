import Foundation

/// Threads of the library's own, which start when they are needed and end when they weren't for a
/// while.
///
/// libdispatch has a few hundred threads for all serial queues of the program together. If the
/// program has blocked them all, in synchronous accesses for example, an access that they wait for
/// would get none.
final class ThreadGroup: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State {
        var idle: [Worker] = []
        var count = 0
        /// What waits for a thread, if the limit is reached.
        var waiting = TicketLine<Work>()
    }

    /// A thread, and what it is to do next.
    private final class Worker: Sendable {
        let work = Locked<Work?>(nil)
        let wakes = DispatchSemaphore(value: 0)

        /// Calls its work. Nothing keeps what the work holds afterwards, however long the thread
        /// waits for more.
        func callWork() {
            if let work = work.withLock({ $0.take() }) {
                callReleasingObjects(work)
            }
        }
    }

    /// For accesses whose turn has come, of which each connection has one at most, and for calls
    /// that may be blocked.
    static let accesses = ThreadGroup(limit: .max)

    private let state = Locked(State())
    private let limit: Int
    private let idleTime: TimeInterval

    /// - Parameters:
    ///   - limit: How many threads there are at most.
    ///   - idleTime: After how many seconds without work a thread ends.
    init(limit: Int, idleTime: TimeInterval = 5) {
        self.limit = limit
        self.idleTime = idleTime
    }

    /// Calls `work` on one of the threads, and releases it then.
    func run(_ work: @escaping Work) {
        let (worker, isNew) = state.withLock { state -> (Worker?, Bool) in
            if let worker = state.idle.popLast() {
                return (worker, false)
            }
            guard state.count < limit else {
                _ = state.waiting.append(work)
                return (nil, false)
            }
            state.count += 1
            return (Worker(), true)
        }
        guard let worker else { return }
        worker.work.withLock { $0 = work }
        if isNew {
            Thread.detachNewThread { self.work(as: worker) }
        } else {
            worker.wakes.signal()
        }
    }

    /// What a thread does.
    private func work(as worker: Worker) {
        Thread.current.name = "SQift"
        // A user may be looking at what waits for it.
        Thread.current.qualityOfService = .userInitiated
        repeat {
            worker.callWork()
        } while waitForWork(worker)
    }

    /// - Returns: False if the thread is to end.
    private func waitForWork(_ worker: Worker) -> Bool {
        let waiting = state.withLock { state -> Work? in
            if let work = state.waiting.popFirst() {
                return work
            }
            state.idle.append(worker)
            return nil
        }
        if let waiting {
            worker.work.withLock { $0 = waiting }
            return true
        }

        if worker.wakes.wait(timeout: .now() + idleTime) == .success {
            return true
        }
        let hasEnded = state.withLock { state in
            let position = state.idle.firstIndex { $0 === worker }
            if let position {
                state.idle.remove(at: position)
                state.count -= 1
            }
            return position != nil
        }
        if !hasEnded {
            // It has got work at the last moment.
            worker.wakes.wait()
        }
        return !hasEnded
    }
}

/// Calls `body`, and on Apple's systems releases Foundation's objects that it has left behind.
private func callReleasingObjects(_ body: () -> Void) {
    #if canImport(ObjectiveC)
        autoreleasepool(invoking: body)
    #else
        body()
    #endif
}

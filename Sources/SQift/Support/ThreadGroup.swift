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

    /// Calls `work` on one of the threads.
    func run(_ work: @escaping Work) {
        let (idleWorker, isStarting) = state.withLock { state -> (Worker?, Bool) in
            if let worker = state.idle.popLast() {
                return (worker, false)
            }
            guard state.count < limit else {
                _ = state.waiting.append(work)
                return (nil, false)
            }
            state.count += 1
            return (nil, true)
        }
        if let idleWorker {
            idleWorker.work.withLock { $0 = work }
            idleWorker.wakes.signal()
        }
        if isStarting {
            Thread.detachNewThread { self.work(from: work) }
        }
    }

    /// What a thread does.
    private func work(from first: @escaping Work) {
        Thread.current.name = "SQift"
        // A user may be looking at what waits for it.
        Thread.current.qualityOfService = .userInitiated
        let worker = Worker()
        var next: Work? = first
        while let work = next {
            callReleasingObjects(work)
            next = self.next(for: worker)
        }
    }

    /// - Returns: Nil if the thread is to end.
    private func next(for worker: Worker) -> Work? {
        let waiting = state.withLock { state -> Work? in
            if let work = state.waiting.popFirst() {
                return work
            }
            state.idle.append(worker)
            return nil
        }
        if let waiting {
            return waiting
        }

        if worker.wakes.wait(timeout: .now() + idleTime) == .timedOut {
            let hasEnded = state.withLock { state in
                let position = state.idle.firstIndex { $0 === worker }
                if let position {
                    state.idle.remove(at: position)
                    state.count -= 1
                }
                return position != nil
            }
            if hasEnded {
                return nil
            }
            // It has got work at the last moment.
            worker.wakes.wait()
        }
        return worker.work.withLock { $0.take() }
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

import Foundation

/// One asynchronous access, which can be cancelled until it begins to commit.
///
///     waiting -- begin --> running -- end --> ended
///     waiting -------- fail, cancel --------> ended
///
/// - waiting: The access hasn't begun. `fail(_:)` and `cancel()` end it, and its task gets the
///   error immediately.
/// - running: Its closure runs. `cancel()` interrupts the connection. How the closure then ends
///   decides the result.
/// - ended: The access can't be cancelled any more: its transaction is committed or rolled back, or
///   is about to be.
///
/// It is its own executor, so the closure runs in its task, with the task's priority and values.
/// `run` is the only function that runs on it: what Swift wants to continue with then, the job, is
/// the access's place in a line, and runs on the thread where its turn comes.
actor AsyncAccess: SerialExecutor {
    private enum Phase {
        /// There is no job until the access is in line.
        case waiting(UnownedJob?)
        /// There is no cancellation until it has a lane.
        case running(Cancellation?)
        case ended
    }

    private struct State {
        var phase = Phase.waiting(nil)
        /// Whether it was cancelled while it ran.
        var isCancelled = false
        /// How the waiting ended.
        var turn = Result<Int, any Error>.success(0)
        /// Takes the access out of its line.
        var leaveLine: (@Sendable () -> Void)?
        /// The access, while it gets in line: its task can end on another thread meanwhile, and
        /// nothing else holds it for Swift, which calls `enqueue`.
        var itself: AsyncAccess?
    }

    private let state = Locked(State())
    /// Whether the result of its closure counts, even if it was cancelled before.
    let isFinal: Bool
    private let getInLine: @Sendable (AsyncAccess) -> Void

    /// Where the tasks of accesses continue that have never begun.
    private static let refusals = ThreadGroup(limit: 1)

    /// - Parameter getInLine: Sees to it that `begin` is called once.
    init(isFinal: Bool = false, _ getInLine: @escaping @Sendable (AsyncAccess) -> Void) {
        self.isFinal = isFinal
        self.getInLine = getInLine
    }

    /// Calls `body` when the turn of the access comes.
    ///
    /// - Parameter body: Gets what `begin` was given.
    /// - Throws: What ended the waiting.
    func run<T: Sendable>(_ body: @Sendable (_ slot: Int) throws -> T) throws -> T {
        try body(state.withLock { $0.turn }.get())
    }

    // MARK: Waiting

    nonisolated var unownedExecutor: UnownedSerialExecutor { asUnownedSerialExecutor() }

    // On Apple's systems the default of this one, and the newer form of the next, need macOS 14.
    nonisolated func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    #if canImport(Darwin)
        nonisolated func enqueue(_ job: UnownedJob) {
            wait(for: job)
        }
    #else
        nonisolated func enqueue(_ job: consuming ExecutorJob) {
            wait(for: UnownedJob(job))
        }
    #endif

    private nonisolated func wait(for job: UnownedJob) {
        let isWaiting = state.withLock { state in
            guard case .waiting = state.phase else { return false }
            state.phase = .waiting(job)
            state.itself = self
            return true
        }
        guard isWaiting else { return refuse(job) }
        getInLine(self)
        let itself = state.withLock { $0.itself.take() }
        // This may be the last reference. The optimizer, for which the caller has another one,
        // would otherwise release it before the lock is unlocked.
        withExtendedLifetime(itself) {}
    }

    private nonisolated func refuse(_ job: UnownedJob) {
        Self.refusals.run { job.runSynchronously(on: self.unownedExecutor) }
    }

    /// Notes how the access leaves its line if its waiting ends before its turn.
    nonisolated func leavesLine(by leave: @escaping @Sendable () -> Void) {
        let isWaiting = state.withLock { state in
            guard case .waiting = state.phase else { return false }
            state.leaveLine = leave
            return true
        }
        if !isWaiting {
            leave()
        }
    }

    /// Ends the waiting with an error. It does nothing if the access doesn't wait any more.
    nonisolated func fail(_ error: any Error) {
        let (job, leaveLine) = endWaiting(.failure(error))
        leaveLine?()
        job.map(refuse)
    }

    /// - Returns: No job if the waiting was ended before, or hasn't begun.
    private nonisolated func endWaiting(
        _ turn: Result<Int, any Error>
    ) -> (job: UnownedJob?, leaveLine: (@Sendable () -> Void)?) {
        state.withLock { state in
            guard case .waiting(let job) = state.phase else { return (nil, nil) }
            state.phase = .running(nil)
            state.turn = turn
            return (job, state.leaveLine.take())
        }
    }

    // MARK: Running

    /// Begins to run, on this thread, and returns when the closure has ended.
    ///
    /// - Parameter slot: Which of the runner's connections it gets.
    /// - Returns: False if the waiting was ended before.
    @discardableResult nonisolated func begin(in slot: Int = 0) -> Bool {
        guard let job = endWaiting(.success(slot)).job else { return false }
        job.runSynchronously(on: unownedExecutor)
        return true
    }

    /// From now on, `cancel()` interrupts a connection.
    nonisolated func use(_ cancellation: Cancellation) {
        state.withLock { state in
            state.phase = .running(cancellation)
            if state.isCancelled {
                cancellation.interrupt(.task)
            }
        }
    }

    /// Cancels the access unless it is too late. It may be called from any thread.
    nonisolated func cancel() {
        fail(CancellationError())
        state.withLock { state in
            guard case .running(let cancellation) = state.phase else { return }
            // This runs under the lock, so that it can't interrupt the next access.
            cancellation?.interrupt(.task)
            state.isCancelled = true
        }
    }

    /// Ends the access after its closure, before its transaction is ended. Nothing cancels it from
    /// now on.
    ///
    /// - Returns: Whether it was cancelled before.
    @discardableResult nonisolated func end() -> Bool {
        state.withLock { state in
            state.phase = .ended
            return state.isCancelled
        }
    }
}

/// Calls `body` on a thread that may be blocked.
func onAnotherThread<T: Sendable>(
    of group: ThreadGroup = .accesses,
    _ body: @Sendable () throws -> T
) async throws -> T {
    let access = AsyncAccess { access in
        group.run { access.begin() }
    }
    return try await access.run { _ in try body() }
}

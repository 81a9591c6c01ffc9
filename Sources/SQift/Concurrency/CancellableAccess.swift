/// One asynchronous access, which can be cancelled until it begins to commit.
///
///     waiting -- begin --> running -- end, passPointOfNoReturn --> ended
///     waiting -------------- fail, cancel -----------------------> ended
///
/// - waiting: The access hasn't begun. `fail(_:)` and `cancel()` end it, and its task gets the
///   error immediately.
/// - running: Its closure runs. `cancel()` interrupts the connection. How the closure then ends
///   decides the result.
/// - ended: The access can't be cancelled any more: its transaction is committed or rolled back, or
///   is about to be.
final class CancellableAccess: Sendable {
    typealias FailureHandler = @Sendable (any Error) -> Void

    private enum Phase {
        /// The handler is nil until the access is in line.
        case waiting(onFailure: FailureHandler?)
        case running(Cancellation?)
        case ended
    }

    private struct State {
        var phase = Phase.waiting(onFailure: nil)
        /// Whether it was cancelled while it ran.
        var isCancelled = false
    }

    private let state = Locked(State())

    /// Puts the access in line.
    ///
    /// - Parameter onFailure: Called once with the error that ends the waiting.
    /// - Returns: False if the access was cancelled before. `onFailure` has been called then.
    func enqueue(onFailure: @escaping FailureHandler) -> Bool {
        let isWaiting = state.withLock { state in
            guard case .waiting = state.phase else { return false }
            state.phase = .waiting(onFailure: onFailure)
            return true
        }
        if !isWaiting {
            onFailure(CancellationError())
        }
        return isWaiting
    }

    /// Ends the waiting with an error. It does nothing if the access doesn't wait any more.
    func fail(_ error: any Error) {
        let onFailure = state.withLock { state -> FailureHandler? in
            guard case .waiting(let onFailure) = state.phase else { return nil }
            state.phase = .ended
            return onFailure
        }
        onFailure?(error)
    }

    /// Begins to run.
    ///
    /// - Parameter cancellation: Interrupts the connection that the access uses.
    /// - Returns: False if the waiting was ended before.
    func begin(_ cancellation: Cancellation?) -> Bool {
        state.withLock { state in
            guard case .waiting = state.phase else { return false }
            state.phase = .running(cancellation)
            return true
        }
    }

    /// Cancels the access unless it is too late. It may be called from any thread.
    func cancel() {
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
    @discardableResult func end() -> Bool {
        state.withLock { state in
            state.phase = .ended
            return state.isCancelled
        }
    }

    /// Called by a closure that has done something that can't be undone: its result counts, even if
    /// the access was cancelled shortly before.
    func passPointOfNoReturn() {
        state.withLock { $0 = State(phase: .ended) }
    }
}

/// What an access does to the connection around its closure.
@usableFromInline enum AccessKind: Sendable {
    /// Nothing: a transaction may stay open from one closure to the next.
    case raw
    /// No transaction. One that the closure leaves open is rolled back.
    case plain
    /// A deferred transaction.
    case read
    /// A deferred transaction, on a connection that could write and now can't.
    case queryOnly
    /// No transaction, on a connection that could write and now can't.
    case plainQueryOnly
    /// An immediate transaction.
    case write
}

/// One asynchronous access, which can be cancelled until it begins to commit.
///
/// It is answered once: with an error while it waits, by whoever ends the waiting, and later by who
/// runs it.
final class Access: Sendable {
    private enum Phase {
        /// Not in line yet, or in line: the closure answers it.
        case waiting(answer: (@Sendable (any Error) -> Void)?)
        /// Its closure runs: cancelling interrupts it.
        case running(Cancellation?)
        /// Beyond cancelling: committed or rolled back, or about to be.
        case ended
    }

    private struct State {
        var phase = Phase.waiting(answer: nil)
        var isCancelled = false
    }

    private let state = Locked(State())

    /// Begins to wait. False if it was cancelled before, in which case the answer has been given.
    func wait(answer: @escaping @Sendable (any Error) -> Void) -> Bool {
        let isCancelled = state.withLock { state in
            state.phase = state.isCancelled ? .ended : .waiting(answer: answer)
            return state.isCancelled
        }
        if isCancelled {
            answer(CancellationError())
        }
        return !isCancelled
    }

    /// Ends the waiting with an error. Does nothing if it is over.
    func refuse(_ error: any Error) {
        let answer = state.withLock { state -> (@Sendable (any Error) -> Void)? in
            guard case .waiting(let answer?) = state.phase else { return nil }
            state.phase = .ended
            return answer
        }
        answer?(error)
    }

    /// Goes from waiting to running. False if it has been answered.
    func start(_ cancellation: Cancellation?) -> Bool {
        state.withLock { state in
            guard case .waiting = state.phase else { return false }
            state.phase = .running(cancellation)
            return true
        }
    }

    /// Cancels it, if it isn't too late. From any thread.
    func cancel() {
        let answer = state.withLock { state -> (@Sendable (any Error) -> Void)? in
            switch state.phase {
            case .waiting(let answer):
                state.isCancelled = true
                if answer != nil {
                    state.phase = .ended
                }
                return answer
            case .running(let cancellation):
                // Under the lock, so that it can hit nothing that comes after this access.
                state.isCancelled = true
                cancellation?.interrupt(.task)
            case .ended: break
            }
            return nil
        }
        answer?(CancellationError())
    }

    /// Puts it beyond cancelling, before its transaction is ended. Nothing interrupts it any more.
    ///
    /// - Returns: Whether it had been cancelled.
    @discardableResult func end() -> Bool {
        state.withLock { state in
            state.phase = .ended
            return state.isCancelled
        }
    }
}

/// What a closure has put there.
///
/// Public methods put their closure's result into a variable, instead of handing it down: they are
/// inlined into the caller's module, which knows its type, and what is below has no type parameter
/// to look up at run time.
@inlinable func returned<T>(_ result: T?) throws -> T {
    guard let result else {
        throw SQLiteError(code: .internalError, message: "the closure was not called")
    }
    return result
}

extension Connection {
    /// Runs a closure as one access, and leaves the connection as the next one needs it.
    ///
    /// - Parameters:
    ///   - access: What cancels it; nil for a synchronous one.
    ///   - label: The name for errors.
    ///   - preparations: What the connection has to go through before.
    func perform(
        _ kind: AccessKind,
        _ access: Access?,
        label: String,
        preparations: Preparations,
        _ body: (Connection) throws -> Void
    ) throws {
        guard isReadyForAccess() else {
            access?.end()
            try checkObstacles()
            throw unusableError
        }
        if kind != .raw, isInsideTransaction {
            access?.end()
            throw AccessError(
                .transactionLeftOpen,
                label,
                "an earlier execute has left a transaction open: end it"
            )
        }
        ignoresCancellation = false
        let isQueryOnly = kind == .queryOnly || kind == .plainQueryOnly
        if isQueryOnly {
            isForReading = true
        }
        defer { if isQueryOnly { isForReading = false } }
        do {
            try preparations.apply(to: self)
            switch kind {
            case .raw, .plain: try runBody(access, body)
            case .read: try transaction { try runBody(access, body) }
            case .queryOnly:
                try setting(.queryOnly, to: true) { try transaction { try runBody(access, body) } }
            case .plainQueryOnly: try setting(.queryOnly, to: true) { try runBody(access, body) }
            case .write: try transaction(transactionType: .immediate) { try runBody(access, body) }
            }
        } catch {
            let wasCancelled = access?.end() == true
            let reason = cancellation?.reason
            if kind != .raw {
                rollBackLeftovers()
            } else if reason != nil {
                resetStatements()
            }
            throw wasCancelled ? CancellationError() : AccessError.stopped(reason, label) ?? error
        }
        if kind != .raw, rollBackLeftovers() {
            throw AccessError(
                .transactionLeftOpen,
                label,
                "the closure left a transaction open, which was rolled back"
            )
        }
    }

    /// Runs the closure, after which nothing interrupts what ends its transaction.
    @inline(__always) private func runBody(
        _ access: Access?,
        _ body: (Connection) throws -> Void
    ) throws {
        guard let access else { return try lending(body) }
        do {
            try lending(body)
        } catch {
            access.end()
            resetStatements()
            throw error
        }
        if access.end(), !ignoresCancellation {
            resetStatements()
            throw CancellationError()
        }
    }
}

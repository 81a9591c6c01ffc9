import Dispatch

/// A line in which one at a time has its turn, in the order in which they came: threads that wait
/// for it, and blocks that don't hold a thread until then.
///
/// It is a serial dispatch queue whose blocks get a thread even if the program has blocked all of
/// libdispatch's.
final class SerialLine: Sendable {
    typealias Block = @Sendable () -> Void

    private enum Waiter: Sendable {
        case thread(DispatchSemaphore)
        case block(Block)
    }

    private struct State {
        /// Whether one of them has its turn.
        var isTaken = false
        /// The block whose turn it is, until it begins.
        var next: Block?
        var waiting = TicketLine<Waiter>()
    }

    private let state = Locked(State())

    /// Calls `body` on this thread when its turn comes.
    func sync(_ body: () throws -> Void) rethrows {
        takeTurn()
        defer {
            if passOn() {
                start()
            }
        }
        try body()
    }

    /// Calls `block` on another thread when its turn comes.
    ///
    /// - Returns: A ticket to leave the line with; nil if it isn't in line any more.
    @discardableResult func async(_ block: @escaping Block) -> Int? {
        let ticket = state.withLock { state -> Int? in
            guard state.isTaken else {
                state.isTaken = true
                state.next = block
                return nil
            }
            return state.waiting.append(.block(block))
        }
        if ticket == nil {
            start()
        }
        return ticket
    }

    /// Takes a block out of the line, unless its turn has come.
    func leave(_ ticket: Int) {
        // What the block holds is released after the lock.
        let waiter = state.withLock { $0.waiting.remove(ticket) }
        withExtendedLifetime(waiter) {}
    }

    private func takeTurn() {
        let turn = state.withLock { state -> DispatchSemaphore? in
            guard state.isTaken else {
                state.isTaken = true
                return nil
            }
            let turn = DispatchSemaphore(value: 0)
            _ = state.waiting.append(.thread(turn))
            return turn
        }
        turn?.wait()
    }

    /// Gives the turn to the next in line.
    ///
    /// - Returns: Whether the next one is a block.
    private func passOn() -> Bool {
        let (turn, isBlock) = state.withLock { state -> (DispatchSemaphore?, Bool) in
            let waiter = state.waiting.popFirst()
            state.isTaken = waiter != nil
            switch waiter {
            case nil: return (nil, false)
            case .thread(let turn): return (turn, false)
            case .block(let block):
                state.next = block
                return (nil, true)
            }
        }
        turn?.signal()
        return isBlock
    }

    /// Calls the blocks whose turn it is, each of which is released before the next one begins.
    private func start() {
        ThreadGroup.accesses.run {
            repeat {
                self.callNext()
            } while self.passOn()
        }
    }

    private func callNext() {
        if let block = state.withLock({ $0.next.take() }) {
            block()
        }
    }
}

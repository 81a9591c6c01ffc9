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
        var waiting = TicketLine<Waiter>()
    }

    private let state = Locked(State())

    /// Calls `body` on this thread when its turn comes.
    func sync(_ body: () throws -> Void) rethrows {
        takeTurn()
        defer {
            if let block = passOn() {
                start(block)
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
                return nil
            }
            return state.waiting.append(.block(block))
        }
        if ticket == nil {
            start(block)
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
    /// - Returns: The next one if it is a block.
    private func passOn() -> Block? {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            state.isTaken = next != nil
            return next
        }
        switch next {
        case nil: return nil
        case .thread(let turn):
            turn.signal()
            return nil
        case .block(let block): return block
        }
    }

    private func start(_ block: @escaping Block) {
        ThreadGroup.accesses.run {
            var next: Block? = block
            while let block = next {
                block()
                next = self.passOn()
            }
        }
    }
}

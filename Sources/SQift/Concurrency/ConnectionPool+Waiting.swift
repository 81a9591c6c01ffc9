import Foundation

// Waiting for a connection: a thread that blocks, or a task that holds no thread.
extension ConnectionPool {
    /// A caller in line. It is called on the thread that gives a connection back.
    typealias Waiter = @Sendable (Turn) -> Void
    typealias Turn = Result<Slot, any Error>
    typealias Slot = Int

    /// Returns a slot if one is free.
    func requestAtOnce() throws -> Slot? {
        try contents.withLock { contents in
            try gate.check()
            return contents.state.requestAtOnce()
        }
    }

    /// Blocks until it is the caller's turn.
    func waitInLine() throws -> Slot {
        // Waking a thread takes about 5 µs, which is more than most reads. If others are in line,
        // this would let later ones overtake: on a busy machine a yield takes milliseconds.
        for _ in 0..<4 where contents.withLock({ $0.state.waiting.isEmpty }) {
            sched_yield()
            if let slot = try requestAtOnce() {
                return slot
            }
        }

        let semaphore = DispatchSemaphore(value: 0)
        let turn = Locked<Turn?>(nil)
        request { result in
            turn.withLock { $0 = result }
            semaphore.signal()
        }
        semaphore.wait()
        return try returned(turn.value).get()
    }

    func enqueue(_ access: AsyncAccess) {
        request { result in
            switch result {
            case .success(let slot):
                self.lanes[slot].queue.async {
                    if !access.begin(in: slot) {
                        self.giveBack(slot)
                    }
                }
            case .failure(let error): access.fail(error)
            }
        }
    }

    /// Asks for a connection, and gets in line if none is free.
    ///
    /// - Parameter waiter: Called once.
    private func request(_ waiter: @escaping Waiter) {
        var ticket: Int?
        let turn: Turn? = contents.withLock { contents in
            if let refusal = gate.refusal {
                return .failure(refusal)
            }
            if let slot = contents.state.requestAtOnce() {
                return .success(slot)
            }
            ticket = contents.state.wait(waiter)
            return nil
        }
        if let turn {
            return waiter(turn)
        }

        guard let ticket, let timeout = acquisitionTimeout else { return }
        timerQueue.asyncAfter(deadline: .now() + timeout) { [weak self] in
            guard let self, let waiter = contents.withLock({ $0.state.withdraw(ticket) }) else {
                return
            }
            let error = AccessError(
                .poolExhausted,
                label: gate.label,
                """
                all \(maximumConnectionCount) connections stayed in use for \(timeout) s: close \
                long snapshots, or raise the maximum count of connections or readers
                """
            )
            waiter(.failure(error))
        }
    }
}

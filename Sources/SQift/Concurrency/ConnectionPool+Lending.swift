import Foundation

// How connections go to closures and come back: what PoolState decides is done here.
extension ConnectionPool {
    func borrow() throws -> (PoolState.Slot, Connection) {
        let thread = currentThread
        guard isShareable else { throw notShareable }
        if writer?.value == thread {
            throw AccessError.reentrant(source.label)
        }
        let (slot, connection) = try contents.withLock {
            contents -> (PoolState.Slot?, Connection?) in
            if contents.owners.contains(thread) {
                throw AccessError.reentrant(source.label)
            }
            guard let slot = contents.state.requestAtOnce() else { return (nil, nil) }
            contents.owners[slot] = thread
            lentCount.value = UInt(contents.state.lentCount)
            return (slot, contents.connections[slot])
        }
        if let slot, let connection {
            return (slot, connection)
        }
        return try take(slot ?? waitInLine(), thread)
    }

    /// Blocks until it is the caller's turn.
    private func waitInLine() throws -> PoolState.Slot {
        // A hand-over to a thread that sleeps costs about 5 µs, more than most reads. Nobody is
        // overtaken: who is in line has what comes back.
        for _ in 0..<4 {
            sched_yield()
            if let slot = contents.withLock({ $0.state.requestAtOnce() }) {
                return slot
            }
        }
        let semaphore = DispatchSemaphore(value: 0)
        let turn = Locked<Result<PoolState.Slot, any Error>>(.failure(exhausted))
        let reply = request { result in
            turn.withLock { $0 = result }
            semaphore.signal()
        }
        switch reply {
        case .grant(let slot): return slot
        case .refusal(let phase): throw AccessError.stopped(phase, source.label)
        case .wait(let ticket):
            let deadline: DispatchTime = acquisitionTimeout.map { .now() + $0 } ?? .distantFuture
            if semaphore.wait(timeout: deadline) == .timedOut {
                // Otherwise its turn has just come.
                if !withdraw(ticket) {
                    semaphore.wait()
                }
            }
            return try turn.withLock { $0 }.get()
        }
    }

    /// Runs an asynchronous access when its turn comes. `run` answers with what remains to be done
    /// once the connection is back.
    func enqueue(
        _ access: Access,
        answer: @escaping @Sendable (any Error) -> Void,
        run: @escaping @Sendable (Connection) -> @Sendable () -> Void
    ) {
        let ticket = Locked<PoolState.Ticket?>(nil)
        let isWaiting = access.wait { error in
            // Otherwise its turn would come, and pass.
            if let ticket = ticket.withLock({ $0 }) {
                _ = self.withdraw(ticket)
            }
            answer(error)
        }
        guard isWaiting else { return }
        guard isShareable else { return access.refuse(notShareable) }
        let reply = request { result in
            switch result {
            case .success(let slot): self.start(access, slot, run)
            case .failure(let error): access.refuse(error)
            }
        }
        switch reply {
        case .grant(let slot): start(access, slot, run)
        case .refusal(let phase): access.refuse(AccessError.stopped(phase, source.label))
        case .wait(let number):
            ticket.withLock { $0 = number }
            if let acquisitionTimeout {
                timerQueue.asyncAfter(deadline: .now() + acquisitionTimeout) {
                    [weak self, weak access] in
                    guard let self, let access, self.withdraw(number) else { return }
                    access.refuse(self.exhausted)
                }
            }
        }
    }

    private func start(
        _ access: Access,
        _ slot: PoolState.Slot,
        _ run: @escaping @Sendable (Connection) -> @Sendable () -> Void
    ) {
        queues[slot].async {
            do {
                let (slot, connection) = try self.take(slot, currentThread)
                guard access.start(connection.cancellation) else {
                    return self.giveBack(slot, connection)
                }
                let finish = run(connection)
                self.giveBack(slot, connection)
                finish()
            } catch {
                access.refuse(error)
            }
        }
    }

    /// Asks for a connection, and gets in line where there is none.
    private func request(_ waiter: @escaping Waiter) -> PoolState.Reply {
        contents.withLock { contents in
            let reply = contents.state.request()
            if case .wait(let ticket) = reply {
                contents.waiters[ticket] = waiter
            }
            return reply
        }
    }

    private func withdraw(_ ticket: PoolState.Ticket) -> Bool {
        contents.withLock { contents in
            contents.waiters[ticket] = nil
            return contents.state.withdraw(ticket)
        }
    }

    /// The connection that was granted, opened if need be.
    private func take(_ slot: PoolState.Slot, _ thread: UInt) throws -> (PoolState.Slot, Connection)
    {
        let (present, cancellation) = contents.withLock { contents -> (Connection?, Cancellation) in
            contents.owners[slot] = thread
            lentCount.value = UInt(contents.state.lentCount)
            return (contents.connections[slot], contents.cancellations[slot])
        }
        if let present {
            return (slot, present)
        }
        do {
            let connection = try source.open(cancellation)
            if connection.isDatabasePrivate {
                throw notShareable
            }
            try contents.withLock { contents in
                guard contents.state.phase == .open else {
                    throw AccessError.stopped(contents.state.phase, source.label)
                }
                contents.connections[slot] = connection
            }
            return (slot, connection)
        } catch {
            let reason = cancellation.reason
            settle(slot, isUsable: false)
            throw AccessError.stopped(reason, source.label) ?? error
        }
    }

    func giveBack(_ slot: PoolState.Slot, _ connection: Connection) {
        if !settle(
            slot,
            isUsable: connection.isAtRest && !connection.isClosed && !connection.isLent
        ) {
            close(slot)
        }
    }

    /// Closes a connection that nobody else can have, before the pool counts as idle: so that the
    /// last connection to the file can be the one that writes.
    func close(_ slot: PoolState.Slot) {
        let connection = contents.withLock { contents in
            defer { contents.connections[slot] = nil }
            return contents.connections[slot]
        }
        try? connection?.close()
        settle(slot, isUsable: false)
    }

    /// Ends a loan. Answers false, and does nothing, if there is a connection to be closed first.
    @discardableResult private func settle(_ slot: PoolState.Slot, isUsable: Bool) -> Bool {
        let (isDone, waiter, turn, observers) = contents.withLock {
            contents -> (Bool, Waiter?, PoolState.Turn?, [@Sendable () -> Void]) in
            let isPresent = contents.connections[slot] != nil
            if isPresent, !isUsable || contents.state.phase == .closed {
                return (false, nil, nil, [])
            }
            contents.owners[slot] = 0
            contents.cancellations[slot].clear()
            if let turn = contents.state.giveBack(slot, isUsable: isUsable) {
                return (true, contents.waiters.removeValue(forKey: turn.ticket), turn, [])
            }
            if !contents.isDrainPlanned, contents.state.hasSurplus {
                contents.isDrainPlanned = true
                contents.state.beginDrainPeriod()
                planDrain()
            }
            lentCount.value = UInt(contents.state.lentCount)
            guard contents.state.lentCount == 0, !contents.idleObservers.isEmpty else {
                return (true, nil, nil, [])
            }
            defer { contents.idleObservers = [] }
            return (true, nil, nil, contents.idleObservers)
        }
        if let waiter, let turn {
            waiter(.success(turn.slot))
        }
        for observer in observers {
            observer()
        }
        return isDone
    }

    var notShareable: AccessError {
        AccessError(
            .notShareable,
            source.label,
            "each connection would see an empty database of its own: use a ConnectionQueue, or .uri(\"file:/name?vfs=memdb\")"
        )
    }

    private var exhausted: AccessError {
        AccessError(
            .poolExhausted,
            source.label,
            "all \(maximumConnectionCount) connections stayed in use for \(acquisitionTimeout ?? 0) s"
        )
    }
}

import Foundation

// How connections go to closures and come back: what PoolState decides is done here.
extension ConnectionPool {
    func borrow() throws -> (PoolState.Slot, Connection) {
        let thread = currentThread
        guard isShareable else { throw notShareable }
        if writer?.value == thread { throw AccessError.reentrant(source.label) }
        let (grant, connection) = try contents.withLock { contents -> (PoolState.Grant?, Connection?) in
            if contents.owners.contains(thread) { throw AccessError.reentrant(source.label) }
            guard let grant = contents.state.requestAtOnce() else { return (nil, nil) }
            contents.owners[grant.slot] = thread
            return (grant, contents.connections[grant.slot])
        }
        if let grant, let connection { return (grant.slot, connection) }
        return try take(grant ?? waitInLine(), thread)
    }

    /// Blocks until it is the caller's turn.
    private func waitInLine() throws -> PoolState.Grant {
        // A hand-over to a thread that sleeps costs about 5 µs, more than most reads. Nobody is overtaken: who is in line has
        // what comes back.
        for _ in 0..<4 {
            sched_yield()
            if let grant = contents.withLock({ $0.state.requestAtOnce() }) { return grant }
        }
        let semaphore = DispatchSemaphore(value: 0)
        let turn = Locked<Result<PoolState.Grant, any Error>?>(nil)
        let reply = request { result in
            turn.withLock { $0 = result }
            semaphore.signal()
        }
        switch reply {
        case .grant(let grant): return grant
        case .refusal(let phase): throw AccessError.stopped(phase, source.label)
        case .wait(let ticket):
            let deadline: DispatchTime = acquisitionTimeout.map { .now() + $0 } ?? .distantFuture
            if semaphore.wait(timeout: deadline) == .timedOut {
                if withdraw(ticket) { throw exhausted }
                semaphore.wait()
            }
            return try turn.withLock { try $0?.get() } ?? waitInLine()
        }
    }

    /// Runs an asynchronous access when its turn comes. `run` answers with what remains to be done once the connection is back.
    func enqueue(
        _ access: Access,
        answer: @escaping @Sendable (any Error) -> Void,
        run: @escaping @Sendable (Connection) -> @Sendable () -> Void
    ) {
        let ticket = Locked<PoolState.Ticket?>(nil)
        let isWaiting = access.wait { error in
            // Otherwise its turn would come, and pass.
            if let ticket = ticket.withLock({ $0 }) { _ = self.withdraw(ticket) }
            answer(error)
        }
        guard isWaiting else { return }
        guard isShareable else { return access.refuse(notShareable) }
        let reply = request { result in
            switch result {
            case .success(let grant): self.start(access, grant, run)
            case .failure(let error): access.refuse(error)
            }
        }
        switch reply {
        case .grant(let grant): start(access, grant, run)
        case .refusal(let phase): access.refuse(AccessError.stopped(phase, source.label))
        case .wait(let number):
            ticket.withLock { $0 = number }
            if let acquisitionTimeout {
                queue.asyncAfter(deadline: .now() + acquisitionTimeout) { access.refuse(self.exhausted) }
            }
        }
    }

    private func start(
        _ access: Access,
        _ grant: PoolState.Grant,
        _ run: @escaping @Sendable (Connection) -> @Sendable () -> Void
    ) {
        queue.async {
            do {
                let (slot, connection) = try self.take(grant, currentThread)
                do {
                    try self.source.laterPreparations.apply(to: connection)
                } catch {
                    self.giveBack(slot, connection)
                    throw error
                }
                guard access.start(connection.interruptor) else { return self.giveBack(slot, connection) }
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
            if case .wait(let ticket) = reply { contents.waiters[ticket] = waiter }
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
    private func take(_ grant: PoolState.Grant, _ thread: UInt) throws -> (PoolState.Slot, Connection) {
        let slot = grant.slot
        let present = contents.withLock { contents -> Connection? in
            contents.owners[slot] = thread
            return contents.connections[slot]
        }
        if let present { return (slot, present) }
        do {
            let connection = try source.open()
            try contents.withLock { contents in
                guard contents.state.phase == .open else {
                    throw AccessError.stopped(contents.state.phase, source.label)
                }
                contents.connections[slot] = connection
            }
            return (slot, connection)
        } catch {
            settle(slot, isUsable: false)
            throw error
        }
    }

    func giveBack(_ slot: PoolState.Slot, _ connection: Connection) {
        if settle(slot, isUsable: connection.isAtRest && !connection.isClosed, connection) { return }
        // Closed before the pool counts as idle, so that the last connection to the file can be another's.
        contents.withLock { $0.connections[slot] = nil }
        try? connection.close()
        settle(slot, isUsable: false)
    }

    /// Ends a loan. Answers false, and does nothing, if the connection has to be closed first.
    @discardableResult
    func settle(_ slot: PoolState.Slot, isUsable: Bool, _ connection: Connection? = nil) -> Bool {
        let (isDone, waiter, turn, observers) = contents.withLock {
            contents -> (Bool, Waiter?, PoolState.Turn?, [@Sendable () -> Void]) in
            if connection != nil, !isUsable || contents.state.phase == .closed { return (false, nil, nil, []) }
            contents.owners[slot] = 0
            connection?.clearCancellation()
            if case .passedOn(let turn) = contents.state.giveBack(slot, isUsable: isUsable) {
                return (true, contents.waiters.removeValue(forKey: turn.ticket), turn, [])
            }
            if !contents.isDrainPlanned, contents.state.hasSurplus {
                contents.isDrainPlanned = true
                contents.state.beginDrainPeriod()
                planDrain()
            }
            guard contents.state.lentCount == 0, !contents.idleObservers.isEmpty else { return (true, nil, nil, []) }
            defer { contents.idleObservers = [] }
            return (true, nil, nil, contents.idleObservers)
        }
        if let waiter, let turn { waiter(.success(turn.grant)) }
        for observer in observers { observer() }
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

import Foundation

/// Hands the changes of a database's connection that writes to everybody who listens.
final class ChangeHub: Sendable {
    private struct State {
        var buffers: [Int: ChangeBuffer] = [:]
        var timers: [Int: any DispatchSourceTimer] = [:]
        var listenerCount = 0
        var isClosed = false
    }

    private let state = Locked(State())
    /// 1 while somebody listens. Each access that writes reads it, without the lock.
    private let isListening = AtomicWords(count: 1)

    // MARK: Listeners

    /// - Returns: The listener's number.
    func add(_ buffer: ChangeBuffer) -> Int {
        state.withLock { state in
            state.listenerCount += 1
            guard !state.isClosed else {
                buffer.end()
                return state.listenerCount
            }
            state.buffers[state.listenerCount] = buffer
            isListening[0] = 1
            return state.listenerCount
        }
    }

    /// - Returns: The listener's buffer.
    @discardableResult func remove(_ number: Int) -> ChangeBuffer? {
        let (buffer, timer) = state.withLock { state in
            let buffer = state.buffers.removeValue(forKey: number)
            isListening[0] = state.buffers.isEmpty ? 0 : 1
            return (buffer, state.timers.removeValue(forKey: number))
        }
        timer?.cancel()
        buffer?.end()
        return buffer
    }

    /// Ends all listening.
    func close() {
        let numbers = state.withLock { state in
            state.isClosed = true
            return state.buffers.keys
        }
        for number in numbers {
            remove(number)
        }
    }

    /// Keeps the timer until `remove` cancels it: at once, if the listener was removed meanwhile.
    func keep(_ timer: any DispatchSourceTimer, for number: Int) {
        let isRemoved = state.withLock { state in
            state.timers[number] = timer
            return state.buffers[number] == nil
        }
        if isRemoved {
            remove(number)
        }
    }

    // MARK: Changes

    func reportCommitOfOthers(to number: Int) {
        var changes = TableChanges()
        changes.includesAllTables = true
        changes.isExternal = true
        state.withLock { $0.buffers[number] }?.add(changes)
    }

    func publish(_ changes: TableChanges) {
        for buffer in state.withLock({ $0.buffers.values }) {
            buffer.add(changes)
        }
    }

    // MARK: Accesses of the connection that writes

    @Sendable func beforeAccess(_ connection: Connection) {
        let isWanted = isListening[0] != 0
        if isWanted != connection.isPublishingChanges {
            connection.publishChanges(to: isWanted ? { [weak self] in self?.publish($0) } : nil)
        }
    }

    @Sendable func afterAccess(_ connection: Connection) {
        // Somebody began to listen during the access. What it has written isn't known.
        if isListening[0] != 0, !connection.isPublishingChanges {
            var changes = TableChanges()
            changes.includesAllTables = true
            publish(changes)
        }
    }
}

import Dispatch

/// The decisions of a pool: which access gets which connection, and when. It has no locks, no
/// clock and no SQLite.
///
/// A slot holds one connection, from before it is opened until after it is closed. A caller that
/// finds no free slot takes a ticket and waits. Tickets are served in their order, and nothing
/// overtakes them.
///
///     vacant -- requestAtOnce -------------------> lent -- giveBack -----------> idle
///     idle ---- requestAtOnce, takeIdle, drain --> lent -- giveBack, unusable -> vacant
///
/// A waiter is what a caller leaves behind for its turn.
struct PoolState<Waiter> {
    typealias Slot = Int
    typealias Ticket = Int

    private let maximum: Int
    /// The slots with a connection that isn't in use. The slot that came back last is lent first,
    /// so that the connections that aren't needed stay at the beginning.
    private(set) var idle: [Slot] = []
    /// The slots without a connection.
    private var vacant: [Slot]
    private var line = TicketLine<(waiter: Waiter, deadline: DispatchTime)>()
    /// How many of the idle connections haven't been needed since the last drain.
    private var unneeded = 0

    init(maximum: Int) {
        self.maximum = maximum
        vacant = (0..<maximum).reversed()
    }

    /// How many slots are lent: their connection is in use, or is being opened or closed.
    var lentCount: Int { maximum - idle.count - vacant.count }

    /// Returns a slot if one is free, and nil if the caller would have to wait.
    mutating func requestAtOnce() -> Slot? {
        if let slot = idle.popLast() {
            unneeded = min(unneeded, idle.count)
            return slot
        }
        // No caller waits while a slot is free: `giveBack` hands each slot to the line first.
        return vacant.popLast()
    }

    /// Returns a ticket, after no slot was free. All callers wait equally long, so the deadline of
    /// the first in line is the next.
    mutating func wait(_ waiter: Waiter, until deadline: DispatchTime = .distantFuture) -> Ticket {
        line.append((waiter, deadline))
    }

    /// Whether no caller waits.
    var isLineEmpty: Bool { line.isEmpty }

    /// When the first in line gives up.
    var nextDeadline: DispatchTime? {
        mutating get { line.first?.deadline }
    }

    /// Takes those out of the line whose deadline has passed.
    mutating func takeExpired(at now: DispatchTime) -> [Waiter] {
        var expired: [Waiter] = []
        while let deadline = nextDeadline, deadline <= now, let first = line.popFirst() {
            expired.append(first.waiter)
        }
        return expired
    }

    /// Takes a slot back.
    ///
    /// - Parameter isUsable: False if the slot has no connection: it was closed, or wasn't opened.
    /// - Returns: The waiter of the caller that gets the slot next, if one waits. It may use the
    ///   slot's connection, or open one if the slot has none.
    mutating func giveBack(_ slot: Slot, isUsable: Bool) -> Waiter? {
        assert(!idle.contains(slot) && !vacant.contains(slot), "a slot is given back once")
        if let next = line.popFirst() {
            return next.waiter
        }
        if isUsable {
            idle.append(slot)
        } else {
            vacant.append(slot)
        }
        return nil
    }

    /// Gives up waiting.
    ///
    /// - Returns: Nil if the ticket's turn has come already.
    mutating func withdraw(_ ticket: Ticket) -> Waiter? {
        line.remove(ticket)?.waiter
    }

    /// Whether a later drain may find a connection to close.
    var hasSurplus: Bool { !idle.isEmpty && idle.count + lentCount > 1 }

    /// Begins to count which idle connections are needed.
    mutating func beginDrainPeriod() {
        unneeded = idle.count
    }

    /// Lends the idle connections that haven't been needed since the last drain, but never the
    /// pool's last connection. The caller closes them and gives their slots back before the next
    /// drain, which would count them as connections.
    mutating func drain() -> [Slot] {
        let count = max(0, min(unneeded, idle.count + lentCount - 1))
        // An array with memory of its own. The caller reads it without the lock, which the Thread
        // Sanitizer would take for a race if it shared the memory of `idle`.
        let slots = idle.prefix(count).map { $0 }
        idle.removeFirst(count)
        beginDrainPeriod()
        return slots
    }

    /// Lends all idle connections. The caller uses or closes them, and gives each slot back.
    mutating func takeIdle() -> [Slot] {
        let slots = idle
        idle = []
        unneeded = 0
        return slots
    }

    /// Ends all waiting.
    mutating func endWaiting() -> [Waiter] {
        line.removeAll().map(\.waiter)
    }
}

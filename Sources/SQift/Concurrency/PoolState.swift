/// The decisions of a pool: which access gets which connection, and when. It has no locks, no
/// clocks and no SQLite.
///
/// A slot holds one connection, from before it is opened until after it is closed. A caller that
/// finds no free slot takes a ticket and waits. Tickets are served in their order, and nothing
/// overtakes them.
///
///     vacant -- request ---------------------> lent -- giveBack -----------> idle
///     idle ---- request, takeIdle, drain ----> lent -- giveBack, unusable -> vacant
struct PoolState {
    typealias Slot = Int
    typealias Ticket = Int

    enum Reply: Hashable {
        case grant(Slot)
        case wait(Ticket)
        case refusal(Availability)
    }

    private(set) var availability = Availability.open
    /// The slots with a connection that isn't in use. The slot that came back last is lent first,
    /// so that the connections that aren't needed stay at the beginning.
    private(set) var idle: [Slot] = []
    /// The slots without a connection.
    private var vacant: [Slot]
    private(set) var waiting: [Ticket] = []
    /// How many slots are lent: their connection is in use, or is being opened or closed.
    private(set) var lentCount = 0
    /// The lent slots whose connection is being closed.
    private var closing: Set<Slot> = []
    private var lastTicket: Ticket = 0
    /// How many of the idle connections haven't been needed since the last drain.
    private var unneeded = 0

    init(maximum: Int) {
        vacant = Array((0..<maximum).reversed())
        idle.reserveCapacity(maximum)
    }

    /// Returns a slot if one is free, and nil if the caller would have to wait.
    mutating func requestAtOnce() -> Slot? {
        guard availability == .open else { return nil }
        if let slot = idle.popLast() {
            lentCount += 1
            if idle.count < unneeded {
                unneeded = idle.count
            }
            return slot
        }
        // Nobody waits while a slot is free: `giveBack` hands each slot to the line first.
        guard let slot = vacant.popLast() else { return nil }
        lentCount += 1
        return slot
    }

    /// Returns a slot, or a ticket if none is free.
    mutating func request() -> Reply {
        guard availability == .open else { return .refusal(availability) }
        if let slot = requestAtOnce() {
            return .grant(slot)
        }
        lastTicket += 1
        waiting.append(lastTicket)
        return .wait(lastTicket)
    }

    /// Takes a slot back.
    ///
    /// - Parameter isUsable: False if the slot has no connection: it was closed, or wasn't opened.
    /// - Returns: The ticket of the caller that gets the slot next, if one waits. It may use the
    ///   slot's connection, or open one if the slot has none.
    mutating func giveBack(_ slot: Slot, isUsable: Bool) -> Ticket? {
        if !closing.isEmpty {
            closing.remove(slot)
        }
        if !waiting.isEmpty {
            return waiting.removeFirst()
        }
        lentCount -= 1
        if isUsable, availability != .closed {
            idle.append(slot)
        } else {
            vacant.append(slot)
        }
        return nil
    }

    /// Gives up waiting.
    ///
    /// - Returns: False if the ticket's turn has come already.
    mutating func withdraw(_ ticket: Ticket) -> Bool {
        guard let position = waiting.firstIndex(of: ticket) else { return false }
        waiting.remove(at: position)
        return true
    }

    /// Whether a later drain may find a connection to close.
    var hasSurplus: Bool { !idle.isEmpty && idle.count + lentCount - closing.count > 1 }

    /// Begins to count which idle connections are needed.
    mutating func beginDrainPeriod() {
        unneeded = idle.count
    }

    /// Lends the idle connections that haven't been needed since the last drain, but never the
    /// pool's last connection. The caller closes them and gives their slots back.
    mutating func drain() -> [Slot] {
        let count = max(0, min(unneeded, idle.count + lentCount - closing.count - 1))
        let slots = copy(idle.prefix(count))
        idle.removeFirst(count)
        lentCount += count
        closing.formUnion(slots)
        beginDrainPeriod()
        return slots
    }

    /// Lends all idle connections. The caller uses or closes them, and gives each slot back.
    mutating func takeIdle() -> [Slot] {
        let slots = copy(idle[...])
        idle.removeAll(keepingCapacity: true)
        lentCount += slots.count
        unneeded = 0
        return slots
    }

    /// An array with memory of its own. The caller reads it without the lock, which the Thread
    /// Sanitizer would take for a race if it shared the memory of `idle`.
    private func copy(_ slots: ArraySlice<Slot>) -> [Slot] {
        slots.map { $0 }
    }

    /// Refuses requests from now on, also those that wait.
    ///
    /// - Returns: The tickets that waited.
    mutating func stop(_ newValue: Availability) -> [Ticket] {
        availability.stop(newValue)
        defer { waiting.removeAll() }
        return waiting
    }

    /// Ends a suspension.
    mutating func resume() {
        availability.resume()
    }
}

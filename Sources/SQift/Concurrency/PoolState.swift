/// The decisions of a pool, without locks, clocks or SQLite: who gets which connection, and when.
///
/// A connection has a slot from when it may be opened until it was closed. Who finds none waits
/// under a ticket; tickets are served first come, first served, and nobody overtakes one.
struct PoolState {
    typealias Slot = Int
    typealias Ticket = Int

    /// Whose turn it is, and which slot's connection he may use, or open where there is none.
    struct Turn: Hashable {
        let ticket: Ticket
        let slot: Slot
    }

    enum Reply: Hashable {
        case grant(Slot)
        case wait(Ticket)
        case refusal(Phase)
    }

    enum Phase: Hashable { case open, suspended, closed }

    private(set) var phase = Phase.open
    /// The idle connections; the one that came back last is lent first, so that a surplus stays at
    /// the beginning.
    private(set) var idle: [Slot] = []
    /// The slots without a connection.
    private var vacant: [Slot]
    private(set) var waiting: [Ticket] = []
    /// How many slots somebody has: to use their connection, to open it or to close it.
    private(set) var lentCount = 0
    /// Those of them whose connection is being closed.
    private var closing: Set<Slot> = []
    private var lastTicket: Ticket = 0
    /// How many of the idle connections weren't needed since the last drain.
    private var unneeded = 0

    init(maximum: Int) {
        vacant = Array((0..<maximum).reversed())
        idle.reserveCapacity(maximum)
    }

    /// A connection for one who doesn't wait, nil where he would have to.
    mutating func requestAtOnce() -> Slot? {
        guard phase == .open else { return nil }
        if let slot = idle.popLast() {
            lentCount += 1
            if idle.count < unneeded {
                unneeded = idle.count
            }
            return slot
        }
        guard waiting.isEmpty, let slot = vacant.popLast() else { return nil }
        lentCount += 1
        return slot
    }

    mutating func request() -> Reply {
        guard phase == .open else { return .refusal(phase) }
        if let slot = requestAtOnce() {
            return .grant(slot)
        }
        lastTicket += 1
        waiting.append(lastTicket)
        return .wait(lastTicket)
    }

    /// Takes a connection back. One that isn't usable, or never came to be, leaves its slot.
    /// Answers who has the slot next, if anybody waits.
    mutating func giveBack(_ slot: Slot, isUsable: Bool) -> Turn? {
        if !closing.isEmpty {
            closing.remove(slot)
        }
        if !waiting.isEmpty {
            return Turn(ticket: waiting.removeFirst(), slot: slot)
        }
        lentCount -= 1
        if isUsable, phase != .closed { idle.append(slot) } else { vacant.append(slot) }
        return nil
    }

    /// Gives up waiting. False if the ticket's turn has come already.
    mutating func withdraw(_ ticket: Ticket) -> Bool {
        guard let position = waiting.firstIndex(of: ticket) else { return false }
        waiting.remove(at: position)
        return true
    }

    /// Whether a drain, later, may find something.
    var hasSurplus: Bool { !idle.isEmpty && idle.count + lentCount - closing.count > 1 }

    /// Begins to look which idle connections are needed.
    mutating func beginDrainPeriod() {
        unneeded = idle.count
    }

    /// Takes those out that weren't needed since the last drain, down to one connection, to be
    /// closed and given back.
    mutating func drain() -> [Slot] {
        let count = max(0, min(unneeded, idle.count + lentCount - closing.count - 1))
        let slots = Array(idle.prefix(count))
        idle.removeFirst(count)
        lentCount += count
        closing.formUnion(slots)
        beginDrainPeriod()
        return slots
    }

    /// Whether somebody has the connection, or opens or closes it.
    func isLent(_ slot: Slot) -> Bool {
        !idle.contains(slot) && !vacant.contains(slot)
    }

    /// Takes the idle connections out, to use or to close them; each must be given back.
    mutating func takeIdle() -> [Slot] {
        let slots = idle
        idle.removeAll(keepingCapacity: true)
        lentCount += slots.count
        unneeded = 0
        return slots
    }

    /// Refuses requests from now on, those in line too.
    mutating func stop(_ newPhase: Phase) -> [Ticket] {
        if phase != .closed {
            phase = newPhase
        }
        defer { waiting.removeAll() }
        return waiting
    }

    mutating func resume() {
        if phase == .suspended {
            phase = .open
        }
    }
}

/// The decisions of a pool, without locks, clocks or SQLite: who gets which connection, and when.
///
/// A connection has a slot from when it may be opened until it was closed. Who finds none waits under a ticket; tickets are
/// served first come, first served, and nobody overtakes one.
struct PoolState {
    typealias Slot = Int
    typealias Ticket = Int

    /// What one who asked may do.
    enum Grant: Hashable, Sendable {
        /// Use the connection in this slot.
        case use(Slot)
        /// Open one for this slot, and use it.
        case open(Slot)

        var slot: Slot {
            switch self {
            case .use(let slot), .open(let slot): slot
            }
        }
    }

    /// A grant for somebody who waited.
    struct Turn: Hashable {
        let ticket: Ticket
        let grant: Grant
    }

    enum Reply: Hashable {
        case grant(Grant)
        case wait(Ticket)
        case refusal(Phase)
    }

    /// What follows when a connection comes back.
    enum Return: Hashable {
        /// It is idle now.
        case kept
        /// The next in line has it, or may open another one in its place.
        case passedOn(Turn)
        /// It is to be closed, if it is there, and nobody waits.
        case dropped
    }

    enum Phase: Hashable { case open, suspended, closed }

    private(set) var phase = Phase.open
    /// The idle connections; the one that came back last is lent first, so that a surplus stays at the beginning.
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
    mutating func requestAtOnce() -> Grant? {
        guard phase == .open else { return nil }
        if let slot = idle.popLast() {
            lentCount += 1
            if idle.count < unneeded { unneeded = idle.count }
            return .use(slot)
        }
        guard waiting.isEmpty, let slot = vacant.popLast() else { return nil }
        lentCount += 1
        return .open(slot)
    }

    mutating func request() -> Reply {
        guard phase == .open else { return .refusal(phase) }
        if let grant = requestAtOnce() { return .grant(grant) }
        lastTicket += 1
        waiting.append(lastTicket)
        return .wait(lastTicket)
    }

    /// Takes a connection back. One that isn't usable, or never came to be, leaves its slot.
    mutating func giveBack(_ slot: Slot, isUsable: Bool) -> Return {
        if !closing.isEmpty { closing.remove(slot) }
        if !waiting.isEmpty {
            return .passedOn(Turn(ticket: waiting.removeFirst(), grant: isUsable ? .use(slot) : .open(slot)))
        }
        lentCount -= 1
        if isUsable, phase != .closed {
            idle.append(slot)
            return .kept
        }
        vacant.append(slot)
        return .dropped
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
    mutating func beginDrainPeriod() { unneeded = idle.count }

    /// Takes those out that weren't needed since the last drain, down to one connection, to be closed and given back.
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
    func isLent(_ slot: Slot) -> Bool { !idle.contains(slot) && !vacant.contains(slot) }

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
        if phase != .closed { phase = newPhase }
        defer { waiting.removeAll() }
        return waiting
    }

    mutating func resume() { if phase == .suspended { phase = .open } }
}

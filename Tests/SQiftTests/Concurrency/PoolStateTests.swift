// `PoolState` says who gets which connection, without threads.
import SQiftTestSupport
import Testing

@testable import SQift

/// Each waiter is the number of its own ticket.
private typealias PoolState = SQift.PoolState<Int>

/// What a caller of a pool gets.
private enum Reply: Hashable {
    case grant(PoolState.Slot)
    case wait(PoolState.Ticket)
}

/// A pool's state by reference, since what `#expect` is given can't be changed in place.
@dynamicMemberLookup
private final class Pool {
    private var state: PoolState
    private var lastTicket = 0

    init(maximum: Int) {
        state = PoolState(maximum: maximum)
    }

    subscript<Value>(dynamicMember path: KeyPath<PoolState, Value>) -> Value {
        state[keyPath: path]
    }

    func request() -> Reply {
        if let slot = state.requestAtOnce() {
            return .grant(slot)
        }
        lastTicket += 1
        let ticket = state.wait(lastTicket)
        #expect(ticket == lastTicket)
        return .wait(ticket)
    }
    func requestAtOnce() -> PoolState.Slot? {
        state.requestAtOnce()
    }
    func withdraw(_ ticket: PoolState.Ticket) -> Bool {
        state.withdraw(ticket) == ticket
    }
    func beginDrainPeriod() {
        state.beginDrainPeriod()
    }
    func drain() -> [PoolState.Slot] {
        state.drain()
    }

    func giveBack(_ slot: PoolState.Slot, isUsable: Bool) -> PoolState.Ticket? {
        state.giveBack(slot, isUsable: isUsable)
    }
}

/// Examples of what a pool does. `PoolStateModelTests` tries everything that a small one can do.
struct PoolStateTests {
    private func granted(_ reply: Reply) throws -> PoolState.Slot {
        guard case .grant(let slot) = reply else {
            throw TestError(reason: "not granted: \(reply)")
        }
        return slot
    }

    private func ticket(_ reply: Reply) throws -> PoolState.Ticket {
        guard case .wait(let ticket) = reply else {
            throw TestError(reason: "nothing to wait for: \(reply)")
        }
        return ticket
    }

    /// A pool whose connections are all idle, the one of the last slot in the list on top.
    private func idlePool(of count: Int) throws -> (state: Pool, slots: [PoolState.Slot]) {
        let state = Pool(maximum: count)
        let slots = try (0..<count).map { _ in try granted(state.request()) }
        for slot in slots {
            #expect(state.giveBack(slot, isUsable: true) == nil)
        }
        return (state, slots)
    }

    // MARK: Lending

    @Test func whatCameBackLastIsLentFirst() throws {
        let (state, slots) = try idlePool(of: 3)
        #expect(try granted(state.request()) == slots[2])
        #expect(state.requestAtOnce() == slots[1])
        #expect(try granted(state.request()) == slots[0])
        #expect(state.requestAtOnce() == nil)
    }

    @Test func aBrokenConnectionLeavesItsSlotToANewOne() throws {
        let state = Pool(maximum: 1)
        let slot = try granted(state.request())
        #expect(state.giveBack(slot, isUsable: false) == nil)
        #expect(state.lentCount == 0)
        #expect(state.idle.isEmpty)
        #expect(try granted(state.request()) == slot)
    }

    // MARK: Waiting

    @Test func whoFindsNoneWaitsAndIsServedInOrder() throws {
        let state = Pool(maximum: 1)
        let slot = try granted(state.request())
        let first = try ticket(state.request())
        let second = try ticket(state.request())
        #expect(state.waiting.map(\.ticket) == [first, second])
        #expect(state.giveBack(slot, isUsable: true) == first)
        #expect(state.giveBack(slot, isUsable: true) == second)
        #expect(state.lentCount == 1)
        #expect(state.giveBack(slot, isUsable: true) == nil)
    }

    @Test func whoWithdrawsGetsNoTurn() throws {
        let state = Pool(maximum: 1)
        let slot = try granted(state.request())
        let first = try ticket(state.request())
        let second = try ticket(state.request())
        let third = try ticket(state.request())
        #expect(state.withdraw(second))
        #expect(!state.withdraw(second))
        #expect(state.waiting.map(\.ticket) == [first, third])
        #expect(state.giveBack(slot, isUsable: true) == first)
        #expect(!state.withdraw(first))
        #expect(state.giveBack(slot, isUsable: true) == third)
    }

    // MARK: Draining

    @Test func whatWasNeededInThePeriodStaysUntilTheNext() throws {
        let (state, slots) = try idlePool(of: 3)
        state.beginDrainPeriod()
        for slot in [slots[2], slots[1]] {
            #expect(try granted(state.request()) == slot)
        }
        for slot in [slots[1], slots[2]] {
            #expect(state.giveBack(slot, isUsable: true) == nil)
        }
        #expect(state.drain() == [slots[0]])
        #expect(state.giveBack(slots[0], isUsable: false) == nil)
        #expect(state.idle == [slots[1], slots[2]])
        #expect(state.drain() == [slots[1]])
        #expect(state.idle == [slots[2]])
    }
}

// `PoolState` is compared with a model, step by step.
import SQiftTestSupport
import Testing

@testable import SQift

/// Each waiter is the number of its own ticket.
private typealias PoolState = SQift.PoolState<Int>

/// What can happen to a pool.
private enum Step: Hashable {
    case request, requestAtOnce
    case giveBack(PoolState.Slot, isUsable: Bool)
    case withdraw(PoolState.Ticket)
    case beginDrainPeriod, drain, takeIdle
    case endWaiting
}

/// A pool beside the simplest description of what it ought to be.
private struct Pair {
    /// What decides about all that may follow, tickets aside.
    struct Key: Hashable {
        var idle: [PoolState.Slot]
        var lent: Set<PoolState.Slot>
        var untouched: Set<PoolState.Slot>
        var lineLength: Int
    }

    let maximum: Int
    private var state: PoolState
    /// The oldest first.
    private var idle: [PoolState.Slot] = []
    private var lent: Set<PoolState.Slot> = []
    /// What was idle for the whole drain period.
    private var untouched: Set<PoolState.Slot> = []
    private var line: [PoolState.Ticket] = []
    private var lastTicket = 0
    /// Tickets that mustn't get a turn any more.
    private var gone: Set<PoolState.Ticket> = []

    init(maximum: Int) {
        self.maximum = maximum
        state = PoolState(maximum: maximum)
    }

    var key: Key {
        Key(
            idle: idle,
            lent: lent,
            untouched: untouched,
            lineLength: line.count
        )
    }

    /// Everything that could happen now, with no more in line than `longestLine`.
    func steps(longestLine: Int) -> [Step] {
        var steps: [Step] = [
            .requestAtOnce, .beginDrainPeriod, .drain, .takeIdle, .endWaiting,
        ]
        steps.append(.withdraw(0))
        if line.count < longestLine {
            steps.append(.request)
        }
        for slot in lent.sorted() {
            steps += [.giveBack(slot, isUsable: true), .giveBack(slot, isUsable: false)]
        }
        steps += line.map { .withdraw($0) }
        if let last = gone.max() {
            steps.append(.withdraw(last))
        }
        return steps
    }

    private func check(_ isRight: Bool, _ complaint: @autoclosure () -> String) throws {
        if !isRight {
            throw TestError(reason: complaint())
        }
    }

    private mutating func lend(_ grant: PoolState.Slot?) throws {
        if let slot = idle.last {
            try check(
                grant == slot,
                "the last idle one is \(slot), lent was \(String(describing: grant))"
            )
            idle.removeLast()
            untouched.remove(slot)
            lent.insert(slot)
        } else if line.isEmpty, lent.count < maximum {
            guard let slot = grant, !lent.contains(slot) else {
                throw TestError(
                    reason: "one is to be opened, lent was \(String(describing: grant))"
                )
            }
            try check(
                (0..<maximum).contains(slot) && !lent.contains(slot),
                "slot \(slot) isn't free"
            )
            lent.insert(slot)
        } else {
            try check(
                grant == nil,
                "there is nothing to lend, lent was \(String(describing: grant))"
            )
        }
    }

    mutating func take(_ step: Step) throws {
        switch step {
        case .requestAtOnce:
            try lend(state.requestAtOnce())
        case .request: try request()
        case .giveBack(let slot, let isUsable): try giveBack(slot, isUsable)
        case .withdraw(let ticket):
            try check(
                state.withdraw(ticket) == (line.contains(ticket) ? ticket : nil),
                "the wrong answer to a withdrawal"
            )
            line.removeAll { $0 == ticket }
            gone.insert(ticket)
        case .beginDrainPeriod:
            state.beginDrainPeriod()
            untouched = Set(idle)
        case .drain:
            let drained = state.drain()
            let mayGo = idle.filter(untouched.contains).prefix(
                max(0, idle.count + lent.count - 1)
            )
            try check(drained == Array(mayGo), "\(drained) drained instead of \(mayGo)")
            idle.removeAll(where: drained.contains)
            lent.formUnion(drained)
            untouched = Set(idle)
        case .takeIdle:
            try check(state.takeIdle().sorted() == idle.sorted(), "not all idle ones were taken")
            lent.formUnion(idle)
            idle = []
            untouched = []
        case .endWaiting:
            try check(state.endWaiting() == line, "not all in line were told")
            gone.formUnion(line)
            line = []
        }
        try checkInvariants()
    }

    private mutating func request() throws {
        if let grant = state.requestAtOnce() {
            return try lend(grant)
        }
        try lend(nil)
        lastTicket += 1
        let ticket = state.wait(lastTicket)
        try check(ticket == lastTicket, "ticket \(ticket) instead of \(lastTicket)")
        try check(
            !line.contains(ticket) && !gone.contains(ticket),
            "ticket \(ticket) was given out twice"
        )
        line.append(ticket)
    }

    private mutating func giveBack(_ slot: PoolState.Slot, _ isUsable: Bool) throws {
        let answer = state.giveBack(slot, isUsable: isUsable)
        if let next = line.first {
            try check(answer == next, "it is \(next)'s turn: \(String(describing: answer))")
            gone.insert(line.removeFirst())
            return
        }
        lent.remove(slot)
        try check(answer == nil, "nobody waits: \(String(describing: answer))")
        if isUsable {
            idle.append(slot)
        }
    }

    private func checkInvariants() throws {
        try check(state.idle == idle, "idle: \(state.idle) instead of \(idle)")
        var copy = state
        let waiting = copy.endWaiting()
        try check(waiting == line, "waiting: \(waiting) instead of \(line)")
        try check(
            state.lentCount == lent.count,
            "lent: \(state.lentCount) instead of \(lent.count)"
        )
        try check(
            state.idle.count + state.lentCount <= maximum,
            "more connections than the maximum"
        )
        try check(lent.isDisjoint(with: idle), "lent and idle at once")
        try check(line.isEmpty || state.idle.isEmpty, "somebody waits while a connection is idle")
        try check(line.isEmpty || lent.count == maximum, "somebody waits while one could be opened")
        try check(
            state.hasSurplus == (!idle.isEmpty && idle.count + lent.count > 1),
            "the wrong surplus"
        )
    }
}

struct PoolStateModelTests {
    /// Goes to every state there is, takes every step from it, and compares.
    @Test(arguments: [(1, 3), (2, 3), (3, 2)])
    func everyStepFromEveryStateIsRight(maximum: Int, longestLine: Int) {
        let start = Pair(maximum: maximum)
        var seen: Set<Pair.Key> = [start.key]
        var frontier: [(pair: Pair, path: [Step])] = [(start, [])]
        while let (pair, path) = frontier.popLast() {
            for step in pair.steps(longestLine: longestLine) {
                var next = pair
                do {
                    try next.take(step)
                } catch {
                    Issue.record("\(error) after \(path + [step])")
                    return
                }
                if seen.insert(next.key).inserted {
                    frontier.append((next, path + [step]))
                }
            }
        }
        #expect(seen.count > 5 * maximum)
    }

    /// Takes every sequence of steps up to a length, whatever states have been seen.
    @Test(arguments: [(1, 5), (2, 4), (3, 4)])
    func everyShortSequenceIsRight(maximum: Int, length: Int) throws {
        var count = 0
        func goOn(from pair: Pair, _ path: [Step]) throws {
            guard path.count < length else { return }
            for step in pair.steps(longestLine: 2) {
                var next = pair
                do {
                    try next.take(step)
                } catch {
                    throw TestError(reason: "\(error) after \(path + [step])")
                }
                count += 1
                try goOn(from: next, path + [step])
            }
        }
        try goOn(from: Pair(maximum: maximum), [])
        #expect(count > 4000)
    }

    @Test(arguments: [1, 2, 3, 8])
    func longRandomSequencesAreRight(maximum: Int) {
        var random = SeededGenerator(state: UInt64(maximum))
        for _ in 0..<100 {
            var pair = Pair(maximum: maximum)
            var path: [Step] = []
            for _ in 0..<100 {
                let steps = pair.steps(longestLine: 5)
                guard let step = steps.randomElement(using: &random) else { return }
                path.append(step)
                do {
                    try pair.take(step)
                } catch {
                    Issue.record("\(error) after \(path)")
                    return
                }
            }
        }
    }
}

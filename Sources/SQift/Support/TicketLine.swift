/// A line of those who wait, in the order in which they came.
///
/// Each of its methods takes the same time on average, however long the line is. A waiter that
/// leaves it before its turn leaves a number without a waiter, which the front skips once.
struct TicketLine<Waiter> {
    typealias Ticket = Int

    private var waiters: [Ticket: Waiter] = [:]
    /// The number that is served next, if its waiter is still there.
    private var front: Ticket = 1
    private var lastTicket: Ticket = 0

    var isEmpty: Bool { waiters.isEmpty }
    var count: Int { waiters.count }

    /// The waiter whose turn is next.
    var first: Waiter? {
        mutating get {
            skipEmptyNumbers()
            return waiters[front]
        }
    }

    mutating func append(_ waiter: Waiter) -> Ticket {
        lastTicket += 1
        waiters[lastTicket] = waiter
        return lastTicket
    }

    mutating func popFirst() -> Waiter? {
        skipEmptyNumbers()
        return waiters.removeValue(forKey: front)
    }

    /// Takes a waiter out of the line.
    ///
    /// - Returns: Nil if the ticket's turn has come already.
    mutating func remove(_ ticket: Ticket) -> Waiter? {
        waiters.removeValue(forKey: ticket)
    }

    /// Takes all waiters out of the line, in their order.
    mutating func removeAll() -> [Waiter] {
        var all: [Waiter] = []
        while let waiter = popFirst() {
            all.append(waiter)
        }
        return all
    }

    private mutating func skipEmptyNumbers() {
        while front <= lastTicket, waiters[front] == nil {
            front += 1
        }
    }
}

// The line is the library's own.
import Testing

@testable import SQift

struct TicketLineTests {
    @Test func theFirstToComeIsTheFirstToBeServed() {
        var line = TicketLine<Int>()
        let tickets = (1...5).map { line.append($0) }
        #expect(line.count == 5)
        #expect(line.first == 1)
        #expect(line.popFirst() == 1)
        #expect(line.remove(tickets[2]) == 3)
        #expect(line.remove(tickets[2]) == nil)
        #expect(line.remove(tickets[0]) == nil)
        #expect(line.popFirst() == 2)
        #expect(line.first == 4)
        _ = line.append(6)
        #expect(line.removeAll() == [4, 5, 6])
        #expect(line.isEmpty)
        #expect(line.first == nil)
        #expect(line.popFirst() == nil)
        _ = line.append(7)
        #expect(line.popFirst() == 7)
    }

    /// Random steps, beside an array.
    @Test func itIsAnArrayWithTickets() {
        var line = TicketLine<Int>()
        var model: [(ticket: Int, waiter: Int)] = []
        var generator = SystemRandomNumberGenerator()
        for number in 0..<5000 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0, 1: model.append((line.append(number), number))
            case 2:
                let expected = model.isEmpty ? nil : model.removeFirst().waiter
                #expect(line.popFirst() == expected)
            default:
                guard let index = model.indices.randomElement(using: &generator) else { continue }
                let removed = model.remove(at: index)
                #expect(line.remove(removed.ticket) == removed.waiter)
            }
            #expect(line.count == model.count)
        }
        #expect(line.removeAll() == model.map(\.waiter))
    }
}

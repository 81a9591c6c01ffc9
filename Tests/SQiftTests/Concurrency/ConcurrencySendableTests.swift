import SQiftTestSupport
import Testing

import SQift

private func check<T>(_ type: T.Type) -> Bool {
    false
}
private func check<T: Sendable>(_ type: T.Type) -> Bool {
    true
}

struct ConcurrencySendableTests {
    @Test func whatAClosureReceivesIsNotSendable() {
        #expect(!check(Connection.self))
        #expect(!check(Statement.self))
        #expect(!check(Row.self))
        #expect(!check([Row].self))
    }

    @Test func whatGivesAccessIsSendable() {
        #expect(check(ConnectionQueue.self))
        #expect(check(ConnectionPool.self))
        #expect(check(Database.self))
        #expect(check(DatabaseSnapshot.self))
        #expect(check(Database.Configuration.self))
        #expect(check(AccessError.self))
        #expect(check(AccessError.Reason.self))
    }
}

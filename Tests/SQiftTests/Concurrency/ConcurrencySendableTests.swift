import SQift
import SQiftTestSupport
import Testing

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
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

extension ConcurrencySuites {
    struct ConnectionQueueReentryTests {
        private let fixture: QueueFixture
        private let queue: ConnectionQueue

        init() throws {
            fixture = try QueueFixture()
            queue = fixture.queue
        }

        @Test(arguments: QueueAccess.allCases, QueueAccess.allCases)
        func usingAQueueInsideItselfThrows(outer: QueueAccess, inner: QueueAccess) throws {
            try outer(queue) { connection in
                try expectRefusal(.reentrant) { try inner(queue) { _ in recordCall() } }
                #expect(try connection.query("SELECT 1") == 1)
            }
            try fixture.expectUsable()
        }

        @Test func whatWasWrittenAroundARefusedAccessIsCommitted() throws {
            try queue.write { connection in
                try connection.run("INSERT INTO t VALUES(1)")
                try expectRefusal(.reentrant) {
                    try queue.write { try $0.run("INSERT INTO t VALUES(2)") }
                }
                try connection.run("INSERT INTO t VALUES(3)")
            }
            try #expect(fixture.values() == [1, 3])
        }

        @Test(arguments: QueueAccess.allCases)
        func usingAQueueInsideAnotherInsideItselfThrows(form: QueueAccess) throws {
            let second = ConnectionQueue(connection: try Connection())
            let third = ConnectionQueue(connection: try Connection())
            try form(queue) { _ in
                try form(second) { _ in
                    try expectRefusal(.reentrant) { try form(queue) { _ in } }
                    try form(third) { _ in
                        try expectRefusal(.reentrant) { try form(queue) { _ in } }
                        try expectRefusal(.reentrant) { try form(second) { _ in } }
                        try expectRefusal(.reentrant) { try form(third) { _ in } }
                    }
                    try form(third) { _ in }
                    try expectRefusal(.reentrant) { try form(queue) { _ in } }
                }
            }
            try fixture.expectUsable()
        }

        @Test func anotherQueueMayBeUsedInside() throws {
            let other = ConnectionQueue(connection: try Connection())
            let sum: Int = try queue.write { one in
                try one.run("INSERT INTO t VALUES(1)")
                return try other.read { try $0.query("SELECT 2") }
            }
            #expect(sum == 2)
            try other.write { _ in try queue.write { try $0.run("INSERT INTO t VALUES(2)") } }
            try #expect(fixture.values() == [1, 2])
        }

        @Test func dispatchQueuesOnTheSameThreadHideNothing() throws {
            let dispatchQueue = DispatchQueue(label: "test")
            try queue.execute { _ in
                try DispatchQueue.global().sync {
                    try expectRefusal(.reentrant) { try queue.execute { _ in recordCall() } }
                }
                try dispatchQueue.sync {
                    try expectRefusal(.reentrant) { try queue.write { _ in recordCall() } }
                }
                try dispatchQueue.sync {
                    try expectRefusal(.reentrant) { try queue.read { _ in recordCall() } }
                }
            }
            try fixture.expectUsable()
        }

        @Test(arguments: AsyncQueueAccess.allCases, QueueAccess.allCases)
        func usingAQueueInsideATasksClosureThrows(
            outer: AsyncQueueAccess,
            inner: QueueAccess
        ) async throws {
            let reason = try await outer(queue) { [queue] _ in
                try refusal { try inner(queue) { _ in } }
            }
            #expect(reason == .reentrant)
            try fixture.expectUsable()
        }

        @Test func usingAQueueInAFunctionThatItsConnectionCallsThrows() throws {
            let (queue, reasons) = (queue, Notes<AccessError.Reason?>())
            try queue.execute { connection in
                try addCallback("reenter", to: connection) { [weak queue] _ in
                    guard let queue else { return }
                    reasons.note(
                        try? refusal { try queue.write { try $0.run("INSERT INTO t VALUES(2)") } }
                    )
                }
            }
            try queue.write { try $0.run("INSERT INTO t VALUES(reenter(1))") }
            #expect(reasons.take() == [.reentrant])
            try #expect(fixture.values() == [1])
        }

        @Test func afterAnErrorTheThreadIsNotTakenForOneInside() throws {
            for form in QueueAccess.allCases {
                expectThrows(TestError.self) { try form(queue) { _ in throw TestError() } }
                try form(queue) { _ in }
            }
        }

        @Test func aThreadThatRanATasksClosureMayUseTheQueueLater() async throws {
            for _ in 0..<100 {
                try await queue.read { _ in }
                try fixture.expectUsable()
            }
        }
    }
}

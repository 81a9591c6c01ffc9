import Testing

@testable import SQift

@Suite(.timeLimit(.minutes(20))) struct CancellableAccessTests {
    private final class Failures: Sendable {
        private let errors = Locked<[any Error]>([])

        var count: Int { errors.withLock { $0.count } }
        var areCancellations: Bool {
            errors.withLock { $0.allSatisfy { $0 is CancellationError } }
        }

        func note(_ error: any Error) {
            errors.withLock { $0.append(error) }
        }
    }

    private let access = CancellableAccess()
    private let failures = Failures()

    private func enqueue() -> Bool {
        access.enqueue { failures.note($0) }
    }

    @Test func aWaitingAccessFailsOnce() {
        #expect(enqueue())
        access.fail(AccessError.unavailable(.closed, label: "it"))
        access.fail(AccessError.unavailable(.closed, label: "it"))
        access.cancel()
        #expect(failures.count == 1)
        #expect(!failures.areCancellations)
        #expect(!access.begin(nil))
    }

    @Test func aWaitingAccessIsCancelledAtOnce() {
        #expect(enqueue())
        access.cancel()
        access.cancel()
        #expect(failures.count == 1)
        #expect(failures.areCancellations)
        #expect(!access.begin(nil))
    }

    @Test func anAccessThatWasCancelledBeforeDoesNotWait() {
        access.cancel()
        #expect(!enqueue())
        #expect(failures.count == 1)
        #expect(failures.areCancellations)
    }

    @Test func aRunningAccessIsInterruptedAndEndsAsCancelled() {
        let cancellation = Cancellation()
        #expect(enqueue())
        #expect(access.begin(cancellation))
        access.cancel()
        access.fail(CancellationError())
        #expect(cancellation.isRequested)
        #expect(access.end())
        #expect(access.end())
        #expect(failures.count == 0)
    }

    @Test func anEndedAccessIsNotInterrupted() {
        let cancellation = Cancellation()
        #expect(enqueue())
        #expect(access.begin(cancellation))
        #expect(!access.end())
        access.cancel()
        #expect(!cancellation.isRequested)
        #expect(!access.end())
        #expect(failures.count == 0)
    }

    @Test func beyondThePointOfNoReturnACancellationIsForgotten() {
        #expect(enqueue())
        #expect(access.begin(nil))
        access.cancel()
        access.passPointOfNoReturn()
        access.cancel()
        #expect(!access.end())
        #expect(failures.count == 0)
    }
}

// `AccessGate` decides in which order accesses are let in, which is hard to see from outside.
import Foundation
import SQiftTestSupport
import Testing

// The rules of a gate, which no public type shows by itself.
@testable import SQift

struct AccessGateTests {
    private let gate = AccessGate(label: "it", connectionCount: 3)

    private func isInside() -> Bool {
        do {
            try gate.checkReentry()
            return false
        } catch {
            return true
        }
    }

    @Test(arguments: 0..<3) func aThreadIsInsideUntilItLeaves(connection: Int) {
        #expect(!isInside())
        gate.enter(connection)
        #expect(isInside())
        gate.leave(connection)
        #expect(!isInside())
    }

    @Test func anotherThreadIsNotInside() {
        let done = DispatchSemaphore(value: 0)
        let gate = self.gate
        Thread.detachNewThread {
            gate.enter(1)
            done.signal()
        }
        done.wait()
        #expect(!isInside())
    }

    @Test func aSuspensionEndsAndAnEndDoesNot() {
        #expect(gate.refusal == nil)
        gate.stop(for: .suspension)
        #expect(gate.refusal?.reason == .suspended)
        gate.resume()
        #expect(gate.refusal == nil)
        gate.stop(for: .closing)
        gate.stop(for: .suspension)
        #expect(gate.refusal?.reason == .closed)
        gate.resume()
        #expect(gate.refusal?.reason == .closed)
        #expect(gate.isClosed)
    }

    @Test func anInnerGateIsAsClosedAsTheOuterOne() {
        let inner = AccessGate(label: "inner", outer: gate)
        gate.stop(for: .suspension)
        #expect(inner.refusal?.reason == .suspended)
        gate.resume()
        #expect(inner.refusal == nil)
        inner.stop(for: .closing)
        #expect(inner.refusal?.reason == .closed)
        #expect(gate.refusal == nil)
    }
}

// The line and the threads are the library's own.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

extension ConcurrencySuites {
    struct SerialLineTests {
        private let line = SerialLine()

        /// Waits for the turn of what came before.
        private func finish() async throws {
            try await onThread { [line] in line.sync {} }
        }

        @Test func blocksAndThreadsTakeTurnsAsTheyCame() async throws {
            let (notes, inside, goOn) = (SharedNotes<Int>(), Gate(), Gate())
            line.async {
                inside.open()
                goOn.wait()
                notes.note(0)
            }
            await inside.opened()
            for number in 1..<20 {
                if number % 3 > 0 {
                    line.async { notes.note(number) }
                } else {
                    let worker = Worker { [line] in line.sync { notes.note(number) } }
                    worker.waitUntilBlocked()
                }
            }
            goOn.open()
            try await finish()
            #expect(notes.all == Array(0..<20))
        }

        @Test func oneAtATimeHasItsTurn() async throws {
            let inside = SharedCount()
            try await inTasks(8) { [line] number in
                for _ in 0..<500 {
                    if number % 2 == 0 {
                        line.async {
                            #expect(inside.add(1) == 1)
                            inside.add(-1)
                        }
                    } else {
                        try await onThread {
                            line.sync {
                                #expect(inside.add(1) == 1)
                                inside.add(-1)
                            }
                        }
                    }
                }
            }
            try await finish()
            #expect(inside.value == 0)
        }

        @Test func aBlockThatHasLeftIsReleasedAndNeverCalled() async throws {
            final class Kept: Sendable {}
            let (calls, inside, goOn) = (SharedCount(), Gate(), Gate())
            line.async {
                inside.open()
                goOn.wait()
            }
            await inside.opened()
            var kept: Kept? = Kept()
            weak let reference = kept
            let ticket = line.async { [kept] in
                withExtendedLifetime(kept) { _ = calls.add(1) }
            }
            kept = nil
            #expect(reference != nil)
            line.leave(try #require(ticket))
            #expect(reference == nil)
            goOn.open()
            try await finish()
            #expect(calls.value == 0)
        }

        @Test func anErrorPassesTheTurnOn() throws {
            expectThrows(TestError.self) { try line.sync { throw TestError() } }
            line.sync {}
        }

        /// Held by a block, which nothing may keep after it has run.
        private final class Held: Sendable {
            let gone: SharedCount

            init(gone: SharedCount) {
                self.gone = gone
            }

            deinit {
                gone.add(1)
            }
        }

        @Test func aBlockIsReleasedBeforeTheNextOneEnds() async throws {
            let (gone, inside, goOn) = (SharedCount(), Gate(), Gate())
            let first = Gate()
            line.async { [held = Held(gone: gone)] in
                withExtendedLifetime(held) {}
                first.wait()
            }
            line.async {
                inside.open()
                goOn.wait()
            }
            first.open()
            await inside.opened()
            await poll("the first block is kept") { gone.value == 1 }
            goOn.open()
            try await finish()
        }

        // MARK: Threads

        @Test func aThreadThatWaitsForWorkKeepsNothing() async throws {
            let group = ThreadGroup(limit: 1, idleTime: 3600)
            let gone = SharedCount()
            for round in 1...3 {
                group.run { [held = Held(gone: gone)] in withExtendedLifetime(held) {} }
                await poll("its work is kept") { gone.value == round }
            }
        }

        @Test func aGroupHasNoMoreThreadsThanItsLimit() async throws {
            let group = ThreadGroup(limit: 3)
            let (inside, most, ended) = (SharedCount(), SharedCount(), SharedCount())
            for _ in 0..<200 {
                group.run {
                    let count = inside.add(1)
                    #expect(count <= 3)
                    if count == 3 {
                        most.add(1)
                    }
                    inside.add(-1)
                    ended.add(1)
                }
            }
            await poll("not all was done") { ended.value == 200 }
        }

        @Test func threadsEndWhenTheyAreNotNeeded() async throws {
            let group = ThreadGroup(limit: 4, idleTime: 0)
            for round in 1...50 {
                let ended = SharedCount()
                for _ in 0..<round {
                    group.run { ended.add(1) }
                }
                await poll("not all was done") { ended.value == round }
            }
        }
    }
}

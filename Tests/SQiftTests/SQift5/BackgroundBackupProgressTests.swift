import Foundation
import SQiftTestSupport
import Testing

import SQift

/// The `Progress` of a backup in the background: steps, pauses and cancellation.
extension FacilitySuites {
    struct BackgroundBackupProgressTests {
        private let fixture: BackgroundBackupFixture

        init() throws {
            fixture = try BackgroundBackupFixture()
        }

        @Test func pausingStopsItAndResumingLetsItGoOn() async throws {
            let progress = try fixture.beginAndPause()
            // Many times as long as a step takes: nothing shows that none is to come.
            try await Task.sleep(for: .milliseconds(100))
            #expect(progress.completedUnitCount == 0)
            #expect(fixture.results.all.isEmpty)
            #expect(progress.isPaused)
            progress.resume()
            #expect(try await fixture.results.first().isSuccess)
            try expectSame(fixture.destination, fixture.source)
        }

        @Test func theProgressIsPausableAndCancellable() async throws {
            let progress = try fixture.begin()
            #expect(progress.isPausable)
            #expect(progress.isCancellable)
            _ = try await fixture.results.first()
        }

        @Test func cancellingBeforeTheFirstStepLeavesTheDestinationAsItWas() async throws {
            fixture.backupQueue.suspend()
            let progress = try fixture.begin()
            progress.cancel()
            fixture.backupQueue.resume()
            #expect(try await fixture.results.first().isCancelled)
            fixture.finishQueues()
            #expect(fixture.results.all.count == 1)
            try fixture.expectOld()
            try fixture.source.close()
        }

        @Test func cancellingWhilePausedLeavesTheDestinationAsItWas() async throws {
            let progress = try fixture.beginAndPause()
            progress.cancel()
            #expect(try await fixture.results.first().isCancelled)
            fixture.finishQueues()
            #expect(fixture.results.all.count == 1)
            try fixture.expectOld()
            try fixture.destination.run("INSERT INTO t(x) VALUES(1)")
        }

        @Test func cancellingAtAnyMomentLeavesTheOldOrTheNewState() async throws {
            for round in 0..<40 {
                let results = BackupResults()
                let progress = try fixture.source.backup(
                    to: fixture.destination,
                    pageSize: 1,
                    backupQueue: fixture.backupQueue,
                    completionQueue: fixture.completionQueue
                ) { results.note($0) }
                // At another step each time.
                while progress.completedUnitCount < round, results.all.isEmpty {
                    sched_yield()
                }
                progress.cancel()
                let result = try await results.first()
                #expect(!result.isFailure)
                let rows = try count("t", on: fixture.destination)
                #expect(rows == (result.isSuccess ? 100 : 7))
                #expect(try fixture.destination.integrityCheck() == [])
                if result.isSuccess {
                    try fixture.destination.run("DELETE FROM t WHERE id > 7")
                }
                #expect(results.all.count == 1)
            }
        }

        @Test func cancellingAfterTheEndChangesNothing() async throws {
            let progress = try fixture.begin()
            #expect(try await fixture.results.first().isSuccess)
            progress.cancel()
            progress.pause()
            fixture.finishQueues()
            #expect(fixture.results.all.count == 1)
            try expectSame(fixture.destination, fixture.source)
        }

        @Test func lettingGoOfTheProgressLetsItGoOn() async throws {
            try fixture.begin()
            #expect(try await fixture.results.first().isSuccess)
            try expectSame(fixture.destination, fixture.source)
        }
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

struct SignalTests {
    private let folder: TemporaryFolder
    private let path: String
    private let backup: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
        backup = folder.path("backup.sqlite")
        for (path, size) in [(path, 20_000), (backup, 1)] {
            try Connection(path: path).execute(
                "CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(\(size)))"
            )
        }
    }

    /// Whether the copy is made that replaces the destination when it is complete.
    private func hasBegun() throws -> Bool {
        try folder.files().count > 2
    }

    @Test(.builtTool, arguments: [SIGINT, SIGTERM, SIGHUP], ["backup", "restore"])
    func aSignalEndsASlowCopyAtOnceAndNothingStays(signal: Int32, command: String) throws {
        let before = try fileBytes(backup)
        let start = Date()
        // One page takes 40 s.
        let run = try ToolRun(
            [command, path, backup, "--rate=0.0001"],
            sending: signal,
            once: hasBegun
        )

        run.expect(130)
        // A line of the progress may come before.
        #expect(run.errors.hasSuffix("sqift-cli: cancelled, nothing was changed\n"))
        #expect(Date().timeIntervalSince(start) < 20)
        #expect(try fileBytes(backup) == before)
        #expect(try folder.files() == ["backup.sqlite", "test.sqlite"])
    }

    @Test(.builtTool) func theSlowestRateIsEndedToo() throws {
        let run = try ToolRun(
            ["backup", path, backup, "--rate=1e-300"],
            sending: SIGTERM,
            once: hasBegun
        )
        run.expect(130)
    }
}

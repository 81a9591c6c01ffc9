import Foundation
import SQift
import SQiftTestSupport
import Testing

extension DatabaseSuites {
    /// What stays behind in `main` when the disk is full: nothing. A WAL would stay, since emptying
    /// it needs space too.
    @Suite(.enabled(if: SmallDisk.canBeMade, "only root mounts a disk"))
    struct FullDiskTests {
        private let folder = TemporaryFolder.fresh
        private let disk: SmallDisk

        init() throws {
            disk = try SmallDisk(in: folder)
        }

        private static let filling: SQL = "INSERT INTO t VALUES(zeroblob(4000000))"

        /// A write, a statement alone, a restore and a backup of the file at the path.
        static let writes: [@Sendable (Database, String) throws -> Void] = [
            { database, _ in try database.execute(filling) },
            { database, _ in try database.writeWithoutTransaction { try $0.execute(filling) } },
            { database, large in try database.restore(from: large) },
            { database, large in
                let source = try Connection(path: large)
                try database.writeWithoutTransaction { try source.backup(to: $0) }
            },
        ]

        @Test(arguments: writes.indices) func theDatabaseIsAsItWas(write: Int) throws {
            let large = folder.path("large.sqlite")
            try Connection(path: large).execute("CREATE TABLE t(x); \(Self.filling)")
            let path = disk.path + "/small.sqlite"
            var configuration = Database.Configuration()
            configuration.journalMode = .delete
            let database = try Database(path: path, configuration: configuration)
            try database.execute("CREATE TABLE t(x); INSERT INTO t VALUES('old')")

            expectSQLiteError { try Self.writes[write](database, large) }
            try database.close()

            #expect(
                try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["small.sqlite"]
            )
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            try #expect(#require(size) < 100_000)
            configuration = Database.Configuration()
            configuration.accessMode = .readOnly()
            let readOnly = try Database(path: path, configuration: configuration)
            try #expect(readOnly.read { try $0.query("SELECT x FROM t") as [String] } == ["old"])
        }
    }
}

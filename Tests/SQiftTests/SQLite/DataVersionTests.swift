import SQift
import SQiftTestSupport
import Testing

struct DataVersionTests {
    @Test func dataVersionChangesWithAnotherConnectionsCommitOnly() throws {
        let folder = try TemporaryFolder()
        let one = try folder.connection()
        let other = try folder.connection()
        try one.execute("CREATE TABLE t(x)")
        let version = try one.dataVersion
        try one.execute("INSERT INTO t VALUES(1)")
        #expect(try one.dataVersion == version)
        try other.execute("INSERT INTO t VALUES(2)")
        #expect(try one.dataVersion != version)
    }
}

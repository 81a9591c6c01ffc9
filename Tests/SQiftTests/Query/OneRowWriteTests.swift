import CSQift
import Foundation
import SQift
import SQiftTestSupport
import Testing

/// A query that writes, and of which one row is read: what fails when it commits is thrown, not
/// lost.
struct OneRowWriteTests {
    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try Connection(path: folder.path())
        try connection.execute(
            """
            CREATE TABLE t(x INTEGER);
            CREATE TABLE parents(id INTEGER PRIMARY KEY);
            CREATE TABLE children(parent REFERENCES parents(id) DEFERRABLE INITIALLY DEFERRED);
            PRAGMA foreign_keys = ON;
            """
        )
    }

    private static let shapes: [@Sendable (Connection, SQL) throws -> Void] = [
        { _ = try $0.query($1) as Int }, { _ = try $0.query($1) as Int? },
        { _ = try $0.query($1) as [Int] },
        { _ = try $0.query($1) as Row? }, { _ = try $0.query($1) { try $0.get(0) as Int } as Int? },
        { _ = try $0.prepare($1).query() as Int }, { _ = try $0.prepare($1).query() as Row? },
    ]

    @Test(arguments: shapes.indices)
    func aBusyCommitIsThrown(shape: Int) throws {
        let other = try Connection(path: folder.path())
        try other.execute("BEGIN; SELECT * FROM t")

        expectSQLiteError(.busy) {
            try Self.shapes[shape](connection, "INSERT INTO t VALUES(7) RETURNING x")
        }
        try other.execute("COMMIT")
        #expect(try connection.query("SELECT count(*) FROM t") == 0)
        try Self.shapes[shape](connection, "INSERT INTO t VALUES(8) RETURNING x")
        #expect(try other.query("SELECT x FROM t") == [8])
    }

    @Test(arguments: shapes.indices)
    func aForeignKeyThatFailsAtTheCommitIsThrown(shape: Int) throws {
        expectSQLiteError(.constraintForeignKey) {
            try Self.shapes[shape](connection, "INSERT INTO children VALUES(4) RETURNING 1")
        }
        #expect(try connection.query("SELECT count(*) FROM children") == 0)
    }

    @Test(arguments: shapes.indices)
    func aVetoedCommitIsThrown(shape: Int) throws {
        try connection.withUnsafeHandle { _ = sqlite3_commit_hook($0, { _ in 1 }, nil) }

        expectSQLiteError(.constraintCommitHook) {
            try Self.shapes[shape](connection, "INSERT INTO t VALUES(7) RETURNING x")
        }
        try connection.withUnsafeHandle { _ = sqlite3_commit_hook($0, nil, nil) }
        #expect(try connection.query("SELECT count(*) FROM t") == 0)
    }

    @Test func everyRowIsWrittenThoughOneIsRead() throws {
        let first: Int = try connection.query("INSERT INTO t VALUES(1), (2), (3) RETURNING x")

        #expect(first == 1)
        #expect(try connection.query("SELECT x FROM t") == [1, 2, 3])
    }

    @Test func aRowOfAReadIsReadWithoutTheOthers() throws {
        let first: Int? = try connection.query(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
        )

        #expect(first == 1)
    }
}

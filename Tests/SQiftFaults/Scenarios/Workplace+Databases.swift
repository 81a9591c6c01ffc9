import Foundation
import SQift

extension Workplace {
    /// Makes the database that most scenarios begin with: 40 rows with `k` in a table with an index.
    func makeDatabase(
        _ name: String = "main.db",
        journal: String = "delete",
        k: Int = 1,
        rowCount: Int = 40,
        pageSize: Int = 4096,
        key: Data? = nil
    ) throws {
        var configuration = Connection.Configuration()
        configuration.key = key
        let connection = try Connection(path: path(name), configuration: configuration)
        try connection.execute("PRAGMA page_size = \(pageSize)")
        let _: String = try connection.query("PRAGMA journal_mode = \(journal)")
        try connection.execute(
            """
            CREATE TABLE t(a INTEGER PRIMARY KEY, k INTEGER, x BLOB);
            CREATE INDEX i ON t(k);
            CREATE TABLE child(a REFERENCES t(a));
            INSERT INTO child VALUES(1)
            """
        )
        try connection.run(
            """
            WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
            INSERT INTO t SELECT i, ?, zeroblob(400) FROM n
            """,
            rowCount,
            k
        )
        try connection.close()
    }

    func expectRows(_ count: Int, k: Int, in connection: Connection) throws {
        let found: Int = try connection.query("SELECT count(*) FROM t WHERE k = ?", k)
        try expect(found == count, "\(found) rows with \(k) instead of \(count)")
    }
}

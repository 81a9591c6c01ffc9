import SQift
import SQiftTestSupport
import Testing

/// A listener changes nothing that the connection's user can see.
struct ObservedConnectionTests {
    private let folder = TemporaryFolder.fresh

    private func open() throws -> Connection {
        let connection = try folder.connection()
        try connection.execute(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE IF NOT EXISTS t(a UNIQUE);
            CREATE TABLE IF NOT EXISTS log(a);
            CREATE TABLE IF NOT EXISTS logged(a);
            CREATE TRIGGER IF NOT EXISTS tr AFTER INSERT ON logged BEGIN
                INSERT INTO log VALUES(1);
            END
            """
        )
        return connection
    }

    // MARK: Messages

    /// What fails, after what has prepared it.
    private static let failures = [
        ("", "SELECT json('{bad')"),
        ("", "SELECT abs(-9223372036854775807 - 1)"),
        ("BEGIN", "VACUUM"),
        ("", "VACUUM INTO '/missing/copy.sqlite'"),
        ("PRAGMA query_only = ON", "CREATE TABLE new(a)"),
        ("INSERT INTO t VALUES(1)", "INSERT INTO t VALUES(1)"),
        ("INSERT INTO t VALUES(1)", "UPDATE t SET a = json('{bad')"),
        ("CREATE TEMP TABLE x(a)", "ROLLBACK TO missing"),
        ("", "INSERT INTO logged SELECT json('{bad')"),
    ]

    private func error(of sql: SQL, after setup: SQL, isObserved: Bool) throws -> SQLiteError? {
        let connection = try open()
        try connection.execute("DELETE FROM t")
        // It is compiled again where it fails.
        let statement = try connection.prepare(sql)
        if isObserved {
            connection.didCommit { _ in }
        }
        try connection.execute(setup)
        return sqliteError { try statement.run() }
    }

    @Test(arguments: failures)
    func errorsAreTheSame(setup: SQL, sql: SQL) throws {
        let alone = try error(of: sql, after: setup, isObserved: false)
        let observed = try error(of: sql, after: setup, isObserved: true)
        #expect(alone != nil)
        #expect(alone?.message.contains("not an error") == false)
        #expect(observed == alone)
    }

    @Test func anErrorInTheClosureOfValuesHasItsMessage() async throws {
        let database = try folder.open()
        let values = database.values { try $0.query("SELECT json('{bad')") as String }
        var iterator = values.makeAsyncIterator()
        var message: String?
        do {
            _ = try await iterator.next()
        } catch let error as SQLiteError {
            message = error.message
        }
        #expect(message?.contains("malformed JSON") == true)
    }

    // MARK: Locks

    @Test(arguments: [
        "INSERT INTO t VALUES(2)", "INSERT INTO logged VALUES(2)", "CREATE TABLE new(a)",
        "DELETE FROM log",
    ])
    func aWriteInADeferredTransactionWaitsForTheLock(sql: SQL) throws {
        let (connection, other) = (try open(), try open())
        connection.didCommit { _ in }
        try other.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES(1)")
        var waits = 0
        try connection.busyHandler(
            .custom { _ in
                waits += 1
                do {
                    try other.execute("COMMIT")
                } catch {
                    Issue.record(error)
                }
                return true
            }
        )
        try connection.transaction { try connection.run(sql) }
        #expect(waits == 1)
    }

    @Test func aListenerTakesNoLock() throws {
        let (connection, other) = (try open(), try open())
        connection.didCommit { _ in }
        try connection.execute("BEGIN")
        let statement = try connection.prepare("INSERT INTO logged VALUES(1)")
        try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try other.execute("CREATE TABLE new(a)")
        try statement.run()
        try connection.execute("COMMIT")
        try expectRows(1, of: "log", on: other)
    }
}

// Only the tracker knows which statements it has looked at.
import SQiftTestSupport
import Testing

@testable import SQift

/// Statements that SQLite compiles again, since the schema has changed, and those whose end differs
/// from their beginning.
struct ChangedAfterRecompilationTests {
    private let folder = TemporaryFolder.fresh
    private let connection: Connection
    private let heard: Notes<TableChanges>

    init() throws {
        connection = try folder.connection()
        try connection.execute(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY);
            CREATE TABLE log(x);
            INSERT INTO t VALUES(100)
            """
        )
        heard = connection.hearChanges()
    }

    /// Statements that keep the rows before their error.
    private static let failing = [
        ("INSERT OR FAIL INTO t SELECT ? + column1 FROM (VALUES(0), (1))", ""),
        (
            "INSERT INTO t SELECT ? + column1 FROM (VALUES(0), (1))",
            """
            CREATE TRIGGER fails BEFORE INSERT ON t WHEN new.id = 100 BEGIN
                SELECT RAISE(FAIL, 'no');
            END
            """
        ),
        (
            "INSERT INTO kept SELECT ? + column1 FROM (VALUES(0), (1))",
            "CREATE TABLE kept(id INTEGER PRIMARY KEY ON CONFLICT FAIL);"
                + "INSERT INTO kept VALUES(100)"
        ),
    ]

    @Test(arguments: failing, [true, false])
    func theRowsBeforeAnErrorAreReportedAfterAChangeOfTheSchema(
        failing: (sql: SQL, schema: SQL),
        isOther: Bool
    ) throws {
        try connection.execute(failing.schema)
        try connection.run(failing.sql, 10)
        _ = heard.take()
        try (isOther ? folder.connection() : connection).run("CREATE TABLE other(a)")
        _ = heard.take()
        expectSQLiteError(.constraint) { try connection.run(failing.sql, 99) }
        let table = failing.sql.contains("kept") ? "kept" : "t"
        try expectRows(4, of: table, on: connection)
        heard.expect(.commit(table))
    }

    @Test func aStatementThatDidNothingIsReportedOnceItDoesSomething() throws {
        let create = "CREATE TRIGGER IF NOT EXISTS x AFTER INSERT ON t BEGIN SELECT 1; END"
        let drop = "DROP TRIGGER IF EXISTS x"
        for _ in 0..<2 {
            try connection.run(drop)
            heard.expect()
            try connection.run(create)
            #expect(heard.take().map(\.schemaChanged) == [true])
            try connection.run(create)
            heard.expect()
            try connection.run(drop)
            #expect(heard.take().map(\.schemaChanged) == [true])
        }
    }

    @Test(arguments: ["VACUUM", "VACUUM INTO ?"])
    func aVacuumIsReportedIfItChangesTheDatabase(sql: SQL) throws {
        let other = try folder.connection()
        let statement = try other.prepare(sql)
        let heard = other.hearChanges()
        for number in 0..<2 {
            if statement.parameterCount > 0 {
                try statement.bind(folder.path("copy \(number)"))
            }
            try statement.run()
            let expected = sql == "VACUUM" ? [true] : []
            #expect(heard.take().map(\.includesAllTables) == expected)
        }
    }

    @Test func anInterruptedStatementThatReturnsRowsIsNotReported() throws {
        try connection.execute(
            "CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO log VALUES(new.id); END"
        )
        _ = heard.take()
        var left = 3
        expectSQLiteError(.interrupt) {
            let sql = "INSERT INTO t(id) VALUES(1), (2), (3), (4), (5) RETURNING id"
            try connection.forEachRow(sql) { _ in
                left -= 1
                if left == 0 {
                    connection.interrupt()
                }
            }
        }
        try expectRows(0, of: "log", on: connection)
        heard.expect()
        try connection.run("INSERT INTO log VALUES(1)")
        heard.expect(.commit("log"))
    }

    /// Both have begun before one of them is compiled again.
    @Test func eachOfTwoCursorsSideBySideIsKnownByItsOwnTable() throws {
        let sql = ["SELECT id FROM t", "SELECT x FROM log"]
        let tracker = connection.attachment(ChangeTracker.self)
        func tables(_ statements: [SQL]) throws -> Set<String> {
            try tracker.gatheringReads {
                let cursors = try statements.map { try connection.cursor($0) }
                for cursor in cursors {
                    while try cursor.next() != nil {}
                }
            }.tables
        }
        let (first, second) = try (tables([sql[0]]), tables([sql[1]]))
        _ = try tables(sql)
        try connection.execute("CREATE TABLE other(a)")
        try #expect(tables(sql) == first.union(second))
        try #expect(tables([sql[0]]).isSuperset(of: first))
        try #expect(tables([sql[1]]).isSuperset(of: second))
    }
}

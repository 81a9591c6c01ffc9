import SQift
import SQiftTestSupport
import Testing

/// Migrations, and what else needs the connection for itself, inside a loop over rows or inside a
/// function: they are refused before they begin, and the statement around them goes on.
struct MigratorReentryTests {
    private static let rows = "SELECT i FROM n ORDER BY i"

    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute(
            """
            PRAGMA foreign_keys = ON;
            CREATE TABLE n(i, t);
            INSERT INTO n VALUES(1, 'a'), (2, 'b'), (3, 'c')
            """
        )
    }

    private func migrator(
        _ body: @escaping @Sendable (Connection) throws -> Void
    ) -> Migrator {
        connection.migrator([Migration("a", body: body)])
    }

    /// Calls `body` at the first row of a loop, and expects its refusal and all rows.
    private func expectRefusalInLoop(
        _ body: () throws -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var seen: [Int] = []
        try connection.forEachRow(Self.rows) { row in
            seen.append(try row.get(0))
            guard seen.count == 1 else { return }
            let error = sqliteError(body, sourceLocation: sourceLocation)
            #expect(error?.resultCode == .misuse, sourceLocation: sourceLocation)
            #expect(error?.message.contains(Self.rows) == true, sourceLocation: sourceLocation)
        }
        #expect(seen == [1, 2, 3], sourceLocation: sourceLocation)
    }

    @Test func aLoopSeesEachRowOnceIfAMigrationInItWouldBeInterrupted() throws {
        try expectRefusalInLoop {
            try migrator { connection in
                try connection.execute("CREATE TABLE made(x)")
                connection.interrupt()
            }
            .run()
        }
        #expect(try connection.query("SELECT count(*) FROM sqlite_schema") == 1)
        #expect(try connection.query("PRAGMA foreign_keys") == 1)
    }

    @Test func aStatementGoesOnIfItsFunctionRunsAMigrator() throws {
        var error: SQLiteError?
        let migrator = migrator { connection in
            try connection.execute("CREATE TABLE made(x)")
            connection.interrupt()
        }
        try connection.addFunction(named: "f") { (i: Int) throws -> Int in
            if i == 2 {
                error = sqliteError { try migrator.run() }
            }
            return i
        }
        let sql = "SELECT f(i) || t || hex(randomblob(100)) FROM n ORDER BY t"
        let found: [String] = try connection.query(sql)
        #expect(found.map { $0.prefix(2) } == ["1a", "2b", "3c"])
        #expect(error?.resultCode == .misuse)
        #expect(error?.message.contains(sql) == true)
        // The function keeps the migrator, and that the connection.
        try connection.close()
    }

    @Test func everyFormOfAMigratorIsRefusedInALoop() throws {
        let named = migrator { try $0.execute("CREATE TABLE made(x)") }
        let numbered = Migrator(connection: connection, desiredSchemaVersion: 1)
        try expectRefusalInLoop { try named.run() }
        try expectRefusalInLoop { _ = try named.rehearse() }
        try expectRefusalInLoop {
            try numbered.runMigrationsIfNecessary(migrationSQLForSchemaVersion: { _ in "SELECT 1" })
        }
        try expectRefusalInLoop {
            try numbered.runMigrationsIfNecessary(migrateDatabaseToSchemaVersion: { _, _ in })
        }
        #expect(try named.pending() == ["a"])
        try named.run()
        try numbered.runMigrationsIfNecessary(migrateDatabaseToSchemaVersion: { _, _ in })
        #expect(numbered.currentSchemaVersion == 1)
    }

    @Test func anOpenCursorIsNamedAndHasItsNextRow() throws {
        let cursor = try connection.cursor(Self.rows)
        let first: Int? = try cursor.next()
        let migrator = migrator { try $0.execute("CREATE TABLE made(x)") }
        let error = sqliteError { try migrator.run() }
        #expect(error?.message.contains(Self.rows) == true)
        let second: Int? = try cursor.next()
        #expect([first, second] == [1, 2])
        cursor.close()
        #expect(try migrator.run().migrations == ["a"])
    }

    @Test func anOpenBlobIsNamedAndStaysOpen() throws {
        let blob = try connection.openBlob(table: "n", column: "t", rowID: 2)
        let migrator = migrator { try $0.execute("CREATE TABLE made(x)") }
        expectSQLiteError(.misuse, containing: "a blob") { try migrator.run() }
        #expect(blob.count == 1)
        try blob.close()
        #expect(try migrator.run().migrations == ["a"])
    }

    @Test func whatAMigrationLeavesOpenDoesNotKeepTheNextStatementsFromRunning() throws {
        try connection.execute("CREATE TABLE other(x); INSERT INTO other VALUES(1), (2)")
        var cursor: Cursor?
        let migrator = Migrator(connection: connection, desiredSchemaVersion: 1)
        expectSQLiteError(.interrupt) {
            try migrator.runMigrationsIfNecessary { (_, connection) in
                cursor = try connection.cursor("SELECT x FROM other")
                let _: Int? = try cursor?.next()
                connection.interrupt()
                try connection.execute("CREATE TABLE made(x)")
            }
        }
        #expect(!connection.isInsideTransaction)
        cursor?.close()
        #expect(try connection.query("SELECT count(*) FROM other") == 2)
        #expect(try connection.query("PRAGMA foreign_keys") == 1)
    }

    @Test func aTableIsNotRebuiltInALoop() throws {
        try connection.execute("PRAGMA foreign_keys = OFF")
        var copies = 0
        func rebuild() throws {
            try connection.rebuildTable("n", columns: "i INTEGER, t TEXT") { old, new in
                copies += 1
                try connection.run("INSERT INTO \(new) SELECT * FROM \(old)")
            }
        }
        try expectRefusalInLoop(rebuild)
        #expect(copies == 0)
        try rebuild()
        #expect(try connection.columns(in: "n").map(\.declaredType) == ["INTEGER", "TEXT"])
    }

    // MARK: Listeners

    @Test func aListenerThatWritesFindsForeignKeysAsTheyWere() throws {
        try connection.execute(
            """
            CREATE TABLE orders(id INTEGER PRIMARY KEY); INSERT INTO orders VALUES(1);
            CREATE TABLE items(o REFERENCES orders ON DELETE CASCADE); INSERT INTO items VALUES(1);
            CREATE TABLE done(id)
            """
        )
        connection.didCommit { [unowned connection] changes in
            if changes.concerns("done") {
                #expect(throws: Never.self) { try connection.run("DELETE FROM orders") }
            }
        }
        let migrations = [
            Migration("1", sql: "INSERT INTO done VALUES(1)"),
            Migration("2", sql: "CREATE TABLE notes(a)"),
        ]
        let report = try connection.migrator(migrations).run()
        #expect(report.migrations.count == 2)
        try #expect(connection.query("SELECT count(*) FROM items") == 0)
    }
}

// A rebuild is stopped in its middle by a statement that is stepped by hand.
import Foundation
import SQiftTestSupport
import Testing

@testable import SQift

// A rebuild that can't be done leaves the table as it was.
struct TableRebuildFailureTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute(
            """
            PRAGMA foreign_keys = OFF;
            CREATE TABLE cars(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, price INTEGER);
            CREATE INDEX by_price ON cars(price);
            CREATE TABLE log(x);
            CREATE TRIGGER logged AFTER INSERT ON cars BEGIN INSERT INTO log VALUES(new.price); END;
            CREATE VIEW names AS SELECT name FROM cars;
            CREATE TABLE wheels(car INTEGER REFERENCES cars ON DELETE CASCADE);
            INSERT INTO cars VALUES(1, 'Audi', 10), (2, NULL, 20), (9, 'Volvo', 20);
            INSERT INTO wheels VALUES(1), (1), (2)
            """
        )
    }

    private func rebuild(_ columns: SQL, _ options: SQL = "", table: String = "cars") throws {
        try connection.rebuildTable(
            table,
            columns: columns,
            options: options,
            copying: copyAll(on: connection)
        )
    }

    @Test(arguments: [
        "id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, price INTEGER",
        "id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, price INTEGER UNIQUE",
        "id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, price INTEGER CHECK(price < 15)",
    ])
    func rowsThatViolateTheNewDefinitionKeepTheOldOne(columns: SQL) throws {
        try expectNoRebuild(connection, .constraint) { try rebuild(columns) }
    }

    /// The new table has another name meanwhile, of which the user knows nothing.
    @Test(arguments: [
        ("id INTEGER PRIMARY KEY, name TEXT, price INTEGER UNIQUE", "", "failed: cars.price"),
        ("id INTEGER PRIMARY KEY, name INTEGER, price INTEGER", "STRICT", "column cars.name"),
        ("id INTEGER PRIMARY KEY, name TEXT DEFAULT, price INTEGER", "", #"main."cars"("#),
    ])
    func errorsNameTheUsersTable(columns: SQL, options: SQL, words: String) {
        guard options != "STRICT" || Capability.strictTables else { return }
        let error = expectSQLiteError { try rebuild(columns, options) }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        #expect(error?.description.contains("sqift") == false)
        if let error, let sql = error.sql, let offset = error.offset {
            #expect(sql.utf8.dropFirst(offset).starts(with: ",".utf8), "\(error)")
        }
    }

    @Test func rowsThatAreLostOrMoreKeepTheOldTable() throws {
        let columns = "id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, price INTEGER"
        for rows in ["WHERE id < 5", "WHERE 0", "UNION ALL SELECT 100, 'more', 0"] {
            let error = try expectNoRebuild(connection, .constraint) {
                try connection.rebuildTable("cars", columns: columns) { old, new in
                    try connection.run("INSERT INTO \(new) SELECT * FROM \(old) \(rows)")
                }
            }
            #expect(error?.message.contains("3") ?? false)
        }
        try expectNoRebuild(connection, .constraint) {
            try connection.rebuildTable("cars", columns: columns) { _, _ in }
        }
    }

    @Test func rowsThatWereDeletedBeforeAreMeant() throws {
        try connection.transaction {
            try connection.run("DELETE FROM cars WHERE name ISNULL")
            try rebuild("id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, price INTEGER")
        }
        try expectRows(2, of: "cars", on: connection)
    }

    @Test func anIndexOnAColumnThatIsGoneKeepsTheTable() throws {
        try connection.execute("DROP TRIGGER logged")
        try expectNoRebuild(connection, .error) {
            try connection.rebuildTable(
                "cars",
                columns: "id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT"
            ) {
                old,
                new in
                try connection.run("INSERT INTO \(new) SELECT id, name FROM \(old)")
            }
        }
        try connection.execute("DROP INDEX by_price")
        try connection.rebuildTable(
            "cars",
            columns: "id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT"
        ) { old, new in
            try connection.run("INSERT INTO \(new) SELECT id, name FROM \(old)")
        }
        #expect(try connection.columns(in: "cars").map(\.name) == ["id", "name"])
    }

    @Test(arguments: ["\"price\"", "id, \"price\" DESC", "abs(id), \"price\""])
    func anIndexOnAQuotedColumnThatIsGoneKeepsTheTable(columns: SQL) throws {
        try connection.execute("DROP INDEX by_price; DROP TRIGGER logged")
        try connection.execute("CREATE INDEX quoted ON cars(\(columns))")
        let error = try expectNoRebuild(connection, .error) {
            try connection.rebuildTable("cars", columns: "id INTEGER, name TEXT") { old, new in
                try connection.run("INSERT INTO \(new) SELECT id, name FROM \(old)")
            }
        }
        // Some builds of SQLite refuse such an index themselves, and name the column.
        let message = try #require(error?.message)
        #expect(message.contains("quoted") || message.contains("price"))
    }

    @Test func indexesOnExpressionsAndTextsComeBack() throws {
        try connection.execute(
            """
            CREATE INDEX expressions ON cars(abs(price), name);
            CREATE INDEX "in part" ON cars("id", "NAME") WHERE "price" > 5
            """
        )
        let before = try connection.indexes(on: "cars")
        try rebuild("id INTEGER PRIMARY KEY, \"Name\" TEXT, price REAL")
        let after = try connection.indexes(on: "cars")
        #expect(Set(after.map(\.name)) == Set(before.map(\.name)))
    }

    @Test func foreignKeysThatAreEnforcedAreRefused() throws {
        try connection.execute("PRAGMA foreign_keys = ON")
        let columns = "id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, price INTEGER"
        let error = try expectNoRebuild(connection, .misuse) {
            try connection.rebuildTable("cars", columns: columns) { _, _ in recordCall() }
        }
        #expect(error?.message.contains("foreign keys") ?? false)
        try expectNoRebuild(connection, .misuse) {
            try connection.transaction { try rebuild(columns) }
        }

        let migration = Migration("rebuild", options: .enforcingForeignKeys) { connection in
            try connection.rebuildTable("cars", columns: columns, copying: copyAll(on: connection))
        }
        try expectUntouched(connection, .failed, code: .misuse) {
            try migrate(connection, [migration])
        }
        try expectRows(3, of: "wheels", on: connection)
    }

    @Test(arguments: ["nowhere", "", "names", "by_price", "sqlite_schema", "cars ", "main.cars"])
    func whatIsNoTableIsRefused(name: String) throws {
        try expectNoRebuild(connection, nil) {
            try rebuild("id INTEGER PRIMARY KEY, name TEXT, price", table: name)
        }
    }

    @Test(arguments: [
        "id INTEGER PRIMARY", "", "id INTEGER PRIMARY KEY, id", "); DROP TABLE log; --",
        "x REFERENCES",
    ])
    func aDefinitionThatIsNoneIsRefused(columns: SQL) throws {
        try expectNoRebuild(connection, nil) { try rebuild(columns) }
        try expectNoRebuild(connection, nil) { try rebuild("id, name, price", "NONSENSE") }
    }

    @Test func whatTheClosureThrowsIsRethrown() throws {
        let before = try Contents(connection)
        let thrown = expectThrows(TestError.self) {
            try connection.rebuildTable("cars", columns: "id INTEGER PRIMARY KEY, name, price") {
                old,
                new in
                try connection.run("INSERT INTO \(new) SELECT * FROM \(old)")
                try connection.run("DELETE FROM \(old)")
                throw TestError(reason: "on purpose")
            }
        }
        #expect(thrown == TestError(reason: "on purpose"))
        #expect(try Contents(connection) == before)
        #expect(!connection.isInsideTransaction)
    }

    // MARK: Where it runs

    @Test func outsideAMigratorItHasATransactionOfItsOwn() throws {
        let commits = Notes<Void>()
        connection.commitHook {
            commits.note(())
            return false
        }
        try rebuild("id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, price REAL")
        connection.commitHook(nil)
        #expect(commits.all.count == 1)
        try expectRows(3, of: "wheels", on: connection)
        #expect(try connection.query("PRAGMA legacy_alter_table") == false)
    }

    @Test func inASavepointItIsUndoneWithIt() throws {
        let before = try Contents(connection)
        try connection.savepoint(named: "outer") {
            expectThrows(TestError.self) {
                try connection.savepoint(named: "inner") {
                    try rebuild("id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, price REAL")
                    #expect(try connection.columns(in: "cars").last?.declaredType == "REAL")
                    throw TestError()
                }
            }
            #expect(try Contents(connection) == before)
            try rebuild("id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, price NUMERIC")
        }
        #expect(try connection.columns(in: "cars").last?.declaredType == "NUMERIC")
        try expectSound(connection)
    }

    @Test func theOldWayToRenameIsRestored() throws {
        for legacy in [true, false] {
            try connection.execute("PRAGMA legacy_alter_table = \(legacy)")
            try rebuild("id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, price REAL")
            #expect(try connection.query("PRAGMA legacy_alter_table") == legacy)
            try expectNoRebuild(connection, .constraint) {
                try rebuild("id INTEGER PRIMARY KEY, name NOT NULL, price")
            }
        }
    }

    @Test func temporaryTriggersOnItAreDroppedAndOthersStay() throws {
        try connection.execute(
            """
            CREATE TEMP TRIGGER temporary AFTER INSERT ON main.cars BEGIN INSERT INTO log VALUES('temporary'); END;
            CREATE TEMP TRIGGER elsewhere AFTER INSERT ON main.wheels BEGIN INSERT INTO log SELECT name FROM cars; END;
            CREATE TEMP VIEW temporary_names AS SELECT name FROM cars
            """
        )
        try rebuild("id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, price REAL")
        let names: [String] = try connection.query(
            "SELECT name FROM temp.sqlite_schema ORDER BY name"
        )
        #expect(names == ["elsewhere", "temporary_names"])
        try connection.execute("INSERT INTO wheels VALUES(9)")
        try expectRows(6, of: "log", on: connection)
        try expectRows(3, of: "temporary_names", on: connection)
    }

    @Test func aStatementThatIsBeingReadKeepsTheTable() throws {
        let cursor = try connection.cursor("SELECT id FROM cars")
        _ = try cursor.next()
        let before = try Contents(connection)
        expectSQLiteError(containing: "SELECT id FROM cars") {
            try rebuild("id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, price REAL")
        }
        #expect(try Contents(connection) == before)
        withExtendedLifetime(cursor) {}
    }

    @Test(arguments: ["TABLE cars(id)", "VIEW cars AS SELECT 1 AS id"])
    func whatHidesTheTableIsNamed(definition: String) throws {
        try connection.execute("CREATE TEMP \(definition)")
        expectSQLiteError(.misuse, containing: "a temporary table or view hides it") {
            try rebuild("id INTEGER PRIMARY KEY, name TEXT, price INTEGER")
        }
    }
}

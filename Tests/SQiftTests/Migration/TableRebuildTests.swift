import Foundation
import SQift
import SQiftTestSupport
import Testing

// A table that gets another definition.
struct TableRebuildTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute("PRAGMA foreign_keys = OFF")
    }

    private func rebuild(_ table: String, _ columns: SQL, _ options: SQL = "") throws {
        try connection.rebuildTable(
            table,
            columns: columns,
            options: options,
            copying: copyAll(on: connection)
        )
    }

    @Test func theDefinitionChangesAndTheRowsStay() throws {
        try connection.execute("CREATE TABLE cars(id INTEGER PRIMARY KEY, name, price)")
        try connection.execute(
            "INSERT INTO cars VALUES(3, 'Audi', 1.5), (7, NULL, x'00ff'), (9, 'Škoda', 9223372036854775807)"
        )
        try connection.rebuildTable(
            "cars",
            columns: "price, id INTEGER PRIMARY KEY, name TEXT DEFAULT 'none'"
        ) {
            old,
            new in
            try connection.run(
                "INSERT INTO \(new)(id, name, price) SELECT id, name, price FROM \(old)"
            )
        }
        #expect(try connection.columns(in: "cars").map(\.name) == ["price", "id", "name"])
        #expect(try connection.columns(in: "cars").map(\.declaredType) == ["", "INTEGER", "TEXT"])
        #expect(
            try Contents(connection).rows["cars"] == [
                "1.5, 3, 'Audi'", "9223372036854775807, 9, 'Škoda'", "X'00FF', 7, NULL",
            ]
        )
        #expect(try tables(of: connection) == ["cars"])
        try expectSound(connection)
        #expect(!connection.isInsideTransaction)
    }

    @Test func indexesStay() throws {
        try connection.execute(
            """
            CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT, price INTEGER, UNIQUE(name, price));
            CREATE INDEX plain ON cars(name);
            CREATE UNIQUE INDEX "unique 'one'" ON cars(name COLLATE NOCASE DESC, id);
            CREATE INDEX partial ON cars(price) WHERE price > 100;
            CREATE INDEX expression ON cars(lower(name) || price);
            CREATE INDEX capitals ON CARS(PRICE);
            INSERT INTO cars VALUES(1, 'Audi', 500), (2, 'Škoda', 50)
            """
        )
        let (indexes, sql) = (try connection.indexes(on: "cars"), try indexSQL())
        try rebuild(
            "cars",
            "id INTEGER PRIMARY KEY, name TEXT NOT NULL, price INTEGER, UNIQUE(name, price)"
        )
        #expect(try connection.indexes(on: "cars") == indexes)
        #expect(try indexSQL() == sql)
        try expectSound(connection)
        let plan: [String] = try connection.query(
            "EXPLAIN QUERY PLAN SELECT id FROM cars WHERE price > 200"
        ) {
            try $0.get(3)
        }
        #expect(plan.first?.contains("INDEX") ?? false)
    }

    private func indexSQL() throws -> [String] {
        try connection.query(
            "SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql NOTNULL ORDER BY name"
        )
    }

    @Test func triggersStayAndDoNotFireMeanwhile() throws {
        try connection.execute(
            """
            CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE log(message TEXT);
            CREATE TABLE orders(car INTEGER);
            INSERT INTO cars VALUES(1, 'Audi');
            CREATE TRIGGER inserted AFTER INSERT ON cars BEGIN INSERT INTO log VALUES('new ' || new.name); END;
            CREATE TRIGGER updated AFTER UPDATE OF name ON Cars WHEN old.name <> new.name BEGIN
                INSERT INTO log SELECT 'now ' || name FROM cars WHERE id = new.id;
            END;
            CREATE TRIGGER deleted BEFORE DELETE ON cars BEGIN INSERT INTO log VALUES('gone ' || old.name); END;
            CREATE TRIGGER ordered AFTER INSERT ON orders BEGIN
                INSERT INTO cars(id) SELECT new.car WHERE NOT EXISTS(SELECT 1 FROM cars WHERE id = new.car);
                UPDATE cars SET name = 'ordered' WHERE id = new.car;
            END
            """
        )
        let triggers = try connection.triggers(on: "cars") + connection.triggers(on: "orders")
        try rebuild("cars", "id INTEGER PRIMARY KEY, name TEXT DEFAULT 'unnamed'")
        #expect(try connection.triggers(on: "cars") + connection.triggers(on: "orders") == triggers)
        try expectRows(0, of: "log", on: connection)

        try connection.execute("INSERT INTO orders VALUES(5); DELETE FROM cars WHERE id = 1")
        #expect(
            try connection.query("SELECT message FROM log ORDER BY rowid") == [
                "new unnamed", "now ordered", "gone Audi",
            ]
        )
    }

    @Test func viewsStayAndMeanTheNewTable() throws {
        try connection.execute(
            """
            CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO cars VALUES(1, 'Audi');
            CREATE VIEW names AS SELECT name FROM cars;
            CREATE VIEW loud AS SELECT upper(name) AS name FROM names JOIN "cars" USING(name);
            CREATE TRIGGER naming INSTEAD OF INSERT ON names BEGIN INSERT INTO cars(name) VALUES(new.name); END
            """
        )
        let views = try Contents(connection).schema.filter { !$0.hasPrefix("table") }
        try rebuild("cars", "id INTEGER PRIMARY KEY, name TEXT NOT NULL")
        #expect(try Contents(connection).schema.filter { !$0.hasPrefix("table") } == views)
        try connection.run("INSERT INTO names VALUES('Volvo')")
        #expect(try connection.query("SELECT name FROM loud ORDER BY name") == ["AUDI", "VOLVO"])
    }

    @Test func foreignKeysOfChildrenAndItsOwnMeanTheNewTable() throws {
        try connection.execute(
            """
            CREATE TABLE people(id INTEGER PRIMARY KEY, mother INTEGER REFERENCES people);
            CREATE TABLE cars(owner INTEGER REFERENCES people(id) ON DELETE CASCADE);
            CREATE TABLE "more cars"(owner INTEGER, FOREIGN KEY(owner) REFERENCES "people" ON DELETE SET NULL);
            INSERT INTO people VALUES(1, NULL), (2, 1);
            INSERT INTO cars VALUES(1), (2);
            INSERT INTO "more cars" VALUES(2)
            """
        )
        let children =
            try connection.foreignKeys(of: "cars") + connection.foreignKeys(of: "more cars")
        try rebuild(
            "people",
            "id INTEGER PRIMARY KEY, mother INTEGER REFERENCES people(id) ON DELETE SET NULL"
        )
        #expect(
            try connection.foreignKeys(of: "cars") + connection.foreignKeys(of: "more cars")
                == children
        )
        #expect(try connection.foreignKeys(of: "people").map(\.parentTable) == ["people"])
        #expect(try connection.foreignKeyViolations() == [])
        try expectRows(2, of: "cars", on: connection)

        try connection.execute("PRAGMA foreign_keys = ON; DELETE FROM people WHERE id = 1")
        try expectRows(1, of: "cars", on: connection)
        #expect(try connection.query("SELECT count(*) FROM people WHERE mother ISNULL") == 1)
        expectSQLiteError(.constraint) { try connection.run("INSERT INTO cars VALUES(9)") }
    }

    // MARK: Counters

    private func nextID() throws -> Int64 {
        try connection.run("INSERT INTO cars(name) VALUES('next')")
        return connection.lastInsertRowID
    }

    @Test(arguments: [
        "INSERT INTO cars VALUES(5, 'a'), (9, 'b')",
        "INSERT INTO cars VALUES(9, 'a'); DELETE FROM cars",
    ])
    func anAutoincrementKeepsItsCounter(filling: SQL) throws {
        try connection.execute(
            "CREATE TABLE cars(id INTEGER PRIMARY KEY AUTOINCREMENT, name); \(filling)"
        )
        try connection.execute(
            "CREATE TABLE others(id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO others VALUES(77)"
        )
        try rebuild("cars", "id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT")
        let counters: [String] = try connection.query(
            "SELECT name || seq FROM sqlite_sequence ORDER BY name"
        )
        #expect(counters == ["cars9", "others77"])
        #expect(try nextID() == 10)
    }

    @Test func deletedTopRowsDoNotComeBack() throws {
        try connection.execute("CREATE TABLE cars(id INTEGER PRIMARY KEY AUTOINCREMENT, name)")
        try connection.execute(
            "INSERT INTO cars VALUES(1, 'a'), (100, 'b'); DELETE FROM cars WHERE id = 100"
        )
        try rebuild("cars", "id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT")
        #expect(try nextID() == 101)
    }

    @Test func aTableThatIsNamedInAnotherCaseKeepsItsCounter() throws {
        try connection.execute("CREATE TABLE Cars(id INTEGER PRIMARY KEY AUTOINCREMENT, name)")
        try connection.execute("INSERT INTO Cars VALUES(9, 'a'); DELETE FROM Cars")
        try rebuild("cars", "id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT")
        #expect(try nextID() == 10)
    }

    @Test func anAutoincrementMayComeAndGo() throws {
        try connection.execute(
            "CREATE TABLE cars(id INTEGER PRIMARY KEY, name); INSERT INTO cars VALUES(4, 'a')"
        )
        try rebuild("cars", "id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT")
        try connection.execute("INSERT INTO cars VALUES(8, 'b'); DELETE FROM cars WHERE id = 8")
        #expect(try nextID() == 9)
        try rebuild("cars", "id INTEGER PRIMARY KEY, name TEXT")
        try connection.execute("DELETE FROM cars WHERE id = 9")
        #expect(try nextID() == 5)
        try expectRows(0, of: "sqlite_sequence", on: connection)
    }

    @Test func aCounterThatTheCopyRaisesStaysRaised() throws {
        try connection.execute("CREATE TABLE cars(id INTEGER PRIMARY KEY AUTOINCREMENT, name)")
        try connection.execute("INSERT INTO cars VALUES(1, 'a'), (9, 'b')")
        let columns = "id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT"
        try connection.rebuildTable("cars", columns: columns) { old, new in
            try connection.run("INSERT INTO \(new) SELECT id + 100, name FROM \(old)")
        }
        try connection.run("DELETE FROM cars")
        #expect(try nextID() == 110)
    }

    @Test func aCounterOfATableThatNeverHadRowsIsFine() throws {
        try connection.execute("CREATE TABLE cars(id INTEGER PRIMARY KEY AUTOINCREMENT, name)")
        try rebuild("cars", "id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT")
        #expect(try nextID() == 1)
    }

    // MARK: Options and columns

    @Test(.enabled(if: Capability.strictTables, "this SQLite has no STRICT tables"))
    func tablesBecomeStrictAndLoseTheirRowid() throws {
        try connection.execute(
            "CREATE TABLE keys(a TEXT, b INTEGER); INSERT INTO keys VALUES('x', 1), ('y', 2)"
        )
        try rebuild(
            "keys",
            "a TEXT NOT NULL, b INTEGER, PRIMARY KEY(a, b)",
            "STRICT, WITHOUT ROWID"
        )
        expectSQLiteError(.constraint) {
            try connection.run("INSERT INTO keys VALUES('z', 'text')")
        }
        expectSQLiteError { let _: Int? = try connection.query("SELECT rowid FROM keys") }
        #expect(try connection.primaryKey(of: "keys") == ["a", "b"])
        try rebuild("keys", "a TEXT, b")
        try connection.run("INSERT INTO keys VALUES('z', 'text')")
        try expectRows(3, of: "keys", on: connection)
    }

    @Test func generatedColumnsComeAndGo() throws {
        try connection.execute(
            "CREATE TABLE t(a INTEGER, double AS (a * 2)); INSERT INTO t(a) VALUES(1), (2)"
        )
        try connection.execute("CREATE INDEX doubles ON t(double)")
        try connection.rebuildTable(
            "t",
            columns: "a INTEGER NOT NULL, double AS (a * 2) STORED, half AS (a / 2.0)"
        ) {
            old,
            new in
            try connection.run("INSERT INTO \(new)(a) SELECT a FROM \(old)")
        }
        #expect(try Contents(connection).rows["t"] == ["1, 2, 0.5", "2, 4, 1.0"])
        #expect(try connection.indexes(on: "t").map(\.name) == ["doubles"])
        try connection.rebuildTable("t", columns: "a, double") { old, new in
            try connection.run("INSERT INTO \(new) SELECT a, double FROM \(old)")
        }
        #expect(try connection.columns(in: "t").map(\.kind) == [.ordinary, .ordinary])
    }

    @Test(arguments: [
        "we\"ird", "it's", "größe 日本", "select", "a.b", "[x]", "`tick`", "a b", "%s", "sqift",
    ])
    func anyNameIsRebuilt(name: String) throws {
        let table = quoted(name)
        try connection.execute(
            """
            CREATE TABLE \(table)(id INTEGER PRIMARY KEY AUTOINCREMENT, "co""l" TEXT);
            CREATE INDEX \(quoted(name + " index")) ON \(table)("co""l");
            CREATE TABLE child(p REFERENCES \(table));
            CREATE TRIGGER \(quoted(name + " trigger")) AFTER DELETE ON \(table) BEGIN DELETE FROM child; END;
            CREATE VIEW \(quoted(name + " view")) AS SELECT * FROM \(table);
            INSERT INTO \(table) VALUES(5, 'a');
            INSERT INTO child VALUES(5)
            """
        )
        let before = try Contents(connection)
        try rebuild(name, "id INTEGER PRIMARY KEY AUTOINCREMENT, \"co\"\"l\" TEXT")
        #expect(try Contents(connection) == before)
        #expect(try connection.foreignKeyViolations() == [])
        let column: String? = try connection.query(
            "SELECT \"co\"\"l\" FROM \(quoted(name + " view"))"
        )
        #expect(column == "a")
    }

    @Test func aDefinitionMayHaveCommentsAndLines() throws {
        try connection.execute(
            "CREATE TABLE cars(id INTEGER PRIMARY KEY, name); INSERT INTO cars VALUES(1, 'a')"
        )
        try rebuild(
            "cars",
            "/* 1 */ id INTEGER PRIMARY KEY, -- its number\n    name TEXT NOT NULL /* never empty */\n"
        )
        #expect(try connection.columns(in: "cars").last?.isNotNull == true)
        try rebuild("cars", "id INTEGER PRIMARY KEY,\n    name TEXT -- may be empty")
        #expect(try connection.columns(in: "cars").last?.isNotNull == false)
    }

    @Test func aViewThatIsBrokenAlreadyDoesNotMatter() throws {
        try connection.execute(
            "CREATE TABLE cars(id INTEGER PRIMARY KEY, name); INSERT INTO cars VALUES(1, 'a')"
        )
        try connection.execute(
            "CREATE TABLE gone(x); CREATE VIEW broken AS SELECT x, name FROM gone, cars; DROP TABLE gone"
        )
        try rebuild("cars", "id INTEGER PRIMARY KEY, name TEXT")
        #expect(try connection.columns(in: "cars").last?.declaredType == "TEXT")
        #expect(try connection.viewExists("broken"))
    }

    @Test func aRebuildCanBeRepeated() throws {
        try connection.execute(
            "CREATE TABLE cars(id INTEGER PRIMARY KEY, name); INSERT INTO cars VALUES(1, 'a')"
        )
        try connection.execute("CREATE INDEX by_name ON cars(name)")
        for _ in 0..<5 {
            try rebuild("cars", "id INTEGER PRIMARY KEY, name")
        }
        #expect(try Contents(connection).rows == ["cars": ["1, 'a'"]])
        #expect(try connection.indexes(on: "cars").map(\.name) == ["by_name"])
    }

    @Test func itMeansTheTableInMain() throws {
        try connection.execute(
            """
            CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT);
            CREATE INDEX by_name ON cars(name);
            CREATE TRIGGER deleted AFTER DELETE ON cars BEGIN SELECT 1; END;
            INSERT INTO cars VALUES(1, 'main');
            ATTACH ':memory:' AS other;
            CREATE TABLE other.cars(id, name);
            INSERT INTO other.cars VALUES(3, 'other')
            """
        )
        try rebuild("cars", "id INTEGER PRIMARY KEY, name TEXT NOT NULL")
        #expect(try connection.query("SELECT name FROM main.cars") == "main")
        #expect(try connection.query("SELECT name FROM other.cars") == "other")
        #expect(
            try connection.columns(in: "cars", database: "main").map(\.isNotNull) == [false, true]
        )
        #expect(try connection.indexes(on: "cars", database: "main").map(\.name) == ["by_name"])
        #expect(try connection.triggers(on: "cars", database: "main").map(\.name) == ["deleted"])
    }

    @Test func aTemporaryTableThatHidesItRefusesIt() throws {
        try connection.execute(
            "CREATE TABLE cars(id, name); CREATE INDEX by_name ON cars(name); CREATE TEMP TABLE Cars(id)"
        )
        let before = try Contents(connection)
        expectSQLiteError(.misuse) { try rebuild("cars", "id, name TEXT") }
        #expect(try Contents(connection) == before)
    }

    @Test func aHardenedConnectionRebuilds() throws {
        var configuration = Connection.Configuration()
        configuration.hardened = true
        configuration.foreignKeys = false
        let connection = try Connection(storageLocation: .inMemory, configuration: configuration)
        try connection.execute("CREATE TABLE cars(id INTEGER PRIMARY KEY AUTOINCREMENT, name)")
        try connection.execute("INSERT INTO cars VALUES(5, 'a'); CREATE INDEX i ON cars(name)")
        try connection.rebuildTable(
            "cars",
            columns: "id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT",
            copying: copyAll(on: connection)
        )
        #expect(try connection.columns(in: "cars").map(\.declaredType) == ["INTEGER", "TEXT"])
    }
}

import Foundation
import SQift
import SQiftTestSupport
import Testing

struct IntegrityTests {
    private let folder = TemporaryFolder.fresh
    private let path: String

    init() throws {
        path = folder.path()
        let connection = try Connection(path: path)
        try connection.execute("CREATE TABLE t(x, y); CREATE INDEX i ON t(x)")
        try connection.run("INSERT INTO t " + numbers(to: 200, selecting: "n, -n"))
    }

    private func open() throws -> Connection {
        try Connection(path: path)
    }

    /// Makes the index say that it is one of another column.
    private func damageIndex() throws {
        try open().execute(
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON t(y)' WHERE name = 'i'"
        )
    }

    // MARK: Checks

    @Test func aSoundDatabaseHasNothingToReport() throws {
        let connection = try open()
        try expectSound(connection)
        #expect(try connection.quickCheck() == [])
        #expect(try connection.integrityCheck(maximumErrors: Int.max, database: "main") == [])
        #expect(try connection.quickCheck(maximumErrors: 1, database: "main") == [])
        try expectSound(Connection())
    }

    @Test func onlyTheIntegrityCheckComparesIndexesWithTables() throws {
        try damageIndex()
        let found = try open().integrityCheck()
        #expect(found.count == 100)
        #expect(found.first?.contains("missing from index i") == true)
        #expect(try open().quickCheck() == [])
    }

    @Test(arguments: [1, 2, 7, 99])
    func itStopsAfterSoManyErrors(maximum: Int) throws {
        try damageIndex()
        #expect(try open().integrityCheck(maximumErrors: maximum).count == maximum)
    }

    @Test func allErrorsAreFoundWithAHighMaximum() throws {
        try damageIndex()
        #expect(try open().integrityCheck(maximumErrors: Int.max).count >= 200)
    }

    @Test(arguments: [0, -1, Int.min])
    func aMaximumBelowOneIsAMisuse(maximum: Int) throws {
        let connection = try open()
        expectSQLiteError(.misuse) { _ = try connection.integrityCheck(maximumErrors: maximum) }
        expectSQLiteError(.misuse) { _ = try connection.quickCheck(maximumErrors: maximum) }
    }

    @Test func bothFindADamagedPage() throws {
        let root: Int = try open().query("SELECT rootpage FROM sqlite_schema WHERE name = 't'")
        // The number of fragmented free bytes in the page's header.
        try overwrite(path, at: (root - 1) * 4096 + 7, with: Data([50]))
        for found in [try open().integrityCheck(), try open().quickCheck()] {
            #expect(found.contains { $0.contains("Fragmentation of") }, "\(found)")
        }
    }

    @Test func whatKeepsSQLiteFromLookingThrows() throws {
        let root: Int = try open().query("SELECT rootpage FROM sqlite_schema WHERE name = 't'")
        try overwrite(path, at: (root - 1) * 4096, with: Data(repeating: 0xff, count: 4096))
        expectSQLiteError(.corrupt) { _ = try open().integrityCheck() }
        try overwrite(path, at: 0, with: Data(repeating: 0xff, count: 4096))
        expectSQLiteError(.notADatabase) { _ = try open().integrityCheck() }
        expectSQLiteError(.notADatabase) { _ = try open().quickCheck(database: "main") }
        try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: path))
        expectSQLiteError(.notADatabase) { _ = try open().integrityCheck() }
        expectSQLiteError(.notADatabase) { _ = try open().foreignKeyViolations() }
    }

    @Test(arguments: ["other", "it's \"other\"", "日本"])
    func itChecksOneDatabaseOrAll(name: String) throws {
        try damageIndex()
        let connection = try Connection()
        try connection.execute("CREATE TABLE a(x)")
        try connection.attachDatabase(from: .onDisk(path), withName: name)
        #expect(try connection.integrityCheck(database: "main") == [])
        #expect(try !connection.integrityCheck(database: name).isEmpty)
        #expect(try !connection.integrityCheck().isEmpty)
        #expect(try connection.quickCheck(database: name) == [])
    }

    @Test(arguments: ["nowhere", "main\0", "main.integrity_check; --"])
    func anUnknownDatabaseThrows(name: String) throws {
        let connection = try open()
        expectSQLiteError { _ = try connection.integrityCheck(database: name) }
        expectSQLiteError { _ = try connection.quickCheck(database: name) }
        expectSQLiteError { _ = try connection.foreignKeyViolations(database: name) }
    }

    // MARK: Foreign keys

    @Test func violationsAreFoundWhetherOrNotKeysAreEnforced() throws {
        let connection = try open()
        try connection.execute(
            """
            CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(a REFERENCES p, b REFERENCES p(id));
            INSERT INTO p VALUES(1); INSERT INTO c VALUES(1, 1), (NULL, 7), (8, 1), (NULL, NULL);
            """
        )
        for isEnforced in [false, true] {
            try connection.execute("PRAGMA foreign_keys = \(isEnforced)")
            let found = try connection.foreignKeyViolations().sorted {
                ($0.rowID ?? 0) < ($1.rowID ?? 0)
            }
            #expect(found.map(\.rowID) == [2, 3])
            #expect(found.map(\.columns) == [["b"], ["a"]])
            #expect(
                found.allSatisfy { $0.table == "c" && $0.parent == "p" && $0.database == "main" }
            )
            #expect(found.first?.description == "row 2 of main.c has no parent in p for (b)")
        }
        try connection.execute("INSERT INTO p VALUES(7), (8)")
        #expect(try connection.foreignKeyViolations() == [])
    }

    @Test func compositeKeysAndTablesWithoutRowid() throws {
        let connection = try Connection()
        try connection.execute(
            """
            CREATE TABLE p(a, b, PRIMARY KEY(a, b)) WITHOUT ROWID;
            CREATE TABLE c(id PRIMARY KEY, x, y, FOREIGN KEY(y, x) REFERENCES p(b, a)) WITHOUT ROWID;
            INSERT INTO p VALUES(1, 2); INSERT INTO c VALUES('good', 1, 2), ('bad', 2, 1), ('half', NULL, 2);
            """
        )
        let found = try connection.foreignKeyViolations()
        #expect(found.map(\.rowID) == [nil])
        #expect(found.map(\.columns) == [["y", "x"]])
        #expect(found.first?.description == "a row of main.c has no parent in p for (y, x)")
    }

    @Test func aMissingParentTableHasNoRows() throws {
        let connection = try Connection()
        try connection.execute("CREATE TABLE c(x REFERENCES gone); INSERT INTO c VALUES(1)")
        #expect(try connection.foreignKeyViolations().map(\.parent) == ["gone"])
    }

    @Test func everyDatabaseIsCheckedOrTheOneThatIsAskedFor() throws {
        let connection = try Connection()
        let name = "it's \"other\""
        try connection.attachDatabase(from: .inMemory, withName: name)
        for (database, column) in [("main", "m"), ("temp", "t"), (name, "o")] {
            let quoted = database.sqift.quotedIdentifier
            try connection.execute(
                "CREATE TABLE \(quoted).c(\(column) REFERENCES p); INSERT INTO \(quoted).c VALUES(1)"
            )
        }
        let all = try connection.foreignKeyViolations()
        #expect(Set(all.map(\.database)) == ["main", "temp", name])
        #expect(all.count == 3)
        for (database, column) in [("main", "m"), ("temp", "t"), (name, "o")] {
            let found = try connection.foreignKeyViolations(database: database)
            #expect(found.map(\.database) == [database])
            #expect(found.map(\.columns) == [[column]])
        }
    }

    @Test func aParentThatIsNotUniqueThrows() throws {
        let connection = try Connection()
        try connection.execute(
            "CREATE TABLE p(a, b); CREATE TABLE c(x REFERENCES p(a));"
                + "INSERT INTO p VALUES(1, 1); INSERT INTO c VALUES(1)"
        )
        expectSQLiteError(containing: "foreign key mismatch") {
            _ = try connection.foreignKeyViolations()
        }
    }

    // MARK: The WAL

    @Test func theFixIsInSomeVersions() {
        let version = Connection.sqliteVersion
        let hasFix =
            ["3.50.7", "3.50.8", "3.44.6", "3.44.7"].contains(version)
            || version.compare("3.51.3", options: .numeric) != .orderedAscending
        #expect(Connection.hasWALResetFix == hasFix)
    }
}

// Only the library makes the descriptions of columns and indexes.
import SQiftTestSupport
import Testing

@testable import SQift

/// Indexes, foreign keys and triggers.
struct SchemaDetailTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
    }

    private typealias Column = Connection.TableIndex.Column

    // MARK: Indexes

    @Test func indexesComeByNameWithTheirOrigin() throws {
        try connection.execute(
            """
            CREATE TABLE t(a PRIMARY KEY, b, c, UNIQUE(c, b));
            CREATE INDEX z ON t(b); CREATE UNIQUE INDEX m ON t(c) WHERE c IS NOT NULL;
            """
        )
        let indexes = try connection.indexes(on: "T")
        #expect(indexes.map(\.name) == ["m", "sqlite_autoindex_t_1", "sqlite_autoindex_t_2", "z"])
        #expect(indexes.map(\.origin) == [.createIndex, .primaryKey, .unique, .createIndex])
        #expect(indexes.map(\.isUnique) == [true, true, true, false])
        #expect(indexes.map(\.isPartial) == [true, false, false, false])
        #expect(indexes.map { $0.columns.map(\.name) } == [["c"], ["a"], ["c", "b"], ["b"]])
    }

    @Test func anIndexColumnHasItsOrderAndCollation() throws {
        try connection.execute(
            """
            CREATE TABLE t(a COLLATE NOCASE, b);
            CREATE INDEX i ON t(b DESC, a, b COLLATE RTRIM, lower(b), a COLLATE BINARY DESC);
            """
        )
        let index = try #require(try connection.indexes(on: "t").first)
        let expected = [
            Column(name: "b", isDescending: true, collation: "BINARY"),
            Column(name: "a", isDescending: false, collation: "NOCASE"),
            Column(name: "b", isDescending: false, collation: "RTRIM"),
            Column(name: nil, isDescending: false, collation: "BINARY"),
            Column(name: "a", isDescending: true, collation: "BINARY"),
        ]
        #expect(index.columns == expected)
    }

    @Test func anIntegerPrimaryKeyHasNoIndexAndATableWithoutRowidIsOne() throws {
        try connection.execute(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE TABLE w(a, b, c, PRIMARY KEY(b, a)) WITHOUT ROWID;"
                + "CREATE INDEX i ON w(c)"
        )
        #expect(try connection.indexes(on: "t") == [])
        let indexes = try connection.indexes(on: "w")
        #expect(indexes.map(\.origin) == [.createIndex, .primaryKey])
        #expect(indexes.map { $0.columns.map(\.name) } == [["c"], ["b", "a"]])
    }

    @Test func indexesOfTheSameNameAreKeptApart() throws {
        try connection.attachDatabase(from: .inMemory, withName: "other")
        try connection.execute(
            """
            CREATE TABLE main.t(m); CREATE TABLE other.t(o); CREATE TEMP TABLE u(e);
            CREATE INDEX main.i ON t(m); CREATE INDEX other.i ON t(o); CREATE INDEX temp.i ON u(e);
            """
        )
        let found = try ["main", "other"].map {
            try connection.indexes(on: "t", database: $0).map(\.columns)
        }
        #expect(found.map { $0.map { $0.map(\.name) } } == [[["m"]], [["o"]]])
        #expect(try connection.indexes(on: "u").map { $0.columns.map(\.name) } == [["e"]])
    }

    // MARK: Foreign keys

    @Test func foreignKeysComeInTheOrderOfTheirDeclaration() throws {
        try connection.execute(
            """
            CREATE TABLE p(a, b, PRIMARY KEY(a, b));
            CREATE TABLE c(
                w REFERENCES Parent ON DELETE CASCADE, x, y, z REFERENCES p(b) ON UPDATE SET NULL ON DELETE RESTRICT,
                FOREIGN KEY(y, x) REFERENCES p(a, b) DEFERRABLE INITIALLY DEFERRED,
                FOREIGN KEY(x, y) REFERENCES p ON DELETE SET DEFAULT
            );
            """
        )
        let keys = try connection.foreignKeys(of: "c")
        #expect(keys.map(\.parentTable) == ["Parent", "p", "p", "p"])
        #expect(keys.map(\.columns) == [["w"], ["z"], ["y", "x"], ["x", "y"]])
        #expect(keys.map(\.parentColumns) == [[], ["b"], ["a", "b"], []])
        #expect(keys.map(\.onUpdate) == ["NO ACTION", "SET NULL", "NO ACTION", "NO ACTION"])
        #expect(keys.map(\.onDelete) == ["CASCADE", "RESTRICT", "NO ACTION", "SET DEFAULT"])
        #expect(try connection.foreignKeys(of: "p") == [])
    }

    @Test func moreThanTenForeignKeysStayInOrder() throws {
        let columns = (0..<12).map { "c\($0) REFERENCES p(x)" }.joined(separator: ", ")
        try connection.execute("CREATE TABLE p(x UNIQUE); CREATE TABLE c(\(columns))")
        #expect(try connection.foreignKeys(of: "c").map(\.columns) == (0..<12).map { ["c\($0)"] })
    }

    // MARK: Triggers

    private func trigger(_ name: String, on table: String) -> String {
        "CREATE TRIGGER \(name) AFTER INSERT ON \(table) BEGIN SELECT 1; END"
    }

    private func temporary(_ name: String, on table: String) -> String {
        trigger(name, on: table).replacing("CREATE", with: "CREATE TEMP")
    }

    @Test func triggersHaveTheirSQL() throws {
        try connection.execute("CREATE TABLE t(x); CREATE TABLE u(x); " + trigger("b", on: "t"))
        try connection.execute(trigger("a", on: "T") + ";" + trigger("c", on: "u"))
        let triggers = try connection.triggers(on: "t")
        #expect(triggers.map(\.name) == ["a", "b"])
        #expect(triggers.map(\.sql) == [trigger("a", on: "T"), trigger("b", on: "t")])
        #expect(triggers.allSatisfy { !$0.isTemporary })
    }

    @Test func viewsHaveTriggers() throws {
        let sql = "CREATE TRIGGER r INSTEAD OF DELETE ON v BEGIN SELECT 1; END"
        try connection.execute("CREATE VIEW v AS SELECT 1 AS x;" + sql)
        #expect(try connection.triggers(on: "V").map(\.sql) == [sql])
    }

    @Test func temporaryTriggersBelongToTheConnection() throws {
        try connection.execute(
            "CREATE TABLE t(x); " + trigger("a", on: "t") + ";" + temporary("b", on: "t")
        )
        for database in ["main", nil] {
            let triggers = try connection.triggers(on: "t", database: database)
            #expect(triggers.map(\.name) == ["a", "b"])
            #expect(triggers.map(\.isTemporary) == [false, true])
        }
    }

    @Test func triggersAreByNameWhereverTheyAre() throws {
        try connection.execute(
            "CREATE TABLE t(x); " + trigger("b", on: "t") + ";" + temporary("a", on: "t")
        )
        #expect(try connection.triggers(on: "t").map(\.name) == ["a", "b"])
    }

    @Test(arguments: ["temp", "TEMP", nil])
    func aTemporaryTablesTriggerIsTemporary(database: String?) throws {
        try connection.execute("CREATE TEMP TABLE t(x); " + temporary("a", on: "t"))
        let triggers = try connection.triggers(on: "t", database: database)
        #expect(triggers.map(\.name) == ["a"])
        #expect(triggers.map(\.isTemporary) == [true])
    }

    @Test func aTemporaryTriggerIsThatOfEveryTableOfTheName() throws {
        try connection.attachDatabase(from: .inMemory, withName: "other")
        try connection.execute(
            "CREATE TABLE main.t(x); CREATE TABLE other.t(x); CREATE TEMP TABLE t(x)"
        )
        try connection.execute(temporary("a", on: "main.t"))
        for database in ["main", "other", "temp"] {
            let triggers = try connection.triggers(on: "t", database: database)
            #expect(triggers.map(\.name) == ["a"])
            #expect(triggers.first?.isTemporary == true)
            #expect(triggers.first?.sql.contains("ON main.t") == true)
        }
    }
}

import Foundation
import SQiftTestSupport
import Testing

import SQift

struct StatementMetadataTests {
    private let connection: Connection
    private let joined =
        "SELECT p.id, p.name AS label, p.plain, price, count(*) AS n, max(p.id) + 1 AS next "
        + "FROM people AS p, other.prices"

    init() throws {
        connection = try Connection()
        try connection.execute(
            """
            CREATE TABLE people(id INTEGER PRIMARY KEY, name VARCHAR(20), plain);
            INSERT INTO people VALUES(1, 'Ada', NULL), (2, 'Eva', NULL);
            CREATE VIEW names AS SELECT name AS label FROM people;
            ATTACH ':memory:' AS other;
            CREATE TABLE other.prices(price REAL)
            """
        )
    }

    // MARK: Parameters

    @Test(
        arguments: [
            ("SELECT 1", []),
            ("SELECT ?, ?", [nil, nil]),
            ("SELECT :a, @b, $c", [":a", "@b", "$c"]),
            ("SELECT :a, :b, :a", [":a", ":b"]),
            ("SELECT :a, @a", [":a", "@a"]),
            ("SELECT ?, :größe, ?4", [nil, ":größe", nil, "?4"]),
            ("INSERT INTO people VALUES(:id, ?, NULL)", [":id", nil]),
        ] as [(SQL, [String?])]
    )
    func parametersHaveTheirNamesInOrder(sql: SQL, names: [String?]) throws {
        let statement = try connection.prepare(sql)
        #expect(statement.parameterNames == names)
        #expect(statement.parameterNames.count == statement.parameterCount)
    }

    @Test func bindingAndRunningChangeNoName() throws {
        let statement = try connection.prepare("SELECT :a, ?", 1, nil)
        try statement.forEachRow { _ in
            let names = statement.parameterNames
            #expect(names == [":a", nil])
        }
        #expect(statement.parameterNames == [":a", nil])
    }

    // MARK: Columns

    @Test func columnsHaveTheirNamesAndDeclaredTypes() throws {
        let columns = try connection.prepare(joined).resultColumns
        #expect(columns.map(\.name) == ["id", "label", "plain", "price", "n", "next"])
        let types: [String?] = ["INTEGER", "VARCHAR(20)", nil, "REAL", nil, nil]
        #expect(columns.map(\.declaredType) == types)
    }

    @Test(.enabled(if: Capability.columnMetadata, "this SQLite was built without it"))
    func columnsSayWhereTheyComeFrom() throws {
        let columns = try connection.prepare(joined).resultColumns
        let databases: [String?] = ["main", "main", "main", "other", nil, nil]
        #expect(columns.map(\.database) == databases)
        let tables: [String?] = ["people", "people", "people", "prices", nil, nil]
        #expect(columns.map(\.table) == tables)
        let origins: [String?] = ["id", "name", "plain", "price", nil, nil]
        #expect(columns.map(\.origin) == origins)
    }

    @Test(.enabled(if: Capability.columnMetadata, "this SQLite was built without it"))
    func aViewsColumnComesFromItsTable() throws {
        let column = try #require(connection.prepare("SELECT label FROM names").resultColumns.first)
        #expect(column.name == "label")
        #expect(column.declaredType == "VARCHAR(20)")
        #expect(column.table == "people")
        #expect(column.origin == "name")
    }

    @Test(.disabled(if: Capability.columnMetadata, "this SQLite was built with it"))
    func withoutColumnMetadataTheOriginIsUnknown() throws {
        let columns = try connection.prepare(joined).resultColumns
        #expect(columns.count == 6)
        #expect(columns.allSatisfy { $0.database == nil && $0.table == nil && $0.origin == nil })
    }

    @Test(arguments: [
        "DELETE FROM people", "CREATE TABLE u(x)", "UPDATE people SET name = NULL", "BEGIN",
    ])
    func aStatementWithoutAResultHasNoColumns(sql: SQL) throws {
        #expect(try connection.prepare(sql).resultColumns == [])
    }

    @Test func itMayBeAskedBetweenTheRows() throws {
        let statement = try connection.prepare("SELECT id FROM people ORDER BY id")
        var seen: [Int] = []
        try statement.forEachRow { row in
            let columns = statement.resultColumns
            #expect(columns.map(\.name) == ["id"])
            #expect(columns.first?.declaredType == "INTEGER")
            try seen.append(row.get("id"))
        }
        #expect(seen == [1, 2])
    }

    @Test func aColumnThatIsAddedIsThereAfterTheNextRun() throws {
        let statement = try connection.prepare("SELECT * FROM people")
        #expect(statement.resultColumns.map(\.name) == ["id", "name", "plain"])
        try connection.execute("ALTER TABLE people ADD COLUMN age SMALLINT")
        try statement.run()
        #expect(statement.resultColumns.map(\.name) == ["id", "name", "plain", "age"])
        #expect(statement.resultColumns.last?.declaredType == "SMALLINT")
    }

    // MARK: EXPLAIN

    @Test(arguments: [
        ("EXPLAIN DELETE FROM people", true), ("EXPLAIN QUERY PLAN SELECT 1", true),
        ("explain select 1", true), ("SELECT 'EXPLAIN'", false), ("DELETE FROM people", false),
    ])
    func itSaysWhetherItExplains(sql: SQL, isExplain: Bool) throws {
        #expect(try connection.prepare(sql).isExplain == isExplain)
    }
}

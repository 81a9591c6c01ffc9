import Foundation
import SQiftTestSupport
import Testing

import SQift

private struct Person: Equatable {
    let id: Int
    let name: String?
}

extension Person: ExpressibleByRow {
    init(row: Row) throws {
        id = try row.get("id")
        name = try row.get("name")
    }
}

private struct Vehicle: Decodable, ExpressibleByRow, Equatable {
    let id: Int
    let name: String
}

private struct OwnedVehicle: ExpressibleByRow {
    let vehicle: Vehicle?
    let owner: Person?

    init(row: Row) throws {
        vehicle = try row.slice(0..<3).map(Vehicle.init(row:))
        owner = try row.slice(3..<5).map(Person.init(row:))
    }
}

struct RowSliceTests {
    private let connection: Connection
    /// The second car has no owner, and the third one's owner has no name.
    private let sql =
        "SELECT c.id, c.name, c.owner, p.id, p.name FROM cars c "
        + "LEFT JOIN people p ON p.id = c.owner ORDER BY c.id"

    init() throws {
        connection = try Connection()
        try connection.execute(
            """
            CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE cars(id INTEGER PRIMARY KEY, name TEXT, owner INTEGER);
            INSERT INTO people VALUES(1, 'Ada'), (2, NULL);
            INSERT INTO cars VALUES(10, 'Audi', 1), (11, 'Skoda', NULL), (12, 'Volvo', 2)
            """
        )
    }

    /// Calls `body` with the first row, live and detached.
    private func withRow(_ body: (Row) throws -> Void) throws {
        var calls = 0
        try connection.forEachRow(sql + " LIMIT 1") { row in
            try body(row)
            calls += 1
        }
        let row: Row? = try connection.query(sql)
        try body(#require(row))
        #expect(calls == 1)
    }

    // MARK: By a range

    @Test func itOwnsItsValues() throws {
        var cars: [Row?] = []
        var owners: [Row?] = []
        try connection.forEachRow(sql) { row in
            cars.append(try row.slice(0..<3))
            owners.append(try row.slice(3..<5))
        }
        try connection.execute("DROP TABLE cars; DROP TABLE people")
        try connection.close()
        let carTexts = cars.compactMap { $0?.description }
        #expect(carTexts == ["[10, 'Audi', 1]", "[11, 'Skoda', NULL]", "[12, 'Volvo', 2]"])
        let ownerTexts = owners.map { $0?.description }
        #expect(ownerTexts == ["[1, 'Ada']", nil, "[2, NULL]"])
    }

    @Test func aDetachedRowHasSlicesToo() throws {
        let rows: [Row] = try connection.query(sql)
        let owners = try rows.map { try $0.slice(3..<5)?.description }
        #expect(owners == ["[1, 'Ada']", nil, "[2, NULL]"])
        let names = try rows.compactMap { try $0.slice(0..<3)?.slice(1..<2)?.description }
        #expect(names == ["['Audi']", "['Skoda']", "['Volvo']"])
    }

    @Test func valuesOfEachStorageClassAreKept() throws {
        let values = "SELECT 1, 2.5, 'tëxt', x'00ff', NULL"
        var slice: Row?
        try connection.forEachRow(values) { slice = try $0.slice(0..<5) }
        #expect(slice?.description == "[1, 2.5, 'tëxt', x'00ff', NULL]")
    }

    @Test func aTextThatIsNotUTF8KeepsItsBytes() throws {
        let row: Row? = try connection.query("SELECT 1, 2, CAST(x'ff' AS TEXT), 'a'")
        var slices = [try row?.slice(2..<4)]
        try connection.forEachRow("SELECT 1, 2, CAST(x'ff' AS TEXT), 'a'") { row in
            slices.append(try row.slice(2..<4))
        }
        slices.append(try slices[1]?.slice(0..<2)?.detached())

        for slice in slices {
            try #expect(slice?.withUnsafeBytes(at: 0) { Array($0) } == [0xff])
            try #expect(slice?.withUnsafeBytes(at: 1) { Array($0) } == [0x61])
        }
    }

    @Test func namesThatOccurTwiceAreReadInTheirSlices() throws {
        try withRow { row in
            let car = try #require(try row.slice(0..<3))
            let owner = try #require(try row.slice(3..<5))
            #expect(car.columnNames == ["id", "name", "owner"])
            #expect(owner.columnNames == ["id", "name"])
            try #expect(row.get("name") == "Audi")
            try #expect(car.get("name") == "Audi")
            try #expect(owner.get("NAME") == "Ada")
            try #expect(owner.get(0) == 1)
            #expect(!owner.hasColumn("owner"))
        }
    }

    @Test(arguments: [-1..<2, 4..<6, 5..<6, 0..<Int.max, Int.min..<1])
    func aRangeBeyondTheColumnsThrows(range: Range<Int>) throws {
        try withRow { row in
            expectExtractionError(.noColumn) { try row.slice(range) }
        }
    }

    @Test(arguments: [0..<0, 2..<2, 5..<5])
    func anEmptyRangeGivesNoRow(range: Range<Int>) throws {
        try withRow { row in
            let slice = try row.slice(range)
            #expect(slice?.columnCount == nil)
        }
    }

    @Test func typesAreReadFromSlices() throws {
        let cars: [OwnedVehicle] = try connection.query(sql)
        let vehicles: [Vehicle?] = [
            Vehicle(id: 10, name: "Audi"), Vehicle(id: 11, name: "Skoda"),
            Vehicle(id: 12, name: "Volvo"),
        ]
        #expect(cars.map(\.vehicle) == vehicles)
        #expect(cars.map(\.owner) == [Person(id: 1, name: "Ada"), nil, Person(id: 2, name: nil)])
    }

    @Test func anErrorInASliceNamesTheQueryAndTheRow() throws {
        expectExtractionError(.null, column: "name", row: 3, sql: sql) {
            try connection.forEachRow(sql) { row in
                if let owner = try row.slice(3..<5) {
                    _ = try owner.get("name") as String
                }
            }
        }
    }

    // MARK: By a table

    private static let mixed =
        "SELECT p.name, 1 AS one, c.name, c.id, p.id FROM cars c "
        + "LEFT JOIN people p ON p.id = c.owner ORDER BY c.id"

    @Test(
        .enabled(if: Capability.columnMetadata, "this SQLite was built without it"),
        arguments: [("cars", "people"), ("CARS", "People")]
    )
    func theColumnsOfATableAreFound(cars: String, people: String) throws {
        var texts: [[String?]] = []
        let cursor = try connection.cursor(Self.mixed)
        while let row = try cursor.next() {
            let slices = try [row.slice(table: cars), row.slice(table: people)]
            texts.append(slices.map { $0?.description })
            #expect(slices[0]?.columnNames == ["name", "id"])
        }
        let expected: [[String?]] = [
            ["['Audi', 10]", "['Ada', 1]"], ["['Skoda', 11]", nil], ["['Volvo', 12]", "[NULL, 2]"],
        ]
        #expect(texts == expected)
    }

    @Test(.enabled(if: Capability.columnMetadata, "this SQLite was built without it"))
    func onlyASCIILettersMatchInEitherCase() throws {
        try connection.execute("CREATE TABLE \"Größe\"(x); INSERT INTO \"Größe\" VALUES(1)")
        try connection.forEachRow("SELECT x FROM \"Größe\"") { row in
            let slice = try row.slice(table: "gRößE")
            #expect(slice?.description == "[1]")
            expectSQLiteError(.misuse) { try row.slice(table: "GRÖßE") }
        }
    }

    @Test(
        .enabled(if: Capability.columnMetadata, "this SQLite was built without it"),
        arguments: ["p", "c", "strangers", "", "main.people", "name"]
    )
    func aTableThatGivesNoColumnThrows(table: String) throws {
        try connection.execute("CREATE TABLE strangers(id)")
        try connection.forEachRow(Self.mixed) { row in
            expectSQLiteError(.misuse, sql: Self.mixed) { try row.slice(table: table) }
        }
    }

    @Test func aDetachedRowKnowsNoTables() throws {
        let rows: [Row] = try connection.query(sql)
        let slice = try #require(try rows[0].slice(0..<3))
        for row in [rows[0], slice] {
            expectSQLiteError(.misuse) { try row.slice(table: "cars") }
        }
    }

    @Test(.disabled(if: Capability.columnMetadata, "this SQLite was built with it"))
    func withoutColumnMetadataATableThrows() throws {
        try connection.forEachRow(sql) { row in
            expectSQLiteError(.misuse) { try row.slice(table: "cars") }
            let slice = try row.slice(0..<3)
            #expect(slice?.columnCount == 3)
        }
    }
}

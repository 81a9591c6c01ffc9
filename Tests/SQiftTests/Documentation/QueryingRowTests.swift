import SQift
import Testing

enum Fuel: String, Binding {
    case petrol, diesel, electric
}

struct Engine: CodableBinding {
    var cylinders: Int
}

struct Kilometres: Binding {
    typealias BindingType = Double
    var value: Double

    var bindingValue: BindingValue { .real(value) }

    static func fromBindingValue(_ value: Any) -> Kilometres? {
        (value as? Double).map(Kilometres.init)
    }
}

/// The blocks of Docs/Querying.md that read a row by hand, and values of one's own types.
struct QueryingRowTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.execute(
            """
            CREATE TABLE cars(name TEXT NOT NULL, price INTEGER);
            INSERT INTO cars VALUES('Audi', 52642)
            """
        )
    }

    @Test func rows() throws {
        if let row = try connection.query(
            "SELECT rowid, name, price FROM cars WHERE name = ?",
            "Audi"
        ) {
            let id: Int64 = try row.get(0)
            let name: String = try row.get("NAME")  // case-insensitive; the leftmost wins
            let price: Int? = row["price"]  // nil for NULL and for what doesn't fit
            print(id, name, price ?? 0, row.columnNames, row)
        }
    }

    @Test func values() throws {
        try connection.execute("CREATE TABLE motors(fuel TEXT, engine TEXT, range REAL)")
        let engine = Engine(cylinders: 6)
        try connection.run(
            "INSERT INTO motors VALUES(?, ?, ?)",
            Fuel.diesel,
            engine,
            Kilometres(value: 700)
        )
        let fuel: Fuel = try connection.query(
            "SELECT fuel FROM motors WHERE json_extract(engine, '$.cylinders') = 6"
        )

        #expect(fuel == .diesel)
        let range: Kilometres = try connection.query("SELECT range FROM motors")
        #expect(range.value == 700)
    }
}

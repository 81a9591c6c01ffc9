import SQift
import Foundation
struct Car: ExpressibleByRow {
    let name: String; let price: Int?
    init(row: Row) throws { name = try row.get("NAME"); price = try row.get("price") }
}
enum Color: Int, Binding { case red, green }
func smoke() throws {
    let c = try Connection()
    try c.execute(
        "CREATE TABLE cars(name TEXT, price INTEGER); -- x\n INSERT INTO cars VALUES('Audi', 5), ('Benz', NULL);"
    )
    try c.run("INSERT INTO cars VALUES(?, ?)", "VW", 7)
    try c.run("INSERT INTO cars VALUES(?, ?)", "Nil", nil)
    try c.run("INSERT INTO cars VALUES(:n, :p)", parameters: ["n": "Dict", ":p": 9])
    let cars: [Car] = try c.query("SELECT * FROM cars")
    print(cars)
    let d: [String: Int?] = try c.query("SELECT name, price FROM cars")
    print(d)
    if let row = try c.query("SELECT * FROM cars WHERE name = ?", "VW") { print(row, row["price"] as Int, row.columns) }
    let n: Int = try c.query("SELECT count(*) FROM cars"); print(n)
    let col: Color = try c.query("SELECT ?", Color.green); print(col)
    do { let x: [Int] = try c.query("SELECT price FROM cars"); print(x) } catch { print(error) }
    do { try c.execute("SELECT 1;\n SELEC 2") } catch { print(error) }
    let date = Date(); let back: Date = try c.query("SELECT ?", date);
    print(date.timeIntervalSince1970, back.timeIntervalSince1970, try c.query("SELECT ?", date) as String)
    print(
        try c.query("SELECT ?", Date(timeIntervalSince1970: -1)) as String,
        try c.query("SELECT date(?)", Date(timeIntervalSince1970: 951_782_400)) as String
    )
    do {
        try c.transaction {
            try c.run("DELETE FROM cars"); throw CocoaError(.fileNoSuchFile)
        }
    } catch { print(try c.query("SELECT count(*) FROM cars") as Int) }
    let a: ArrayBinding<Int>? = try c.query("SELECT ?", [1, 2, 3] as ArrayBinding<Int>); print(a!.elements)
    print(try c.query("SELECT json_extract(?, '$[1]')", [1, 2, 3] as ArrayBinding<Int>) as Int)
    try c.close(); do { try c.execute("SELECT 1") } catch { print(error) }
}
try smoke()

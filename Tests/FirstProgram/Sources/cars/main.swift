import SQift

struct Car: Decodable, ExpressibleByRow {
    let name: String
    let price: Int?
}

let migrations = [
    Migration("1-cars", sql: "CREATE TABLE cars(name TEXT NOT NULL, price INTEGER)")
]
let connection = try Connection()  // in memory; Connection(path: "cars.sqlite") for a file
try Migrator(connection: connection, migrations: migrations).run()

try connection.run("INSERT INTO cars VALUES(?, ?)", "Audi", 52_642)
try connection.run("INSERT INTO cars VALUES(:name, :price)", ["name": "Prototype", "price": nil])

let cars: [Car] = try connection.query("SELECT * FROM cars WHERE price < ?", 60_000)
let prices: [Int?] = try connection.query("SELECT price FROM cars")
let dearest: Int? = try connection.query("SELECT max(price) FROM cars")
print(cars.map(\.name), prices, dearest ?? 0)  // ["Audi"] [Optional(52642), nil] 52642

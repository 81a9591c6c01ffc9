import SQift

let connection = try Connection()
try connection.execute("CREATE TABLE cars(name TEXT NOT NULL, year INTEGER)")
try connection.run("INSERT INTO cars VALUES(?, ?)", "Beetle", 1964)
try connection.run("INSERT INTO cars VALUES(?, ?)", "Fiat 500", nil)

let names: [String] = try connection.query("SELECT name FROM cars ORDER BY name")
let oldest: Int? = try connection.query("SELECT min(year) FROM cars")
print(names, oldest ?? 0)
